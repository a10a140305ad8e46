// MARK: - The take that is chosen

extension PageScript {
    static let take = #"""
        // One take: its facts, its pictures with the places found in it, and the list of these places.
        let current = null;

        function showTake(take) {
          stopPlaying();
          current = details(take);
          byId("take").hidden = false;
          byId("take").scrollTop = 0;
          byId("name").textContent = current.name;
          byId("verdict").textContent = settings.verdicts[current.verdict];
          byId("verdict").className = `${current.verdict} mark-of`;
          byId("path").textContent = [current.folder, current.format].filter(Boolean).join(" \u00B7 ");
          byId("facts").replaceChildren(...current.facts.map(fact =>
            element("div", {}, element("dt", { textContent: fact.name }), element("dd", { textContent: fact.text }))));
          byId("plots").hidden = byId("toolbar").hidden = byId("keys").hidden = !(current.curves && current.seconds > 0);
          byId("plots").setAttribute("aria-valuemax", current.seconds);
          showPlaces();
          if (!byId("plots").hidden) redraw();
          preparePlayer(current);
        }

        function redraw() {
          draw(current);
          const area = byId("marks"), lanes = current.curves.waveform.lanes.length, height = laneHeight(lanes);
          area.replaceChildren();
          byId("flags").replaceChildren();
          for (const place of current.places) if (place.start != null) area.append(mark(place, lanes, height));
          const flagged = current.places.filter(place => ["gap", "marker"].includes(place.type));
          flagged.forEach((place, index) => {
            const part = place.start / current.seconds;
            const room = (index + 1 < flagged.length ? flagged[index + 1].start / current.seconds : 1) - part;
            const flag = button(place, `flag ${place.type}`);
            flag.tabIndex = -1;
            flag.textContent = place.text;
            flag.style.left = `${100 * part}%`;
            flag.style.maxWidth = `max(${100 * room}% - 2px, 7px)`;
            byId("flags").append(flag);
          });
        }

        function mark(place, lanes, height) {
          const made = button(place, `mark ${place.type}`);
          const lane = lanes > 1 && place.channels.length === 1 ? place.channels[0] - 1 : null;
          const hasLane = lane != null && lane < lanes;
          made.style.left = `${100 * place.start / current.seconds}%`;
          if (place.type !== "marker") made.style.width = `${100 * ((place.end ?? place.start) - place.start) / current.seconds}%`;
          made.style.top = `${23 + (hasLane ? lane * height : 0)}px`;
          made.style.height = `${hasLane ? height : lanes * height}px`;
          return made;
        }

        function describe(place) {
          const when = place.start == null ? "whole take"
            : place.end > place.start ? `${clock(place.start)} to ${clock(place.end)}` : clock(place.start);
          return `${when}: ${place.type === "gap" ? "gap, " : ""}${place.text}`;
        }

        function button(place, className) {
          const made = element("button", { type: "button", className });
          made.setAttribute("aria-label", describe(place));
          made.onclick = event => {
            event.stopPropagation();
            // A click by key has no place of its own.
            playFrom(event.detail && className.startsWith("mark") ? timeAt(event.clientX) : place.start);
          };
          made.onfocus = made.onpointerenter = () => showTip(made, describe(place));
          made.onblur = made.onpointerleave = hideTip;
          return made;
        }

        function showTip(target, text) {
          const tip = byId("tip"), box = target.getBoundingClientRect();
          tip.textContent = text;
          tip.hidden = false;
          tip.style.left = `${Math.max(Math.min(box.left, innerWidth - tip.offsetWidth - 8), 8)}px`;
          tip.style.top = `${box.top > tip.offsetHeight + 8 ? box.top - tip.offsetHeight - 5 : box.bottom + 5}px`;
        }

        function hideTip() { byId("tip").hidden = true; }

        function showPlaces() {
          const rows = current.places.map(place => {
            const when = place.start == null ? "whole take" : element("button", { type: "button", textContent: clock(place.start) });
            if (place.start != null) when.onclick = () => playFrom(place.start);
            return element("tr", {}, element("td", {}, when),
              element("td", { className: place.type, textContent: settings.types[place.type] }), element("td", { textContent: place.text }));
          });
          byId("places").replaceChildren(rows.length ? element("table", {}, element("tbody", {}, ...rows)) : "Nothing was found.");
          if (current.omittedPlaces) byId("places").append(element("p", { textContent: `and ${current.omittedPlaces} more` }));
        }
        """#
}
