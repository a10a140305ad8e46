/// The last hundred levels of a recording, oldest first, in dBFS.
struct LevelHistory {
    /// How many are kept.
    static let capacity = 100

    private(set) var levels: [Float] = []

    init() {
        levels.reserveCapacity(Self.capacity)
    }

    mutating func append(_ level: Float) {
        if levels.count == Self.capacity { levels.removeFirst() }
        levels.append(level)
    }
}
