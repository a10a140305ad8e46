/// The capabilities of the terminal and the user's preferences.
struct TerminalStyle: Equatable {
    /// Whether it shows UTF-8 rather than only ASCII.
    var isUTF8: Bool
    var hasColor: Bool

    var glyphs: Glyphs { isUTF8 ? .utf8 : .ascii }

    /// Determines the encoding from the locale, by the first of its variables that is set, and whether to use colours
    /// from `NO_COLOR` (https://no-color.org).
    ///
    /// - Parameter variable: Returns the value of an environment variable, or nil if it is not set.
    init(color: ColorChoice, variable: (Environment.Variable) -> String? = \.value) {
        let locale =
            [Environment.Variable.locale, .characterLocale, .language].lazy.compactMap(variable)
            .first { !$0.isEmpty } ?? ""
        // de_DE.UTF-8@euro
        let encoding = locale.split(separator: ".").dropFirst().first?.prefix { $0 != "@" } ?? ""
        isUTF8 = ["utf8", "utf-8"].contains(encoding.lowercased())
        hasColor =
            switch color {
            case .always: true
            case .never: false
            case .auto: variable(.noColor)?.isEmpty ?? true
            }
    }
}

extension TerminalStyle {
    /// Whether the meter uses colours, as given to `--color`.
    enum ColorChoice: String, CaseIterable {
        case auto, always, never
    }

    /// The characters that the meter is drawn with, for an encoding.
    struct Glyphs {
        /// The parts of a bar: up to the RMS, from there to the peak, and at the held peak.
        let rms: Unicode.Scalar
        let peak: Unicode.Scalar
        let held: Unicode.Scalar
        /// A mark of the scale beyond the end of the bar.
        let mark: Unicode.Scalar
        /// The frame of the bar.
        let barStart: String
        let barEnd: String
        /// Blocks of increasing height, the first one empty.
        let steps: [Unicode.Scalar]
        /// Symbols before the state.
        let recording: String
        let paused: String
        let waiting: String
        let armed: String
        let playing: String
        /// Between source and output format.
        let arrow: String
        /// The level of digital silence.
        let minusInfinity: String
        /// Stands for omitted text.
        let ellipsis: String

        static let utf8 = Glyphs(
            rms: "█", peak: "▒", held: "┃", mark: "·", barStart: "▕", barEnd: "▏",
            steps: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
            recording: "● ", paused: "‖ ", waiting: "◌ ", armed: "○ ", playing: "▶ ", arrow: "→", minusInfinity: "−∞",
            ellipsis: "…")

        static let ascii = Glyphs(
            rms: "#", peak: "=", held: "|", mark: ".", barStart: "[", barEnd: "]", steps: [" ", ".", ":", "|", "#"],
            recording: "* ", paused: "", waiting: "", armed: "", playing: "> ", arrow: "->", minusInfinity: "-inf",
            ellipsis: "..")

        /// A cell of a vertical bar of `rows` rows, filled to a fraction from 0 to 1. Rows are counted from the top.
        func column(filledTo part: Double, row: Int, of rows: Int) -> Unicode.Scalar {
            let stepsPerRow = steps.count - 1
            let filled = Int((min(max(part, 0), 1) * Double(rows * stepsPerRow)).rounded())
            return steps[min(max(filled - (rows - 1 - row) * stepsPerRow, 0), stepsPerRow)]
        }
    }
}
