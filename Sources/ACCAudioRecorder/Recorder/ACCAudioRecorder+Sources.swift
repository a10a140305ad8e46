extension ACCAudioRecorder {
    /// Begins to connect to a sound server, and returns at once: for a program that is to record and has something else to
    /// do before. Whatever asks that server for something next takes the connection, or learns why there is none.
    ///
    /// - Parameters:
    ///   - serverName: As in the configuration.
    ///   - conclude: What the thread of the connection does in the end.
    /// - Throws: `audioEngineStartFailed` where the system refuses a thread.
    package static func connectEarly(
        to serverName: String?, conclude: @escaping @Sendable () -> Void
    ) throws(ACCAudioRecorderError) {
        try EarlyConnection.begin(to: serverName, conclude: conclude)
    }

    /// The sources of the sound server, monitors included.
    ///
    /// - Parameter serverName: As in the configuration.
    /// - Throws: `audioEngineStartFailed` where no server answers.
    public static func availableSources(serverName: String? = nil) async throws(ACCAudioRecorderError) -> [AudioSource]
    {
        do throws(PulseFailure) {
            let control = try await PulseControl.connect(to: serverName)
            return try await control.serverAndSources().sources
        } catch {
            throw .audioEngineStartFailed(.init("cannot list the sources", error))
        }
    }

    /// The sources of the sound server, and which of them a recording of a configuration would take.
    ///
    /// - Throws: `audioEngineStartFailed` where no server answers.
    public static func sourceList(
        for configuration: Configuration = Configuration()
    ) async throws(ACCAudioRecorderError) -> SourceList {
        do throws(PulseFailure) {
            let control = try await PulseControl.connect(to: configuration.serverName)
            return try await SourceList(control: control, for: configuration)
        } catch {
            throw .audioEngineStartFailed(.init("cannot list the sources", error))
        }
    }

    /// The sources of the sound server now, and each time that they, the server's default, or what a recording of the
    /// configuration would take are not as they were.
    ///
    /// A consumer that is slow gets the newest list only; `SourceList.changes(since:)` tells what is different. Ends
    /// when its consumer lets go of it, and throws `audioEngineStartFailed` where no server answers or it goes away.
    public static func sourceListUpdates(
        for configuration: Configuration = Configuration()
    ) -> AsyncThrowingStream<SourceList, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let watch = Task {
                do throws(PulseFailure) {
                    try await SourceListWatch(configuration: configuration).run { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(
                        throwing: ACCAudioRecorderError.audioEngineStartFailed(
                            .init("cannot follow the sources", error)))
                }
            }
            continuation.onTermination = { _ in watch.cancel() }
        }
    }
}
