/// The style sheet of the page, for light and dark, and for narrow windows.
enum PageStyle {
    static let text = #"""
        :root {
          color-scheme: light dark;
          --back: #f7f8f8; --panel: #ffffff; --text: #1c2227; --faint: #5b656d; --line: #dde1e4; --hover: #eef2f5;
          --chosen: #dce9f6; --accent: #1f62a8; --wave: #4a7fb5; --ok: #2a7547; --warned: #8f5600; --failed: #b0261e;
          --gap: #b0261e; --marker: #6344ad; --target: #2a7547; --momentary: #9db7d1; --term: #1f62a8; --grid: #e8ebed;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --back: #121518; --panel: #191d21; --text: #e3e7ea; --faint: #98a3ab; --line: #2c333a; --hover: #20262b;
            --chosen: #1f3650; --accent: #7db4ee; --wave: #6a9fd4; --ok: #6cc28f; --warned: #e2a646; --failed: #f2847b;
            --gap: #f2847b; --marker: #b7a2f2; --target: #6cc28f; --momentary: #4d6a87; --term: #8fc0f2; --grid: #252b31;
          }
        }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        body {
          margin: 0; height: 100vh; display: grid; grid: auto minmax(0, 1fr) / minmax(34rem, 5fr) minmax(0, 8fr);
          grid-template-areas: "head head" "takes take"; background: var(--back); color: var(--text);
          font: 14px/1.45 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums;
        }
        body.single { display: block; height: auto; }
        header { grid-area: head; padding: 14px 20px 10px; border-bottom: 1px solid var(--line); background: var(--panel); }
        h1 { font-size: 17px; margin: 0; display: inline; }
        #summary { display: inline; margin: 0 0 0 12px; color: var(--faint); }
        #filters { display: flex; flex-wrap: wrap; gap: 8px 16px; margin-top: 10px; align-items: center; }
        #text { flex: 0 1 21rem; padding: 5px 9px; }
        input, select, button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 5px; }
        .chips { display: flex; flex-wrap: wrap; gap: 5px; }
        .chips button, #none button { padding: 2px 9px; border-radius: 12px; cursor: pointer; }
        .chips button:hover, #none button:hover { background: var(--hover); }
        .chips button[aria-pressed=true] { background: var(--chosen); border-color: var(--accent); }
        .chips .count { color: var(--faint); margin-left: 5px; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }

        #takes { grid-area: takes; min-height: 0; border-right: 1px solid var(--line); position: relative; }
        #list { height: 100%; overflow: auto; outline-offset: -2px; }
        #columns, .row {
          display: grid; grid-template-columns: minmax(9rem, 1.7fr) 4.9rem 6rem 4.1rem 4.1rem minmax(4.4rem, 1fr); align-items: center;
        }
        #columns { position: sticky; top: 0; background: var(--panel); border-bottom: 1px solid var(--line); z-index: 2; }
        #columns button { border: 0; border-radius: 0; background: none; padding: 6px 9px; text-align: left; color: var(--faint); cursor: pointer; white-space: nowrap; }
        #columns button:hover { color: var(--text); }
        #columns .number button { text-align: right; width: 100%; }
        #columns [aria-sort=ascending] button::after { content: " \25B4"; }
        #columns [aria-sort=descending] button::after { content: " \25BE"; }
        #columns [aria-sort] button { color: var(--text); padding-right: 2px; }
        #rows { position: relative; }
        .row { position: absolute; left: 0; right: 0; height: 30px; cursor: pointer; border-bottom: 1px solid var(--grid); }
        .row > * { padding: 0 9px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
        .row > .number { text-align: right; }
        .row > .found { color: var(--faint); }
        .row:hover { background: var(--hover); }
        .row[aria-selected=true] { background: var(--chosen); }
        .ok { color: var(--ok); } .warned { color: var(--warned); } .failed { color: var(--failed); }
        .mark-of::before { display: inline-block; width: 1.3em; }
        .ok.mark-of::before { content: "\2713"; } .warned.mark-of::before { content: "!"; font-weight: 700; } .failed.mark-of::before { content: "\2715"; }
        #none { position: absolute; top: 60px; left: 0; right: 0; text-align: center; color: var(--faint); }

        #take { grid-area: take; min-height: 0; overflow: auto; padding: 16px 22px 30px; }
        .single #take { max-width: 1500px; margin: auto; }
        #heading { display: flex; gap: 14px; align-items: baseline; }
        h2 { font-size: 19px; margin: 0; overflow-wrap: anywhere; }
        #verdict { white-space: nowrap; font-weight: 600; }
        #path { margin: 1px 0 0; color: var(--faint); overflow-wrap: anywhere; }
        #facts { display: flex; flex-wrap: wrap; gap: 6px 26px; margin: 12px 0; }
        #facts div { min-width: 5rem; }
        dt { color: var(--faint); font-size: 12px; }
        dd { margin: 0; }
        #player { width: 100%; height: 40px; display: block; }
        #note { margin: 4px 0 0; color: var(--warned); overflow-wrap: anywhere; }
        #toolbar { display: flex; gap: 16px; margin: 12px 0 6px; color: var(--faint); font-size: 12.5px; min-height: 26px; align-items: center; }
        #toolbar label { white-space: nowrap; }
        #plots { position: relative; cursor: crosshair; user-select: none; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
        #flags { position: relative; height: 22px; margin: 0 12px 0 58px; border-bottom: 1px solid var(--grid); }
        canvas { display: block; width: 100%; }
        #area { position: absolute; inset: 0 12px 0 58px; pointer-events: none; }
        #cursor, #playhead { position: absolute; top: 0; bottom: 0; width: 1px; background: var(--faint); opacity: .6; visibility: hidden; }
        #playhead { background: var(--accent); width: 2px; margin-left: -1px; opacity: 1; }
        .flag { position: absolute; top: 2px; height: 18px; padding: 0 5px 0 4px; border: 0; border-left: 2px solid; border-radius: 0; background: none; font-size: 11.5px; line-height: 18px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; text-align: left; cursor: pointer; color: var(--marker); }
        .mark { position: absolute; padding: 0; border: 0; border-radius: 0; pointer-events: auto; cursor: crosshair; background: var(--warned); opacity: .3; min-width: 3px; }
        .mark:hover, .mark:focus-visible { opacity: .55; }
        .mark.failed { background: var(--failed); }
        .mark.noted { background: var(--faint); opacity: .2; }
        .mark.marker { background: var(--marker); min-width: 0; width: 1px; opacity: .8; }
        .mark.gap { background: repeating-linear-gradient(45deg, var(--gap) 0 3px, transparent 3px 6px); opacity: .75; min-width: 4px; }
        .flag.gap { color: var(--gap); }
        #keys { color: var(--faint); font-size: 12.5px; margin: 8px 0; }
        kbd { font: inherit; font-size: 11.5px; border: 1px solid var(--line); border-radius: 3px; padding: 0 4px; background: var(--panel); }
        #places table { border-collapse: collapse; width: 100%; margin-top: 6px; }
        #places td { padding: 4px 10px 4px 0; border-bottom: 1px solid var(--grid); vertical-align: top; overflow-wrap: anywhere; }
        #places td:first-child, #places td:nth-child(2) { white-space: nowrap; width: 1%; padding-right: 18px; }
        #places button { border: 0; background: none; padding: 0; color: var(--accent); cursor: pointer; text-decoration: underline; text-underline-offset: 2px; }
        #tip { position: fixed; z-index: 9; max-width: 26rem; padding: 5px 9px; border-radius: 5px; background: var(--text); color: var(--back); font-size: 12.5px; pointer-events: none; overflow-wrap: anywhere; }
        noscript p { padding: 20px; }
        @media (max-width: 1080px) {
          body { grid: auto minmax(9rem, 34vh) minmax(0, 1fr) / minmax(0, 1fr); grid-template-areas: "head" "takes" "take"; }
          #takes { border-right: 0; border-bottom: 1px solid var(--line); }
        }
        @media (max-width: 560px) {
          #columns, .row { grid-template-columns: minmax(8rem, 1fr) 4.4rem 5.6rem; }
          #columns > :nth-child(n+4), .row > :nth-child(n+4) { display: none; }
        }
        """#
}
