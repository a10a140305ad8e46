/// Watches a list of what a server has, as long as it answers.
struct ServerListWatch<List: Equatable> {
    let backend: any CaptureBackend
    /// Whether a change at the server may change the list.
    let isConcerned: @Sendable (ServerChange) -> Bool
    /// Asks the server for the list.
    let list: (any CaptureConnection) async throws(CaptureFailure) -> List

    /// Servers send several events for one change, some of them before it has settled.
    private static var settlingTime: Duration { .milliseconds(100) }

    /// Passes on the list now and whenever it has changed, until the task is cancelled.
    ///
    /// - Throws: If no server answers, or the connection breaks.
    func run(_ onChange: (List) -> Void) async throws(CaptureFailure) {
        let connection = try await backend.connect()
        // All events that arrive during a query lead to one more query.
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await connection.observe { [isConcerned] change in
            if isConcerned(change) { continuation.yield() }
        }
        let closing = Task {
            await connection.waitUntilClosed()
            continuation.finish()
        }
        defer { closing.cancel() }

        var last = try await list(connection)
        onChange(last)
        for await _ in events {
            // No event says when the change has settled.
            try? await Task.sleep(for: Self.settlingTime)
            let list = try await list(connection)
            if list != last { onChange(list) }
            last = list
        }
        if !Task.isCancelled { throw CaptureFailure(.noServer, "Connection terminated") }
    }
}
