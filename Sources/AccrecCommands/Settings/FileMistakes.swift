/// The mistakes found in a file written by a person, up to a maximum.
struct FileMistakes: Error {
    /// The maximum number of mistakes to report.
    static let maximumCount = 20

    let path: String
    private var mistakes: [(line: Int?, message: String)] = []

    init(path: String) {
        self.path = path
    }

    var isEmpty: Bool { mistakes.isEmpty }
    /// Whether the maximum is reached, so that there is no need to look for more.
    var isFull: Bool { mistakes.count >= Self.maximumCount }

    /// Adds a mistake.
    ///
    /// - Parameter line: Counted from 1; nil if it concerns the whole file.
    mutating func add(_ message: String, line: Int? = nil) {
        if !isFull { mistakes.append((line, UsageMessage.shortened(message))) }
    }

    mutating func add(contentsOf others: FileMistakes) {
        for mistake in others.mistakes { add(mistake.message, line: mistake.line) }
    }

    /// The mistakes as messages, one per line, in the order of the file.
    var lines: [String] {
        let sorted = mistakes.enumerated().sorted {
            ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
        }
        return sorted.map { _, mistake in
            "\(mistake.line.map { "\(FilePlace(path: path, line: $0))" } ?? path): \(mistake.message)"
        }
    }
}
