// MARK: - The player

extension PageScript {
    static let player = #"""
        // The player, and how clicks and keys move it.
        const player = byId("player");

        function stopPlaying() {
          player.pause();
          player.removeAttribute("src");
          player.load();
        }

        function note(text) {
          byId("note").textContent = text;
        }

        function preparePlayer(take) {
          note("");
          player.hidden = !take.address;
          if (!take.address) return;
          player.src = take.address;
          player.currentTime = 0;
          if (take.mediaType && !player.canPlayType(take.mediaType)) note(`Browsers rarely play ${take.container} files.`);
          movePlayhead();
        }

        player.onerror = () => {
          if (!player.getAttribute("src")) return;
          note(`Cannot play '${current.name}' here: this browser does not support ${current.container} files of this kind, `
            + "or the file is no longer where it was beside this page. Use accrec play for it.");
        };

        function playFrom(seconds) {
          if (!current.address) return;
          player.currentTime = Math.min(Math.max(seconds, 0), current.seconds);
          player.play().catch(() => {});
          movePlayhead();
        }

        function movePlayhead() {
          const time = player.currentTime;
          const head = byId("playhead");
          head.style.left = `${100 * Math.min(time / (current.seconds || 1), 1)}%`;
          head.style.visibility = time > 0 || !player.paused ? "visible" : "hidden";
          byId("plots").setAttribute("aria-valuenow", time.toFixed(1));
          byId("plots").setAttribute("aria-valuetext", clock(time));
          if (!player.paused) requestAnimationFrame(movePlayhead);
        }
        player.onplay = player.onseeked = movePlayhead;

        function timeAt(x) {
          const box = byId("area").getBoundingClientRect();
          return current.seconds * Math.min(Math.max((x - box.left) / box.width, 0), 1);
        }

        function readOut(event) {
          const time = timeAt(event.clientX);
          const words = [clock(time, 2)];
          const { loudness, spectrogram } = current.curves;
          if (loudness) {
            for (const [key, name] of [["momentary", "M"], ["shortTerm", "S"]]) {
              const levels = bytes(loudness[key]);
              const value = level(levels[Math.min(Math.floor(time / loudness.secondsPerPoint), levels.length - 1)]);
              words.push(`${name} ${value == null ? "\u2013" : decibels(value)} LUFS`);
            }
          }
          const box = byId("spectrogram").getBoundingClientRect();
          if (spectrogram && event.clientY > box.top && event.clientY < box.bottom) {
            const { lowest, highest } = spectrogram;
            words.push(`${Math.round(highest * (lowest / highest) ** ((event.clientY - box.top) / box.height))} Hz`);
          }
          byId("readout").textContent = words.join("  \u00B7  ");
          byId("cursor").style.left = `${100 * time / current.seconds}%`;
          byId("cursor").style.visibility = "visible";
        }

        function startPlayer() {
          const plots = byId("plots");
          plots.onclick = event => playFrom(timeAt(event.clientX));
          plots.onpointermove = readOut;
          plots.onpointerleave = () => {
            byId("cursor").style.visibility = "hidden";
            byId("readout").textContent = "";
          };
          plots.onkeydown = event => {
            if (event.target !== plots) return;
            const step = event.shiftKey ? 10 : 1;
            const targets = {
              ArrowLeft: player.currentTime - step, ArrowRight: player.currentTime + step, Home: 0, End: current.seconds,
            };
            if (event.key in targets) {
              event.preventDefault();
              player.currentTime = Math.min(Math.max(targets[event.key], 0), current.seconds);
              movePlayhead();
            }
          };
          document.addEventListener("keydown", event => {
            if (event.ctrlKey || event.metaKey || event.altKey) return;
            const isBusy = event.target.closest("input, select, button, audio");
            if (event.key === "/" && !isBusy && settings.count > 1) {
              event.preventDefault();
              byId("text").focus();
            } else if (event.key === " " && !isBusy && current?.address) {
              event.preventDefault();
              player.paused ? playFrom(player.currentTime) : player.pause();
            } else if (event.key === "Escape") {
              hideTip();
            }
          });
          byId("scale").onchange = redraw;
        }
        """#
}
