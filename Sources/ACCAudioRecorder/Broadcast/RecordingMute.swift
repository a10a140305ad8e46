import Synchronization

/// A part of a recording during which the server had muted the source, the sink whose monitor it is, or the recording's stream.
///
/// In JSON a mute is an object with `source`, the source's name, and `from` and `to` in frames.
public struct RecordingMute: Sendable, Hashable {
    /// The name of the source.
    public let source: String
    /// The frames of the recording, to a fragment: those recorded when the server told that it began and ended.
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
    private struct State {
        var mutes: [RecordingMute] = []
        /// The sources that are muted now, with the first frame.
        var open: [(source: String, frame: Int)] = []
    }

    /// The most that are listed; whoever mutes more often knows that.
    private static let mostMutes = 1_000

    private let state = Mutex(State())

    /// Notes whether a source is muted, in the next frame.
    ///
    /// - Returns: Whether that has changed.
    func note(_ isMuted: Bool, of source: String, at frame: Int) -> Bool {
        state.withLock { state in
            let index = state.open.firstIndex { $0.source == source }
            switch (isMuted, index) {
            case (true, nil):
                state.open.append((source, frame))
            case (false, let index?):
                let start = state.open.remove(at: index).frame
                if frame > start, state.mutes.count < Self.mostMutes {
                    state.mutes.append(RecordingMute(source: source, frames: start..<frame))
                }
            default:
                return false
            }
            return true
        }
    }

    /// Ends all before a frame, because the sources are gone.
    func end(at frame: Int) {
        for source in state.withLock({ $0.open.map(\.source) }) { _ = note(false, of: source, at: frame) }
    }

    /// All that began before the end of the recording, in the order of their beginnings.
    func all(until end: Int) -> [RecordingMute] {
        state.withLock { state in
            let open = state.open.filter { $0.frame < end }.map {
                RecordingMute(source: $0.source, frames: $0.frame..<end)
            }
            return (state.mutes + open).sorted { $0.frames.lowerBound < $1.frames.lowerBound }
        }
    }
}
