import ArgumentParser

/// Channels of a source by their numbers, as `--select` takes them: `3,4` or `1-4,8`, counted from 1.
struct ChannelNumbers {
    /// In the order they were given.
    let numbers: [Int]

    init(_ text: String) throws {
        numbers = try text.split(separator: ",", omittingEmptySubsequences: false).flatMap { part in
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
                (1...32).contains(first), (first...32).contains(last)
            else {
                throw ValidationError("give channels from 1 to 32, such as 3,4 or 1-4,8")
            }
            return Array(first...last)
        }
        guard numbers.count <= 32 else { throw ValidationError("give no more than 32 channels") }
    }
}
