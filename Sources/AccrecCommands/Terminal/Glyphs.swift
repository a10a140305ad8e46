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
