/// Levels for people.
enum DecibelText {
    /// `-18.2`, with one decimal.
    static func short(_ decibels: Float) -> String {
        let tenths = Int((decibels * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
