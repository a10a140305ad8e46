import ACCAudioRecorder
import Dispatch
import Synchronization

/// The names of the server's sources, for completions.
final class SourceNames: Sendable {
    /// How long the server has, in seconds: somebody waits with a finger on the key.
    private static let deadline = 1.0

    private let names = Mutex<[String]>([])

    /// The names that `--device` takes; none where no server answers in time. Blocks the thread meanwhile.
    ///
    /// - Parameter serverName: nil for the one that libpulse's own rules find.
    static func ofServer(named serverName: String?) -> [String] {
        let result = SourceNames()
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            if let sources = try? await ACCAudioRecorder.availableSources(serverName: serverName) {
                result.names.withLock { $0 = sources.map(\.name) }
            }
            isDone.signal()
        }
        _ = isDone.wait(timeout: .now() + deadline)
        return result.names.withLock { $0 }
    }
}
