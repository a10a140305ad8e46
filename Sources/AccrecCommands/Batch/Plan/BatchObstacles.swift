import ACCAudioRecorder

/// What keeps a batch from recording although its manifest is right: files that exist already, and directories that do not.
struct BatchObstacles {
    /// The rows with files that exist already: the first file, and the number of takes.
    private var existing: [(line: Int, path: String, count: Int)] = []
    /// The messages about directories that do not exist, one for each.
    private var directories: [(line: Int, message: String)] = []

    var isEmpty: Bool { existing.isEmpty && directories.isEmpty }

    /// Notes why a take cannot be recorded.
    ///
    /// - Parameter path: The first of its files.
    /// - Returns: False for anything else, which is a mistake in the manifest.
    mutating func note(_ error: ACCAudioRecorderError, of path: String, line: Int) -> Bool {
        switch error.failure?.recoveryOption {
        case .replaceFile:
            if existing.last?.line == line {
                existing[existing.count - 1].count += 1
            } else {
                existing.append((line, path, 1))
            }
        case .createDirectory:
            let cause = error.failure?.cause ?? ""
            if !directories.contains(where: { $0.message.hasPrefix(cause) }) {
                directories.append((line, "\(cause). Use --mkdir to create it, or name another."))
            }
        default: return false
        }
        return true
    }

    /// Adds them to the mistakes of the manifest, one for each row and one for each directory.
    func report(in mistakes: inout FileMistakes) {
        for row in existing {
            let rest = row.count > 1 ? " and \(row.count - 1) more exist" : " exists"
            mistakes.add("'\(row.path)'\(rest) already", line: row.line)
        }
        for directory in directories { mistakes.add(directory.message, line: directory.line) }
    }

    /// What records in spite of files that exist; nil if none do.
    ///
    /// - Parameter hasResults: Whether the file of the results has some, which only `--continue` may add to.
    func remedy(hasResults: Bool) -> String? {
        guard !existing.isEmpty else { return nil }
        let again = hasResults ? "--force with another file for --results" : "--force"
        return "--continue records what is missing or incomplete; \(again) records all takes again."
    }
}
