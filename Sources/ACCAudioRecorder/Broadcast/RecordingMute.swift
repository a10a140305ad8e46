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
    /// A change at a time of CLOCK_MONOTONIC in nanoseconds, and the frame captured then; nil before that is recorded.
    private struct Change {
        let hostTime: UInt64
        var frame: Int?
    }

    private struct Mute {
        let source: String
        var begin: Change
        /// Nil while it goes on.
        var end: Change?
    }

    /// The most that are listed; whoever mutes more often knows that.
    private static let mostMutes = 1_000

    private let mutes = Mutex<[Mute]>([])
    /// Whether a change has no frame yet.
    private let isPending = Atomic<Bool>(false)

    /// Notes whether a source is muted from a time on.
    ///
    /// - Returns: Whether that has changed.
    func note(_ isMuted: Bool, of source: String, at hostTime: UInt64) -> Bool {
        mutes.withLock { mutes in
            let index = mutes.firstIndex { $0.source == source && $0.end == nil }
            switch (isMuted, index) {
            case (true, nil):
                if mutes.count == Self.mostMutes { mutes.removeFirst() }
                mutes.append(Mute(source: source, begin: Change(hostTime: hostTime)))
            case (false, let index?):
                mutes[index].end = Change(hostTime: hostTime)
            default:
                return false
            }
            isPending.store(true, ordering: .relaxed)
            return true
        }
    }

    /// Ends all at a time, because the sources are gone.
    func end(at hostTime: UInt64) {
        for source in mutes.withLock({ $0.filter { $0.end == nil }.map(\.source) }) {
            _ = note(false, of: source, at: hostTime)
        }
    }

    /// Places the changes that were captured before or within some frames.
    ///
    /// - Parameters:
    ///   - hostTime: When the first frame was captured.
    ///   - sampleRate: In Hz.
    func place(in frames: Range<Int>, from hostTime: UInt64, sampleRate: Int) {
        guard isPending.load(ordering: .relaxed) else { return }
        func place(_ change: inout Change?) -> Bool {
            guard let pending = change, pending.frame == nil else { return true }
            let seconds = Double(Int64(clamping: pending.hostTime) - Int64(clamping: hostTime)) * 1e-9
            let frame = frames.lowerBound + Int(max(seconds, 0) * Double(sampleRate))
            if frame < frames.upperBound { change?.frame = frame }
            return frame < frames.upperBound
        }
        mutes.withLock { mutes in
            var isDone = true
            for index in mutes.indices {
                var begin: Change? = mutes[index].begin
                isDone = place(&begin) && isDone
                if let begin { mutes[index].begin = begin }
                isDone = place(&mutes[index].end) && isDone
            }
            if isDone { isPending.store(false, ordering: .relaxed) }
        }
    }

    /// All that began before the end of the recording, in the order of their beginnings.
    func all(until end: Int) -> [RecordingMute] {
        mutes.withLock { mutes in
            mutes.compactMap { mute in
                guard let start = mute.begin.frame, start < end else { return nil }
                return RecordingMute(source: mute.source, frames: start..<max(mute.end?.frame ?? end, start))
            }
        }
    }
}
