/// What is wrong with a manifest, as far as it is told.
struct ManifestMistakes {
    /// How many are told at once.
    static let most = 20

    let path: String
    private var mistakes: [(line: Int?, message: String)] = []

    init(path: String) {
        self.path = path
    }

    var isEmpty: Bool { mistakes.isEmpty }
    /// Whether no more are told, so that nobody need look for them.
    var isFull: Bool { mistakes.count >= Self.most }

    /// Notes a mistake.
    ///
    /// - Parameter line: Counted from 1; nil for what is wrong with the whole.
    mutating func add(_ message: String, line: Int? = nil) {
        if !isFull { mistakes.append((line, message)) }
    }

    mutating func add(contentsOf others: ManifestMistakes) {
        for mistake in others.mistakes { add(mistake.message, line: mistake.line) }
    }

    /// They for people, a line each, in the order of the manifest.
    var lines: [String] {
        let sorted = mistakes.enumerated().sorted {
            ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
        }
        let told = sorted.map { _, mistake in
            "\(mistake.line.map { "\(FilePlace(path: path, line: $0))" } ?? path): \(mistake.message)"
        }
        return told + [
            "nothing was recorded. " + (isFull ? "There may be more mistakes than these." : "Mend the manifest.")
        ]
    }
}
