import Synchronization

/// A connection to a sound server that is begun before it is needed.
///
/// It connects on its own thread; the next request for a connection to that server uses it. If there was no server,
/// that request tries again, since it may be there by then. A server that did not answer in time is not waited for
/// twice.
final class EarlyConnection: Sendable {
    private static let begun = Mutex<EarlyConnection?>(nil)

    private let serverName: String?
    private let outcome = Promise<Result<PulseConnection, CaptureFailure>>()

    private init(serverName: String?) {
        self.serverName = serverName
    }

    /// Begins a connection and returns at once.
    ///
    /// - Parameter conclude: Called last on the connection's thread.
    /// - Throws: `audioEngineStartFailed` if the system cannot start a thread.
    static func begin(
        to serverName: String?, conclude: @escaping @Sendable () -> Void
    ) throws(ACCAudioRecorderError) {
        let connection = EarlyConnection(serverName: serverName)
        try DetachedThread.start("connection") {
            connection.outcome.fulfil(
                Result { () throws(CaptureFailure) in try PulseConnection.waitForConnection(to: serverName) })
            conclude()
        }
        begun.withLock { $0 = connection }
    }

    /// The connection that was begun, for the first caller only; nil if it goes to another server, failed, or is
    /// already closed.
    ///
    /// - Throws: If the server did not answer in time.
    static func claim(to serverName: String?) async throws(CaptureFailure) -> PulseConnection? {
        let connection = begun.withLock { connection in
            defer { connection = nil }
            return connection
        }
        guard let connection, connection.serverName == serverName else { return nil }
        switch await connection.outcome.value {
        case .success(let connection): return connection.isOpen ? connection : nil
        case .failure(let failure) where failure.reason == .timedOut: throw failure
        case .failure: return nil
        }
    }
}
