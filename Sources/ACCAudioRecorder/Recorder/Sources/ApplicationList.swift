/// The applications that play at one moment, and the one that a recording would capture.
public struct ApplicationList: Sendable, Hashable {
    /// The applications, in the server's order.
    public let applications: [AudioApplication]
    /// The streams that a recording would capture, by their indexes; empty if it would wait, or captures a source. Or the
    /// error that it would fail with.
    public let choice: Result<[UInt32], ACCAudioRecorderError>

    /// Creates a list, for tests of code that receives lists of applications.
    public init(applications: [AudioApplication], choice: Result<[UInt32], ACCAudioRecorderError> = .success([])) {
        self.applications = applications
        self.choice = choice
    }

    /// Asks the server.
    init(
        connection: any CaptureConnection, for configuration: ACCAudioRecorder.Configuration
    ) async throws(CaptureFailure) {
        let streams = try await connection.applicationStreams()
        let sources = try await connection.sourceCatalog().sources
        let sinks = sources.compactMap { source in source.sinkIndex.map { ($0, source.sinkName) } }
        applications = AudioApplication.all(playing: streams, to: Dictionary(sinks) { $1 })
        choice = Result { () throws(ACCAudioRecorderError) in
            guard let requested = configuration.input.application else { return [] }
            return try ApplicationSelection(playing: streams).choice(requested: requested)?.streams.map(\.index) ?? []
        }
    }
}

extension AudioSource {
    /// The name of the sink that it is the monitor of.
    fileprivate var sinkName: String { name.hasSuffix(".monitor") ? String(name.dropLast(".monitor".count)) : name }
}
