import Synchronization

/// The numbers that files of several recordings have had by their patterns, so that no name comes twice, even if its file was
/// moved away.
final class FileNumbers: Sendable {
    private let last = Mutex<[FilePattern: Int]>([:])

    /// The first number that was not used, from this one on.
    func next(in pattern: FilePattern, from number: Int) -> Int {
        last.withLock { max(number, ($0[pattern] ?? 0) + 1) }
    }

    /// Notes that a file has this number.
    func use(_ number: Int, in pattern: FilePattern) {
        last.withLock { $0[pattern] = number }
    }
}

extension FileNumbers: Hashable {
    static func == (one: FileNumbers, other: FileNumbers) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
