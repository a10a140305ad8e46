/// How many of the complete files of each output are kept, and how long; the oldest ones are removed when the next file begins,
/// and at the end of a recording.
///
/// The files are those that recordings by the same path or pattern have made under such a policy, this one and earlier ones: a
/// hidden record beside them (`.accrec-files-…`) says which are ours. One that was changed, replaced or moved since is not, and
/// stays. One that a program still needs (`--exec`) stays until twice the bound, and at least ten more of them do. The newest
/// complete file is not removed for its age or size.
///
/// In JSON a policy is an object with `file_count`, `age` in seconds and `byte_count`; what is missing has no limit.
public struct RetentionPolicy: Sendable, Hashable {
    /// The maximum number of files, including the current one, 1 or more; nil, the default, for no limit.
    public var fileCount: Int?
    /// The longest time since a file was complete, above zero; nil, the default, for no limit. Until the machine is started
    /// again, time is what has passed, however its clock is set.
    public var age: Duration?
    /// The maximum sum of sizes in bytes, 1 or more, where the current file counts as large as the one before it; nil, the
    /// default, for no limit.
    public var byteCount: Int?

    /// Creates a policy.
    public init(fileCount: Int? = nil, age: Duration? = nil, byteCount: Int? = nil) {
        (self.fileCount, self.age, self.byteCount) = (fileCount, age, byteCount)
    }

    /// Whether it removes anything.
    public var isBounded: Bool { self != RetentionPolicy() }

    func validate() throws(ACCAudioRecorderError) {
        if let fileCount, fileCount < 1 {
            throw .refused("retention.fileCount", "cannot keep \(fileCount) files", remedy: "Keep 1 or more.")
        }
        if let age, age <= .zero {
            throw .refused("retention.age", "cannot keep files for \(age)", remedy: "Keep them for longer than that.")
        }
        if let byteCount, byteCount < 1 {
            throw .refused("retention.byteCount", "cannot keep \(byteCount) bytes", remedy: "Keep 1 or more.")
        }
    }
}

extension RetentionPolicy {
    /// A bound of a policy.
    @nonexhaustive
    public enum Bound: String, Sendable, Hashable, Codable, CaseIterable {
        /// ``RetentionPolicy/fileCount``
        case count
        /// ``RetentionPolicy/age``
        case age
        /// ``RetentionPolicy/byteCount``
        case size
    }

    /// What decides about a complete file.
    struct Candidate {
        /// The time since it was complete; negative if that is to come.
        var age: Duration
        /// The size in bytes, with the files beside it.
        var byteCount: Int
        /// Whether a program still needs it.
        var isAwaited = false
    }

    /// The bounds that files exceed.
    ///
    /// - Parameters:
    ///   - files: The oldest one first.
    ///   - hasCurrent: Whether there is another file besides.
    /// - Returns: For each file the first bound that it exceeds; nil if it is kept.
    func excess(of files: [Candidate], hasCurrent: Bool) -> [Bound?] {
        var count = hasCurrent ? 1 : 0
        var byteCount = hasCurrent ? files.last?.byteCount ?? 0 : 0
        var excess: [Bound?] = []
        for (index, file) in files.enumerated().reversed() {
            count += 1
            byteCount = byteCount.addingReportingOverflow(file.byteCount).partialValue
            let bound = bound(count, byteCount, of: file)
            let isNewest = index == files.count - 1
            excess.append(isNewest && bound != .count ? nil : bound)
        }
        return excess.reversed()
    }

    /// So many files that a program still needs are kept beyond the maximum number at least.
    private static let fewestAwaited = 10.0

    /// The first bound that a file exceeds.
    ///
    /// - Parameters:
    ///   - count: The number of files from this one on.
    ///   - byteCount: Their sizes together.
    private func bound(_ count: Int, _ byteCount: Int, of file: Candidate) -> Bound? {
        let factor = file.isAwaited ? 2.0 : 1
        let more = file.isAwaited ? Self.fewestAwaited : 0
        if let fileCount, Double(count) > max(Double(fileCount) * factor, Double(fileCount) + more) { return .count }
        if let age, file.age > age * factor { return .age }
        if let limit = self.byteCount, Double(byteCount) > Double(limit) * factor { return .size }
        return nil
    }
}

extension RetentionPolicy: Codable {
    private enum CodingKeys: String, CodingKey {
        case age
        case fileCount = "file_count"
        case byteCount = "byte_count"
    }
}
