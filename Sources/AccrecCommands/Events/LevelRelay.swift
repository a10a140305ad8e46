import ACCAudioRecorder
import Synchronization

/// Passes levels from the engine's thread to the task that writes events of them, for one recording after another.
final class LevelRelay: Sendable {
    private let recording = Mutex<AsyncStream<RecordingLevels>.Continuation?>(nil)
    /// A writer that is later than this many levels lacks the oldest of them.
    private static let capacity = 256

    /// The levels of the next recording, until `end`.
    func begin() -> AsyncStream<RecordingLevels> {
        let (levels, continuation) = AsyncStream.makeStream(
            of: RecordingLevels.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        recording.withLock { $0 = continuation }
        return levels
    }

    /// Passes levels on, if somebody wants them. Does not block.
    func pass(_ levels: RecordingLevels) {
        recording.withLock { _ = $0?.yield(levels) }
    }

    /// Ends the recording's levels.
    func end() {
        recording.withLock { $0.take()?.finish() }
    }
}
