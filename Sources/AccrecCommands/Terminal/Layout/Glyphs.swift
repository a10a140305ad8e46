/// The characters that a terminal's encoding has for the meter.
struct Glyphs {
    /// A bar up to the RMS, from there to the peak, and at the held peak.
    let rms: Unicode.Scalar
    let peak: Unicode.Scalar
    let held: Unicode.Scalar
    /// A mark of the scale where the bar does not reach.
    let mark: Unicode.Scalar
    /// The bar's ends.
    let barStart: String
    let barEnd: String
    /// Columns of growing height, the first one empty.
    let steps: [Unicode.Scalar]
    /// Before the words for the state.
    let recording: String
    let paused: String
    let waiting: String
    let armed: String
    /// What leads to what.
    let arrow: String
    /// Where text was cut off.
    let ellipsis: String

    static let utf8 = Glyphs(
        rms: "█", peak: "▒", held: "┃", mark: "·", barStart: "▕", barEnd: "▏",
        steps: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
        recording: "● ", paused: "‖ ", waiting: "◌ ", armed: "○ ", arrow: "→", ellipsis: "…")

    static let ascii = Glyphs(
        rms: "#", peak: "=", held: "|", mark: ".", barStart: "[", barEnd: "]", steps: [" ", ".", ":", "|", "#"],
        recording: "* ", paused: "", waiting: "", armed: "", arrow: "->", ellipsis: "..")

    /// A column of `rows` rows that is filled up to a part of it, from 0 to 1: its cell in a row, counted from the top.
    func column(filledTo part: Double, row: Int, of rows: Int) -> Unicode.Scalar {
        let stepsPerRow = steps.count - 1
        let filled = Int((min(max(part, 0), 1) * Double(rows * stepsPerRow)).rounded())
        return steps[min(max(filled - (rows - 1 - row) * stepsPerRow, 0), stepsPerRow)]
    }
}
