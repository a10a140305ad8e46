import Synchronization

/// A connection to a sound server that is begun before it is asked for.
///
/// It is begun and waited for on a thread of its own; who asks for a connection to that server next takes it, or learns
/// why there is none.
final class EarlyConnection: Sendable {
    private static let begun = Mutex<EarlyConnection?>(nil)

    private let serverName: String?
    private let control = Promise<Result<PulseControl, PulseFailure>>()

    private init(serverName: String?) {
        self.serverName = serverName
    }

    /// Begins a connection, and returns at once.
    ///
    /// - Parameter conclude: What the thread does in the end.
    /// - Throws: `audioEngineStartFailed` where the system refuses a thread.
    static func begin(
        to serverName: String?, conclude: @escaping @Sendable () -> Void
    ) throws(ACCAudioRecorderError) {
        let connection = EarlyConnection(serverName: serverName)
        try DetachedThread.start("connection") {
            do throws(PulseFailure) {
                connection.control.fulfil(.success(try PulseControl.waitForConnection(to: serverName)))
            } catch {
                connection.control.fulfil(.failure(error))
            }
            conclude()
        }
        begun.withLock { $0 = connection }
    }

    /// The connection that was begun, for the first who asks; nil where it goes to another server or is closed already.
    static func take(to serverName: String?) async throws(PulseFailure) -> PulseControl? {
        let connection = begun.withLock { connection in
            defer { connection = nil }
            return connection
        }
        guard let connection, connection.serverName == serverName else { return nil }
        let control = try await connection.control.value.get()
        return control.isOpen ? control : nil
    }
}
