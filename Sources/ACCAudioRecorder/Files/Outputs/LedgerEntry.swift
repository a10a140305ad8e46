import FoundationEssentials
import Glibc
import SystemPackage

/// A file that a recording has made, with those beside it, such as its markers.
struct LedgerEntry: Codable, Equatable, Sendable {
    /// The path of its audio below the directory of the ledger.
    let path: String
    /// The number in its name; nil without one, and for a change that does not say.
    var number: Int?
    /// While it is being written: when it was created, in nanoseconds since 1970, which no other file of this path shares.
    var birth: Int64?
    /// Its files once it is complete; empty before.
    var parts: [Part] = []
    /// When it was complete.
    var end: Moment?
    /// Whether a program still needs it.
    var isAwaited = false
    /// Whether it was removed, or is no longer ours.
    var isGone = false

    /// The size in bytes, with the files beside it.
    var byteCount: Int { parts.reduce(0) { $0 &+ $1.byteCount } }

    /// A file as it was when it was complete.
    struct Part: Codable, Equatable, Sendable {
        /// Below the directory of the ledger.
        let path: String
        let byteCount: Int
        /// When it was changed last: seconds and nanoseconds since 1970.
        let modified: [Int]

        init(path: String, _ status: stat) {
            self.path = path
            byteCount = Int(status.st_size)
            modified = [Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)]
        }

        /// Whether a file is this one, unchanged.
        ///
        /// - Parameter precision: That of the file system's times, in seconds; 0 for exact ones.
        func isUnchanged(_ status: stat, precision: Int) -> Bool {
            let present = Part(path: path, status)
            guard status.st_mode & S_IFMT == S_IFREG, present.byteCount == byteCount, modified.count == 2 else {
                return false
            }
            return present.modified == modified
                || abs(present.modified[0].subtractingSaturated(modified[0])) < precision
        }
    }

    /// A time by two clocks.
    struct Moment: Codable, Equatable, Sendable {
        /// In seconds since 1970.
        let seconds: Double
        /// In CLOCK_MONOTONIC nanoseconds.
        let hostTime: UInt64
        /// Names the time since the machine was started, in which `hostTime` counts.
        let boot: String

        /// - Parameter hostTime: In CLOCK_MONOTONIC nanoseconds.
        init(hostTime: UInt64) {
            (seconds, self.hostTime) = (Date(hostTime: hostTime).timeIntervalSince1970, hostTime)
            boot = Self.boot
        }

        /// A time of which only the date is known.
        init(_ status: stat) {
            (seconds, hostTime, boot) = (Double(status.st_mtim.tv_sec), 0, "")
        }

        /// The time since another moment. A clock that is set meanwhile does not matter, unless the machine was started again.
        func since(_ other: Moment) -> Duration {
            guard boot == other.boot else { return .limited(seconds: seconds - other.seconds) }
            let (later, earlier) = (max(hostTime, other.hostTime), min(hostTime, other.hostTime))
            let length = Duration.nanoseconds(Int64(clamping: later - earlier))
            return hostTime < other.hostTime ? .zero - length : length
        }

        private static let boot: String = {
            let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            return String((text ?? "").prefix { $0 != "\n" })
        }()
    }

    /// The short names in the record.
    private enum CodingKeys: String, CodingKey {
        case path, number, birth, parts, end
        case isAwaited = "awaited"
        case isGone = "gone"
    }
}

extension LedgerEntry {
    /// A file that has just been created; nil where it cannot be told from others, since its file system does not say when that
    /// was.
    init?(created path: String, number: Int, at place: String, isAwaited: Bool) {
        guard let file = UnfinishedFile(path: place) else { return nil }
        self.init(path: path, number: number, birth: file.birth, isAwaited: isAwaited)
    }

    /// Settles a file whose recorder was killed.
    ///
    /// - Parameter place: Its present path.
    /// - Returns: Nil if it is gone, or may be another file; the entry as it is if somebody may be writing the file.
    func settled(at place: String) -> LedgerEntry? {
        guard let birth else { return nil }
        switch UnfinishedFile(path: place, birth: birth).state {
        case .gone: return nil
        case .written: return self
        case .left(let status):
            var entry = self
            (entry.birth, entry.parts, entry.end) = (nil, [Part(path: path, status)], Moment(status))
            return entry
        }
    }
}

// MARK: - Lines

extension LedgerEntry {
    /// - Parameter line: JSON. Nil if it is damaged, or of a file that is not below the directory.
    init?(line: ArraySlice<UInt8>) {
        guard let entry = try? JSONDecoder().decode(LedgerEntry.self, from: Data(line)), Self.isBelow(entry.path),
            entry.parts.allSatisfy({ Self.isBelow($0.path) })
        else { return nil }
        self = entry
    }

    /// A line of JSON.
    var line: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and numbers can be encoded.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Whether a path leads to a file below the directory of the ledger.
    static func isBelow(_ path: String) -> Bool {
        let path = FilePath(path)
        return !path.isEmpty && path.isRelative && !path.components.contains { $0.kind == .parentDirectory }
    }

    /// Applies changes in their order: a file that was created is the newest one.
    static func apply(_ changes: [LedgerEntry], to entries: inout [LedgerEntry], capacity: Int) {
        guard !changes.isEmpty else { return }
        var last: [String: (position: Int, entry: LedgerEntry)] = [:]
        for (position, entry) in (entries + changes).enumerated() {
            let known = last[entry.path].flatMap { $0.entry.isGone || entry.birth != nil ? nil : $0.position }
            last[entry.path] = (known ?? position, entry)
        }
        let latest = last.values.filter { !$0.entry.isGone }.sorted { $0.position < $1.position }
        entries = latest.suffix(capacity).map(\.entry)
    }
}

extension Int {
    /// The difference, or the number that is nearest to it.
    fileprivate func subtractingSaturated(_ other: Int) -> Int {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (self > other ? .max : .min + 1) : difference
    }
}
