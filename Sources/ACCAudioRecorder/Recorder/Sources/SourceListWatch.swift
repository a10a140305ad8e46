/// Watches the sources of a server as long as it answers.
struct SourceListWatch {
    let configuration: ACCAudioRecorder.Configuration

    /// Servers send several events for one change, some of them before it has settled.
    private static let settlingTime = Duration.milliseconds(100)

    /// Passes on the list now and whenever it has changed, until the task is cancelled.
    ///
    /// - Throws: If no server answers, or the connection breaks.
    func run(_ onChange: (SourceList) -> Void) async throws(CaptureFailure) {
        let connection = try await configuration.backend.connect()
        // All events that arrive during a query lead to one more query.
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await connection.observe { change in
            switch change {
            // A change of the default arrives as `server`.
            case .source, .server: continuation.yield()
            case .sink, .stream, .playback: break
            }
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

    private func list(_ connection: any CaptureConnection) async throws(CaptureFailure) -> SourceList {
        try await SourceList(connection: connection, for: configuration)
    }
}
