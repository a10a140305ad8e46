extension ACCAudioRecorder {
    /// The sources of the sound server, including monitors.
    ///
    /// - Parameter serverName: As in the configuration.
    /// - Throws: `audioEngineStartFailed` if no server answers, or the task is cancelled.
    public static func availableSources(serverName: String? = nil) async throws(ACCAudioRecorderError) -> [AudioSource]
    {
        let backend = Configuration.Capture(serverName: serverName).backend
        return try await asking("cannot list the sources") { () async throws(CaptureFailure) in
            try await backend.connect().sourceCatalog().sources
        }
    }

    /// Asks a server, until the task is cancelled.
    private static func asking<Answer: Sendable>(
        _ failing: String, for answer: @escaping @Sendable () async throws(CaptureFailure) -> Answer
    ) async throws(ACCAudioRecorderError) -> Answer {
        do throws(CaptureFailure) {
            return try await waitUnlessCancelled(elseThrowing: .cancelled, for: answer)
        } catch {
            throw .audioEngineStartFailed(.init(failing, error))
        }
    }

    /// The sources of the sound server, and the one that a recording with this configuration would use.
    ///
    /// - Throws: `audioEngineStartFailed` if no server answers, or the task is cancelled.
    public static func sourceList(
        for configuration: Configuration = Configuration()
    ) async throws(ACCAudioRecorderError) -> SourceList {
        try await asking("cannot list the sources") { () async throws(CaptureFailure) in
            try await SourceList(connection: configuration.capture.backend.connect(), for: configuration)
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
        updates("cannot watch the sources", of: configuration) { change in
            switch change {
            // A change of the default arrives as `server`.
            case .source, .server: true
            case .sink, .stream, .playback: false
            }
        } list: { (connection) async throws(CaptureFailure) in
            try await SourceList(connection: connection, for: configuration)
        }
    }

    /// The applications that play, and what a recording with this configuration would capture of them.
    ///
    /// - Throws: `audioEngineStartFailed` if no server answers, or the task is cancelled.
    public static func applicationList(
        for configuration: Configuration = Configuration()
    ) async throws(ACCAudioRecorderError) -> ApplicationList {
        try await asking("cannot list the applications") { () async throws(CaptureFailure) in
            try await ApplicationList(connection: configuration.capture.backend.connect(), for: configuration)
        }
    }

    /// The applications that play now, and again whenever they, or what a recording with this configuration would capture,
    /// have changed; otherwise as ``sourceListUpdates(for:)``.
    public static func applicationListUpdates(
        for configuration: Configuration = Configuration()
    ) -> AsyncThrowingStream<ApplicationList, any Error> {
        updates("cannot watch the applications", of: configuration) { change in
            switch change {
            case .playback, .sink: true
            case .source, .stream, .server: false
            }
        } list: { (connection) async throws(CaptureFailure) in
            try await ApplicationList(connection: connection, for: configuration)
        }
    }

    private static func updates<List: Equatable & Sendable>(
        _ failing: String, of configuration: Configuration,
        when isConcerned: @escaping @Sendable (ServerChange) -> Bool,
        list: @escaping @Sendable (any CaptureConnection) async throws(CaptureFailure) -> List
    ) -> AsyncThrowingStream<List, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let watch = Task {
                do throws(CaptureFailure) {
                    let watch = ServerListWatch(
                        backend: configuration.capture.backend, isConcerned: isConcerned, list: list)
                    try await watch.run { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(
                        throwing: ACCAudioRecorderError.audioEngineStartFailed(.init(failing, error)))
                }
            }
            continuation.onTermination = { _ in watch.cancel() }
        }
    }
}

extension ACCAudioRecorder {
    /// The versions of the libraries in use, and the name and version of the sound server, or why it cannot be reached: for
    /// reports of faults.
    package static func software() async -> [String] {
        let libraries = [
            "libpulse-\(PulseBackend.libraryVersion)", Container.soundFileVersion, Resampler.libraryVersion,
        ]
        do throws(CaptureFailure) {
            return libraries + ["server: " + (try await PulseConnection.connect(to: nil).software())]
        } catch {
            return libraries + ["no server: \(error.message)"]
        }
    }
}
