/// The script of the page, in the parts that follow, of one scope. It uses no library.
enum PageScript {
    static var text: String { [data, list, plots, take, player, start].joined(separator: "\n") }
}

// MARK: - Reading takes, and text

extension PageScript {
    private static let data = #"""
        // The takes: of each a line with what the list shows, read while the page arrives, and a line with the rest, read when it is chosen.
        const byId = id => document.getElementById(id);
        const blocks = document.getElementsByClassName("take-data");
        const settings = JSON.parse(byId("settings").textContent);
        const takes = [];

        // Reads the takes that have arrived. The last one may be incomplete until all have.
        function readTakes(isComplete) {
          const count = blocks.length - (isComplete ? 0 : 1);
          while (takes.length < count) {
            const text = blocks[takes.length].firstChild.data;
            const take = JSON.parse(text.slice(0, text.indexOf("\n", 1)));
            take.index = takes.length;
            take.words = [take.name, take.folder, ...take.kinds].join("\n").toLowerCase();
            takes.push(take);
          }
        }

        function details(take) {
          const text = blocks[take.index].textContent;
          return JSON.parse(text.slice(text.indexOf("\n", 1)));
        }

        const bytes = base64 => Uint8Array.from(atob(base64), c => c.charCodeAt(0));

        // Strings from files become text, never markup.
        function element(name, properties = {}, ...children) {
          const made = document.createElement(name);
          for (const [key, value] of Object.entries(properties)) {
            if (key in made) made[key] = value; else made.setAttribute(key, value);
          }
          made.append(...children);
          return made;
        }

        // The verdicts, from good to bad.
        const verdicts = ["ok", "warned", "failed"];

        function clock(seconds, decimals = 1) {
          if (!Number.isFinite(seconds)) return "\u2013";
          const ticks = Math.floor(Math.max(seconds, 0) * 10 ** decimals + 1e-6) / 10 ** decimals;
          const rest = ticks % 60, minutes = Math.floor(ticks / 60) % 60, hours = Math.floor(ticks / 3600);
          const tail = rest.toFixed(decimals).padStart(decimals ? 3 + decimals : 2, "0");
          return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
        }

        const decibels = value => value == null ? "\u2013" : value.toFixed(1).replace("-", "\u2212");
        """#
}

// MARK: - The start

extension PageScript {
    private static let start = #"""
        // What opens with the page: one take is shown alone, and of several the first, or the one that the address names.
        byId("title").textContent = document.title = settings.title;
        if (settings.count === 1) {
          document.body.className = "single";
          byId("takes").hidden = byId("filters").hidden = true;
        }
        startList();
        startPlayer();

        let arriving = 0;
        function arrive(isComplete) {
          const before = takes.length;
          readTakes(isComplete);
          if (isComplete) settings.count = takes.length;
          if (takes.length > before) { drawChips(); update(); }
          const named = takes[Number(location.hash.replace("#take-", "")) - 1];
          if (!chosen && (named || isComplete && takes.length)) choose(named ?? takes[0]);
          // The list fills while the browser reads on, a few times and not for each take.
          arriving = isComplete ? 0 : setTimeout(arrive, before ? 400 : 50, false);
        }
        arrive(false);
        addEventListener("DOMContentLoaded", () => { clearTimeout(arriving); arrive(true); });

        let pending = 0;
        const redrawSoon = () => {
          cancelAnimationFrame(pending);
          pending = requestAnimationFrame(() => { drawRows(); if (current && !byId("plots").hidden) redraw(); });
        };
        for (const id of ["list", "plots"]) new ResizeObserver(redrawSoon).observe(byId(id));
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawSoon);
        """#
}
