/// The body of the page of `accrec check --html`.
enum PageMarkup {
    static let text = #"""
        <header>
        <h1 id="title"></h1>
        <p id="summary"></p>
        <div id="filters" role="search">
        <input id="text" type="search" placeholder="Filter by name, folder or kind  ( / )" aria-label="Filter by name, folder or kind">
        <div id="verdicts" class="chips" role="group" aria-label="Verdict"></div>
        <div id="kinds" class="chips" role="group" aria-label="Kinds of findings"></div>
        </div>
        </header>
        <section id="takes" aria-label="Takes">
        <div id="list" role="grid" aria-label="Takes" tabindex="0">
        <div id="columns" role="row"></div>
        <div id="rows" role="rowgroup"></div>
        </div>
        <p id="none" hidden>No take matches. <button id="all" type="button">Show all</button></p>
        </section>
        <main id="take" hidden>
        <div id="heading"><h2 id="name"></h2><span id="verdict"></span></div>
        <p id="path"></p>
        <dl id="facts"></dl>
        <audio id="player" controls preload="none"></audio>
        <p id="note" role="status"></p>
        <div id="toolbar">
        <label>Waveform <select id="scale"><option value="linear">linear</option><option value="decibels">in dB</option></select></label>
        <output id="readout"></output>
        </div>
        <div id="plots" tabindex="0" role="slider" aria-label="Position" aria-valuemin="0">
        <div id="flags"></div>
        <canvas id="waveform"></canvas>
        <canvas id="ticks"></canvas>
        <canvas id="loudness"></canvas>
        <canvas id="spectrogram"></canvas>
        <div id="area"><div id="marks"></div><div id="cursor"></div><div id="playhead"></div></div>
        </div>
        <p id="keys">Click to play from there. <kbd>Space</kbd> plays and pauses, <kbd>←</kbd> <kbd>→</kbd> move by 1 s, with <kbd>Shift</kbd> by 10 s.</p>
        <div id="places"></div>
        </main>
        <div id="tip" role="tooltip" hidden></div>
        <noscript><p>This page needs JavaScript, which a setting of the browser forbids here.</p></noscript>
        """#
}
