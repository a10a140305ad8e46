import CPulse

/// Follows the sources of a server for as long as it answers.
struct SourceListWatch {
    let configuration: ACCAudioRecorder.Configuration

    /// Servers tell one thing in several events, and some of them before it has settled.
    private static let settlingTime = Duration.milliseconds(100)

    /// Tells the list now, and each time that it is not as it was; returns where the task is cancelled.
    ///
    /// - Throws: Where no server answers, or the connection breaks.
    func run(_ tell: (SourceList) -> Void) async throws(PulseFailure) {
        let control = try await PulseControl.connect(to: configuration.serverName)
        // Whatever comes while the server is asked makes one more question, not one each.
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await control.observeSources { continuation.yield() }
        let closing = Task {
            await control.waitUntilClosed()
            continuation.finish()
        }
        defer { closing.cancel() }

        var last = try await list(control)
        tell(last)
        for await _ in events {
            // No event says that it has.
            try? await Task.sleep(for: Self.settlingTime)
            let list = try await list(control)
            if list != last { tell(list) }
            last = list
        }
        if !Task.isCancelled { throw PulseFailure(PA_ERR_CONNECTIONTERMINATED) }
    }

    private func list(_ control: PulseControl) async throws(PulseFailure) -> SourceList {
        do throws(PulseFailure) {
            return try await SourceList(control: control, for: configuration)
        } catch {
            // What libpulse says of a question that comes after the end of the connection.
            throw error.code == PA_ERR_BADSTATE ? PulseFailure(PA_ERR_CONNECTIONTERMINATED) : error
        }
    }
}
