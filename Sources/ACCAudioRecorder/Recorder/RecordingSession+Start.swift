import FoundationEssentials

extension RecordingSession {
    /// Refuses what is known to fail, finds the source, and creates the outputs while the source is opened. What a failed
    /// start created is removed.
    ///
    /// - Parameters:
    ///   - prepared: A source that waits to be begun; used where it is still as it was found.
    ///   - levelObserver: Told of the levels by the engine's thread.
    /// - Returns: The session, and the subscription that was there before the first frame.
    static func start(
        _ configuration: ACCAudioRecorder.Configuration, outputs: [RecordingOutput], limit: TimeInterval?,
        prepared: PreparedSource?, levelObserver: LevelObserver?
    ) async throws(ACCAudioRecorderError) -> (RecordingSession, RecordingStreams) {
        try configuration.validate(outputs: outputs)
        let readySource: PreparedSource
        if let prepared, await prepared.isReady {
            readySource = prepared
        } else {
            await prepared?.release()
            readySource = try await PreparedSource(configuration)
        }

        let source = readySource.source
        let captured = readySource.captured
        let configuration = configuration.resolved(for: captured)
        let broadcast = RecordingBroadcast(bufferCapacity: configuration.buffersKeptForASubscriber)
        let capture: Capture
        do throws(ACCAudioRecorderError) {
            try configuration.validate()
            capture = try readySource.begin()
        } catch {
            await readySource.release()
            throw error
        }
        var writers: [OutputWriter] = []
        do throws(ACCAudioRecorderError) {
            for output in outputs {
                let form = configuration.applying(output).resolved(for: captured).outputForm(from: captured)
                writers.append(
                    try OutputWriter(
                        output, for: source, form: form, configuration: configuration, broadcast: broadcast))
            }
            let warnings = RecordingWarnings(broadcast: broadcast)
            let engine = RecordingEngine(
                configuration: configuration, form: configuration.outputForm(from: captured), writers: writers,
                broadcast: broadcast, warnings: warnings, levelObserver: levelObserver)
            let session = RecordingSession(
                configuration, source: source, engine: engine, broadcast: broadcast, warnings: warnings)
            session.setLimit(limit)
            broadcast.send(state: RecordingState(isRecording: true, isPaused: false, currentDuration: 0))
            let streams = broadcast.subscribe()
            try await session.watchSource(readySource)
            try await capture.waitUntilOpen()
            // Ahead of the first frame, of which the engine tells.
            broadcast.events.send(.started(session.source))
            for path in writers.compactMap(\.path) { broadcast.events.send(.fileCreated(path: path)) }
            try await session.record(capture)
            for case .file(let path) in outputs.filter(\.replacesExisting).map(\.destination) {
                for part in NewFile.leftBehind(for: path) { warnings.tell(.leftBehind(part)) }
            }
            if let limit { for writer in writers { writer.warnOfRoom(upTo: limit) } }
            await session.watch?.follow(capture)
            return (session, streams)
        } catch {
            for writer in writers { await writer.discard().value }
            await capture.stop(.now)
            throw error
        }
    }
}
