// MARK: - The start

extension PageScript {
    static let start = #"""
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
