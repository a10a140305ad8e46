/// How a cell of the terminal is drawn. Never the only carrier of a meaning: shapes and words say it too.
enum Ink: UInt8 {
    case plain, faint, strong
    /// Levels: far from full scale, near it, and nearly there.
    case low, middle, high
    /// What must not be overlooked.
    case alarm

    /// The terminal's code (ECMA-48, select graphic rendition), which starts from plain.
    var code: String {
        switch self {
        case .plain: "\u{1B}[m"
        case .faint: "\u{1B}[0;2m"
        case .strong: "\u{1B}[0;1m"
        case .low: "\u{1B}[0;32m"
        case .middle: "\u{1B}[0;33m"
        case .high: "\u{1B}[0;31m"
        case .alarm: "\u{1B}[0;1;31m"
        }
    }
}
