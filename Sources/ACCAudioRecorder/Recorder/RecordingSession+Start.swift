import FoundationEssentials

extension RecordingSession {
    /// Checks the configuration, finds the source, and creates the outputs while the source is being opened. If the
    /// start fails, what it created is removed.
    ///
    /// - Parameters:
    ///   - backend: The backend that has the source.
    ///   - prepared: A source opened in advance; used if it is still as it was found.
    ///   - trigger: When the start was asked for, in CLOCK_MONOTONIC nanoseconds.
    ///   - startTime: When the first frame is to be captured; nil for now.
    ///   - levelObserver: Called with the levels by the engine's thread.
    ///   - starting: Creates the outputs, and decides whether the recording begins.
    ///   - subscriptions: Get the recording from its first frame on.
    /// - Returns: The session, and streams made before the first frame.
    static func start(
        _ configuration: ACCAudioRecorder.Configuration, from backend: any CaptureBackend, outputs: [RecordingOutput],
        limit: TimeInterval?,
        prepared: FoundSource?, at trigger: UInt64, from startTime: UInt64?, levelObserver: LevelObserver?,
        starting: StartingOutputs, subscriptions: Subscriptions
    ) async throws(ACCAudioRecorderError) -> (RecordingSession, RecordingStreams) {
        try configuration.validate(outputs: outputs)
        let readySource: FoundSource
        if let prepared, await prepared.isUsable {
            readySource = prepared
        } else {
            await prepared?.release()
            readySource = try await FoundSource(configuration, from: backend)
        }

        let source = readySource.source
        let captured = readySource.captured
        let configuration = configuration.resolved(for: captured).reservingPlaces(of: outputs)
            .withinLimits(of: outputs)
        let broadcast = RecordingBroadcast(
            allowance: readySource.preRoll, waitsForSubscribers: backend.waitsForRecording
        ) {
            [weak tracks = readySource.tracks, inputs = configuration.inputs, layout = configuration.inputLayout] name
                throws(ACCAudioRecorderError) in
            // The configuration holds files whose followers hold the broadcast.
            try inputs.channels(ofInput: name, of: tracks, layout)
        }
        let input: any CaptureInput
        do throws(ACCAudioRecorderError) {
            try configuration.validate()
            input = try await readySource.begin()
        } catch {
            await readySource.release()
            throw error
        }
        let preRoll =
            readySource.isKeeping
            ? PreRoll(
                seconds: readySource.preRoll,
                trigger: startTime == nil ? readySource.soundTrigger ?? .time(trigger) : .none,
                earliest: readySource.earliest) : nil
        var writers: [OutputWriter] = []
        do throws(ACCAudioRecorderError) {
            for output in outputs {
                let track = output.input.flatMap { readySource.tracks?.channels(ofInput: $0) }
                let resolved = configuration.resolve(output, from: captured, of: source, track: track)
                let beginning = startTime ?? preRoll?.startTime(in: input.ring, source.sampleSpec)
                let writer = try await starting.create { () throws(ACCAudioRecorderError) in
                    try OutputWriter(
                        resolved, for: source, configuration: configuration, broadcast: broadcast,
                        preRollLength: startTime == nil ? preRoll?.seconds ?? 0 : 0, startTime: beginning)
                }
                guard let writer else { throw .abandoned(source) }
                writers.append(writer)
            }
            let warnings = RecordingWarnings(broadcast: broadcast)
            var settings = RecordingEngine.Settings(configuration, soundChannels: readySource.soundChannels)
            (settings.waitsForOutputs, settings.startTime) = (backend.waitsForRecording, startTime)
            let engine = RecordingEngine(
                settings, form: configuration.form(from: captured), writers: writers, broadcast: broadcast,
                warnings: warnings, levelObserver: levelObserver)
            let session = RecordingSession(
                configuration, backend: backend, found: readySource, engine: engine, broadcast: broadcast,
                warnings: warnings, startTime: startTime)
            session.setLimit(limit)
            broadcast.send(state: RecordingState(isRecording: true, isPaused: false, currentDuration: 0))
            let streams = broadcast.subscribe()
            try subscriptions.begin(broadcast)
            try await session.recorded.watch(readySource)
            try await input.waitUntilOpen()
            guard starting.begin() else { throw .abandoned(source) }
            // Must precede the engine's event for the first frame.
            broadcast.events.send(
                .opened(
                    source,
                    format: configuration.format(
                        from: captured, outputs: writers.map(\.output), inputs: readySource.tracks?.inputs ?? [])))
            if let similar = readySource.similarApplication {
                warnings.send(.unknownApplication(source.name, similar: similar))
            }
            for path in writers.compactMap(\.path) { broadcast.events.send(.fileOpened(path: path)) }
            try await session.record(input, as: captured, preRoll: preRoll)
            for case .file(let path) in outputs.filter(\.replacesExisting).map(\.destination) {
                for part in AtomicFile.leftBehind(for: path) { warnings.send(.leftBehind(part)) }
            }
            if let limit { for writer in writers { writer.warnOfRoom(upTo: limit) } }
            await session.recorded.follow(input)
            return (session, streams)
        } catch {
            for writer in writers { _ = await writer.discard().value }
            input.ring.endCopies()
            await input.stop(.now)
            broadcast.finish()
            subscriptions.end(broadcast)
            throw error
        }
    }
}
