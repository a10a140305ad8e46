// MARK: - The list of takes

extension PageScript {
    static let list = #"""
        // The list: filtered, sorted, and drawn only where it is seen.
        const rowHeight = 30;
        const columns = [
          { key: "name", title: "Name", order: take => take.name.toLowerCase() },
          { key: "seconds", title: "Length", number: true, order: take => take.seconds, text: take => clock(take.seconds) },
          { key: "verdict", title: "Verdict", order: take => -verdicts.indexOf(take.verdict) },
          { key: "loudness", title: "LUFS", number: true, order: take => take.loudness, text: take => decibels(take.loudness) },
          { key: "peak", title: "dBTP", number: true, order: take => take.truePeak, text: take => decibels(take.truePeak) },
          { key: "kinds", title: "Findings", order: take => -take.findings, text: take => take.kinds.join(", ") },
        ];
        const filter = { text: "", verdicts: new Set(), kinds: new Set() };
        const order = { column: null, descending: false };
        let shown = [];
        let chosen = null;

        function update() {
          const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
          shown = takes.filter(take =>
            words.every(word => take.words.includes(word))
            && (!filter.verdicts.size || filter.verdicts.has(take.verdict))
            && (!filter.kinds.size || take.kinds.some(kind => filter.kinds.has(kind))));
          if (order.column) {
            const keys = new Map(shown.map(take => [take, order.column.order(take)]));
            const collator = new Intl.Collator(undefined, { numeric: true });
            const compare = (a, b) => typeof a === "string" ? collator.compare(a, b) : a - b;
            shown.sort((one, other) => {
              const a = keys.get(one), b = keys.get(other);
              // Takes without a value come last in both directions.
              if (a == null || b == null) return (a == null) - (b == null) || one.index - other.index;
              return (order.descending ? compare(b, a) : compare(a, b)) || one.index - other.index;
            });
          }
          byId("rows").style.height = `${shown.length * rowHeight}px`;
          byId("list").setAttribute("aria-rowcount", shown.length + 1);
          byId("none").hidden = shown.length > 0;
          drawRows();
          const all = settings.count === 1 ? "1 take" : `${settings.count} takes`;
          byId("summary").textContent = shown.length === settings.count ? all : `${shown.length} of ${all}`;
        }

        function drawRows() {
          const list = byId("list");
          const first = Math.max(Math.floor(list.scrollTop / rowHeight) - 10, 0);
          const count = Math.ceil(list.clientHeight / rowHeight) + 20;
          byId("rows").replaceChildren(...shown.slice(first, first + count).map((take, place) => row(take, first + place)));
          const isDrawn = chosen && byId(`row-${chosen.index}`);
          if (isDrawn) list.setAttribute("aria-activedescendant", `row-${chosen.index}`);
          else list.removeAttribute("aria-activedescendant");
        }

        function row(take, place) {
          const made = element("div", { className: "row", role: "row", id: `row-${take.index}` });
          made.style.top = `${place * rowHeight}px`;
          made.setAttribute("aria-selected", take === chosen);
          made.setAttribute("aria-rowindex", place + 2);
          for (const column of columns) {
            const text = column.key === "name" ? take.name : column.key === "verdict" ? settings.verdicts[take.verdict] : column.text(take);
            const cell = element("span", { role: "gridcell", textContent: text });
            if (column.key === "name") cell.title = take.folder ? `${take.folder}/${take.name}` : take.name;
            if (column.key === "kinds") { cell.title = text; cell.className = "found"; }
            if (column.key === "verdict") cell.className = `${take.verdict} mark-of`;
            if (column.number) cell.className = "number";
            made.append(cell);
          }
          made.onclick = () => choose(take);
          return made;
        }

        function choose(take) {
          chosen = take;
          showTake(take);
          history.replaceState(null, "", `#take-${take.index + 1}`);
          const list = byId("list"), place = shown.indexOf(take);
          if (place >= 0 && list.clientHeight) {
            const top = place * rowHeight, room = list.clientHeight - 2 * rowHeight;
            if (top < list.scrollTop) list.scrollTop = top;
            if (top > list.scrollTop + room) list.scrollTop = top - room;
          }
          drawRows();
        }

        function sortBy(column) {
          order.descending = order.column === column && !order.descending;
          order.column = column;
          byId("list").scrollTop = 0;
          for (const cell of byId("columns").children) cell.removeAttribute("aria-sort");
          byId("columns").children[columns.indexOf(column)].setAttribute("aria-sort", order.descending ? "descending" : "ascending");
          update();
        }

        function chips(place, names, chosenNames, count, text) {
          place.replaceChildren();
          for (const name of names) {
            const chip = element("button", { type: "button" }, text(name), element("span", { className: "count" }, String(count(name))));
            chip.setAttribute("aria-pressed", chosenNames.has(name));
            chip.onclick = () => {
              chosenNames.delete(name) || chosenNames.add(name);
              chip.setAttribute("aria-pressed", chosenNames.has(name));
              update();
            };
            place.append(chip);
          }
        }

        function drawChips() {
          const counts = new Map();
          for (const take of takes) {
            for (const name of [take.verdict, ...take.kinds.map(kind => `:${kind}`)]) counts.set(name, (counts.get(name) ?? 0) + 1);
          }
          const found = verdicts.filter(name => counts.has(name));
          chips(byId("verdicts"), found, filter.verdicts, name => counts.get(name), name => settings.verdicts[name]);
          const kinds = [...counts.keys()].filter(name => name.startsWith(":")).map(name => name.slice(1)).sort();
          chips(byId("kinds"), kinds, filter.kinds, kind => counts.get(`:${kind}`), kind => kind);
        }

        function startList() {
          byId("columns").append(...columns.map(column => {
            const button = element("button", { type: "button", textContent: column.title });
            button.onclick = () => sortBy(column);
            return element("span", { role: "columnheader", className: column.number ? "number" : "" }, button);
          }));
          byId("text").oninput = () => { filter.text = byId("text").value; byId("list").scrollTop = 0; update(); };
          byId("all").onclick = () => {
            filter.text = byId("text").value = "";
            for (const names of [filter.verdicts, filter.kinds]) names.clear();
            for (const chip of document.querySelectorAll(".chips button")) chip.setAttribute("aria-pressed", "false");
            update();
          };
          byId("list").onscroll = drawRows;
          byId("list").onkeydown = event => {
            if (event.target !== byId("list")) return;
            const page = Math.max(Math.floor(byId("list").clientHeight / rowHeight) - 2, 1);
            const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
            if (!(event.key in steps) || !shown.length) return;
            event.preventDefault();
            const place = shown.indexOf(chosen);
            choose(shown[Math.min(Math.max(place < 0 ? 0 : place + steps[event.key], 0), shown.length - 1)]);
          };
        }
        """#
}
