import ACCAudioRecorder
import FoundationEssentials

/// Writes the page of `accrec check --html`: one file that needs no network, with a list of takes, and the pictures and a player
/// of the one that is chosen.
///
/// Takes are written one by one, so that memory does not grow with them. Each is a block of two lines of JSON: what the list
/// shows, and the rest, which the page reads when the take is chosen. Nothing of a file becomes markup: `<` is escaped in JSON,
/// the page makes text of all strings, and its policy permits no script but its own.
struct CheckPage {
    /// What each page has within its first kilobyte, and no other file.
    static let mark = "<title>accrec check</title>"

    private let append: (String) throws -> Void

    /// Writes a page to a file, which appears when it is complete.
    ///
    /// - Parameters:
    ///   - title: What the page is called.
    ///   - takeCount: How many takes will be added.
    ///   - body: Adds them.
    static func write(
        to file: borrowing WholeFile, title: String, takeCount: Int, _ body: (CheckPage) throws -> Void
    ) throws {
        try file.writePieces { append in
            try withoutActuallyEscaping(append) { append in
                let page = try CheckPage(title: title, takeCount: takeCount, nonce: Self.nonce(), append: append)
                try body(page)
                try page.finish()
            }
        }
    }

    /// Writes everything before the first take.
    ///
    /// - Parameters:
    ///   - nonce: What only this page's own scripts and styles carry, by its policy: nobody can know it in advance.
    ///   - append: Writes a piece of the page.
    init(title: String, takeCount: Int, nonce: String, append: @escaping (String) throws -> Void) throws {
        self.append = append
        let settings = Settings(
            title: title, count: takeCount, palette: Data(SpectrogramColors.palette),
            lowestLoudness: TakeCurves.lowestLoudness, loudnessStep: TakeCurves.loudnessStep,
            verdicts: Dictionary(uniqueKeysWithValues: PageTake.Verdict.allCases.map { ($0.rawValue, $0.word) }),
            types: Dictionary(uniqueKeysWithValues: TakePlace.Class.allCases.map { ($0.rawValue, $0.word) }))
        try append(
            """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy(nonce))">
            <meta name="viewport" content="width=device-width">
            \(Self.mark)
            <style nonce="\(nonce)">
            \(PageStyle.text)
            </style>
            </head>
            <body>
            \(PageMarkup.text)
            <script type="application/json" id="settings">\(try Self.json(settings))</script>
            <script nonce="\(nonce)">
            "use strict";
            \(PageScript.text)
            </script>

            """)
    }

    /// Adds a take.
    func add(_ take: PageTake) throws {
        try append(
            """
            <script type="application/json" class="take-data">
            \(try Self.json(Row(take)))
            \(try Self.json(take))
            </script>

            """)
    }

    private func finish() throws { try append("</body>\n</html>\n") }

    /// No network, and no script but the page's own. Media are files, for a page from a disk, or from where the page is.
    private static func policy(_ nonce: String) -> String {
        "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; media-src 'self' file:; "
            + "base-uri 'none'; form-action 'none'"
    }

    private static func nonce() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    /// A line of JSON that ends no block of a page. Unprintable characters, which may reverse the direction of text, become
    /// question marks.
    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = PrintableText.line(String(decoding: try encoder.encode(value), as: UTF8.self))
        return line.utf8.contains(UInt8(ascii: "<"))
            ? line.split(separator: "<", omittingEmptySubsequences: false)
                .joined(separator: "\\u003c") : line
    }
}

extension CheckPage {
    /// What the page knows before the first take: its title, and the words and scales of `PageTake`.
    private struct Settings: Encodable {
        let title: String
        let count: Int
        let palette: Data
        let lowestLoudness: Double
        let loudnessStep: Double
        let verdicts: [String: String]
        let types: [String: String]
    }

    /// What the list shows of a take.
    private struct Row: Encodable {
        let name: String
        let folder: String
        let seconds: Double
        let verdict: PageTake.Verdict
        let loudness: Double?
        let truePeak: Double?
        let kinds: [String]
        let findings: Int

        init(_ take: PageTake) {
            (name, folder, seconds, verdict) = (take.name, take.folder, take.seconds, take.verdict)
            (loudness, truePeak, kinds) = (take.loudness, take.truePeak, take.kinds)
            findings = take.places.count { $0.kind != nil } + take.omittedPlaces
        }
    }
}

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
