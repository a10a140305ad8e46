import Synchronization

@testable import ACCAudioRecorder

/// A connection to a server in memory.
final class MemoryConnection: CaptureConnection {
    private let server: MemoryServer
    private let observer = Mutex<(@Sendable (ServerChange) -> Void)?>(nil)
    let closed = Promise<Void>()
    private let isBroken = Atomic(false)

    init(_ server: MemoryServer) {
        self.server = server
    }

    func sourceCatalog() async throws(CaptureFailure) -> SourceCatalog {
        try requireLife()
        return SourceCatalog(sources: server.sources)
    }

    func source(index: UInt32, named name: String) async throws(CaptureFailure) -> AudioSource? {
        try await sourceCatalog().sources.first { $0.id == index && $0.name == name }
    }

    func sink(monitoredBy source: AudioSource) async throws(CaptureFailure) -> MonitoredSink? { nil }

    func recordStream(_ index: UInt32) async throws(CaptureFailure) -> RecordStream? { nil }

    func applicationStreams() async throws(CaptureFailure) -> [ApplicationStream] { [] }

    func calls() async throws(CaptureFailure) -> Set<CallStream> {
        try requireLife()
        return server.calls
    }

    func isCall(_ index: UInt32, isPlayback: Bool) async throws(CaptureFailure) -> Bool {
        try await calls().contains { $0.index == index && $0.isPlayback == isPlayback }
    }

    func observe(_ onChange: @escaping @Sendable (ServerChange) -> Void) async throws(CaptureFailure) {
        try requireLife()
        observer.withLock { $0 = onChange }
    }

    func open(
        _ source: AudioSource, _ settings: CaptureSettings, start: CaptureStart
    ) throws(ACCAudioRecorderError) -> any CaptureInput {
        let input = try server.open(source, settings, start)
        guard let input else {
            throw .audioEngineStartFailed(
                .init("cannot open the source '\(source.name)'", CaptureFailure(.noSuchSource, "No such entity")))
        }
        return input
    }

    func open(
        _ playback: ApplicationStream, of application: AudioSource, _ group: PlaybackGroup, _ settings: CaptureSettings,
        start: CaptureStart
    ) throws(ACCAudioRecorderError) -> any CaptureInput {
        try open(application, settings, start: start)
    }

    func send(_ change: ServerChange) {
        observer.withLock { $0 }?(change)
    }

    /// Called at the end of the server, after which the connection stays broken.
    func close() {
        isBroken.store(true, ordering: .relaxed)
        closed.fulfil(())
    }

    private func requireLife() throws(CaptureFailure) {
        if isBroken.load(ordering: .relaxed) { throw CaptureFailure(.noServer, "Connection terminated") }
    }
}
