extension ACCAudioRecorder {
    /// Records as long as a closure runs, and finishes the recording when it returns or throws: nothing that was
    /// recorded is lost, unless the closure discards it.
    ///
    /// Cancelling the task does not end the recording by itself. It ends the streams that the closure reads in that
    /// task, so a closure that reads one returns, and the recording is finished as usual.
    ///
    /// - Parameters:
    ///   - outputs: The outputs, as in `startRecording(to:)`; none for a recording that goes only to its subscribers.
    ///   - body: Runs in the caller's task, with the first subscription, which misses nothing. It may call any method of
    ///     the recorder. If it ends this recording and starts another one, that one goes on.
    /// - Returns: What the closure returns, and the report, also of a recording that has ended by itself.
    /// - Throws: What `startRecording(to:)` throws, or what the closure throws after the recording was finished.
    @discardableResult
    nonisolated(nonsending) public func withRecording<Value>(
        to outputs: [RecordingOutput] = [], _ body: (RecordingStreams) async throws -> Value
    ) async throws -> (value: Value, report: RecordingReport) {
        let (session, streams) = try await start(to: outputs)
        do {
            let value = try await body(streams)
            return (value, await finish(session))
        } catch {
            _ = await finish(session)
            throw error
        }
    }

    /// Finishes a recording unless it has ended, and returns its report.
    private func finish(_ session: RecordingSession) async -> RecordingReport {
        await handle(.finish, of: session)
        return await session.report.value
    }
}
