import Synchronization

/// A part of a recording during which the server had muted the source, the sink whose monitor it is, or the recording's stream.
///
/// In JSON a mute is an object with `source`, the source's name, and `from` and `to` in frames.
public struct RecordingMute: Sendable, Hashable {
    /// The name of the source.
    public let source: String
    /// The frames of the recording: those captured when the server told that it began and ended.
    public let frames: Range<Int>

    /// Creates a mute, for tests of code that receives reports.
    public init(source: String, frames: Range<Int>) {
        self.source = source
        self.frames = frames
    }
}

extension RecordingMute: Codable {
    private enum Key: String, CodingKey {
        case source, from, to
    }

    /// Encodes everything.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(source, forKey: .source)
        try container.encode(frames.lowerBound, forKey: .from)
        try container.encode(frames.upperBound, forKey: .to)
    }

    /// Decodes everything.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let from = try container.decode(Int.self, forKey: .from)
        self.init(
            source: try container.decode(String.self, forKey: .source),
            frames: from..<max(try container.decode(Int.self, forKey: .to), from))
    }
}

/// Collects from where to where the sources of a recording were muted. Any thread may call.
final class RecordingMutes: Sendable {
    private struct Change {
        let source: String
        let isMuted: Bool
        /// In CLOCK_MONOTONIC nanoseconds.
        let hostTime: UInt64
        /// The frame captured then; nil before that is recorded.
        var frame: Int?
    }

    /// The most that are kept; whoever mutes more often knows that.
    private static let mostChanges = 2_000

    private let changes = Mutex<[Change]>([])
    /// Whether a change has no frame yet.
    private let isPending = Atomic<Bool>(false)

    /// Notes whether a source is muted from a time on.
    ///
    /// - Returns: Whether that has changed.
    func note(_ isMuted: Bool, of source: String, at hostTime: UInt64) -> Bool {
        changes.withLock { changes in
            guard changes.last(where: { $0.source == source })?.isMuted ?? false != isMuted else { return false }
            if changes.count == Self.mostChanges { changes.removeFirst() }
            changes.append(Change(source: source, isMuted: isMuted, hostTime: hostTime))
            isPending.store(true, ordering: .relaxed)
            return true
        }
    }

    /// Ends all at a time, because the sources are gone.
    func end(at hostTime: UInt64) {
        for source in Set(changes.withLock { $0.map(\.source) }) { _ = note(false, of: source, at: hostTime) }
    }

    /// Places the changes that were captured before or within some frames.
    ///
    /// - Parameters:
    ///   - hostTime: When the first frame was captured.
    ///   - sampleRate: In Hz.
    func place(in frames: Range<Int>, from hostTime: UInt64, sampleRate: Int) {
        guard isPending.load(ordering: .relaxed) else { return }
        changes.withLock { changes in
            for index in changes.indices where changes[index].frame == nil {
                let nanoseconds = changes[index].hostTime - min(hostTime, changes[index].hostTime)
                let frame = frames.lowerBound + Int(Double(nanoseconds) * 1e-9 * Double(sampleRate))
                if frame < frames.upperBound { changes[index].frame = frame }
            }
            isPending.store(changes.contains { $0.frame == nil }, ordering: .relaxed)
        }
    }

    /// All that began before the end of the recording, in the order of their ends.
    func all(until end: Int) -> [RecordingMute] {
        changes.withLock { changes in
            var starts: [String: Int] = [:]
            var mutes: [RecordingMute] = []
            for change in changes {
                let frame = change.frame ?? end
                if change.isMuted {
                    starts[change.source] = frame
                } else if let start = starts.removeValue(forKey: change.source), start < end {
                    mutes.append(RecordingMute(source: change.source, frames: start..<max(frame, start)))
                }
            }
            let open = starts.filter { $0.value < end }.sorted { $0.key < $1.key }
            return mutes + open.map { RecordingMute(source: $0.key, frames: $0.value..<end) }
        }
    }
}
