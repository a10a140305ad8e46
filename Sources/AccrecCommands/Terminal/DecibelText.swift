/// Levels for people.
enum DecibelText {
    /// `-18.2`, with one decimal.
    static func short(_ decibels: Float) -> String {
        let tenths = Int((decibels * 10).rounded())
        return (tenths < 0 ? "-" : "") + String(abs(tenths) / 10) + "." + String(abs(tenths) % 10)
    }
}
