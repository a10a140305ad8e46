extension ACCAudioRecorder {
    /// Begins to connect to a sound server and returns at once, for a program that has other work to do before it
    /// records. The next request to that server uses this connection, or tries again if it failed.
    ///
    /// - Parameters:
    ///   - serverName: As in the configuration.
    ///   - conclude: Called last on the connection's thread.
    /// - Throws: `audioEngineStartFailed` if the system cannot start a thread.
    package static func connectEarly(
        to serverName: String?, conclude: @escaping @Sendable () -> Void
    ) throws(ACCAudioRecorderError) {
        try EarlyConnection.begin(to: serverName, conclude: conclude)
    }

    /// Whether the server has muted what the current recording captures: the source, the sink whose monitor it is, or
    /// the recording's stream.
    package var isSourceMuted: Bool { session?.watch?.isMuted ?? false }

    /// The sources of the sound server, including monitors.
    ///
    /// - Parameter serverName: As in the configuration.
    /// - Throws: `audioEngineStartFailed` if no server answers.
    public static func availableSources(serverName: String? = nil) async throws(ACCAudioRecorderError) -> [AudioSource]
    {
        do throws(CaptureFailure) {
            return try await Configuration(serverName: serverName).backend.connect().sourceCatalog().sources
        } catch {
            throw .audioEngineStartFailed(.init("cannot list the sources", error))
        }
    }

    /// The sources of the sound server, and the one that a recording with this configuration would use.
    ///
    /// - Throws: `audioEngineStartFailed` if no server answers.
    public static func sourceList(
        for configuration: Configuration = Configuration()
    ) async throws(ACCAudioRecorderError) -> SourceList {
        do throws(CaptureFailure) {
            return try await SourceList(connection: configuration.backend.connect(), for: configuration)
        } catch {
            throw .audioEngineStartFailed(.init("cannot list the sources", error))
        }
    }

    /// The sources of the sound server now, and again whenever the sources, the server's default, or the source that a
    /// recording with this configuration would use have changed.
    ///
    /// A slow consumer gets only the newest list; `SourceList.changes(since:)` gives the differences. The stream ends
    /// when its consumer releases it. It throws `audioEngineStartFailed` if no server answers or the connection breaks.
    public static func sourceListUpdates(
        for configuration: Configuration = Configuration()
    ) -> AsyncThrowingStream<SourceList, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let watch = Task {
                do throws(CaptureFailure) {
                    try await SourceListWatch(configuration: configuration).run { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(
                        throwing: ACCAudioRecorderError.audioEngineStartFailed(
                            .init("cannot watch the sources", error)))
                }
            }
            continuation.onTermination = { _ in watch.cancel() }
        }
    }
}
