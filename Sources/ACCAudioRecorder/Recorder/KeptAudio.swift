/// Audio that was copied from a ring, to be saved in a file of its own.
struct KeptAudio: Sendable {
    /// The copy, which is closed.
    let ring: CaptureRing
    let source: AudioSource
    /// The captured format.
    let captured: StreamFormat
    /// The length in seconds of its end that is saved.
    let seconds: Double

    /// Saves the copy as a recording with these settings would record its pre-roll.
    func save(
        to output: RecordingOutput, by configuration: ACCAudioRecorder.Configuration
    ) async throws(ACCAudioRecorderError) -> OutputReport {
        var configuration = configuration.resolved(for: captured)
        (configuration.soundActivation, configuration.splitting) = (nil, SplittingPolicy())
        configuration.retention = RetentionPolicy()
        try configuration.validate(outputs: [output])
        let broadcast = RecordingBroadcast()
        let preRoll = PreRoll(seconds: seconds, trigger: .none)
        let writer = try OutputWriter(
            configuration.resolve(output, from: captured, of: source), for: source, configuration: configuration,
            broadcast: broadcast, preRollLength: seconds, startTime: preRoll.startTime(in: ring, source.sampleSpec))
        var settings = RecordingEngine.Settings(configuration)
        settings.waitsForOutputs = true
        let engine = RecordingEngine(
            settings, form: writer.form, writers: [writer], broadcast: broadcast,
            warnings: RecordingWarnings(broadcast: broadcast))
        let end = Promise<RecordingEngine.SegmentEnd>()
        do throws(ACCAudioRecorderError) {
            try DetachedThread.start("save") { [self] in
                end.fulfil(engine.record(ring, from: source, as: captured, preRoll: preRoll))
            }
            switch await end.value {
            case .failed(let error), .outputsFailed(let error): throw error
            case .inputEnded, .limitReached, .silent, .endReached: break
            }
            guard engine.frameCount > 0 else { throw .noFrames(of: source) }
        } catch {
            _ = await writer.discard().value
            throw error
        }
        let report = await engine.finish(.finished, source: source)
        guard let saved = report.outputs.first else { throw .noFrames(of: source) }
        if let failure = saved.failure { throw failure }
        return saved
    }
}

extension RecordingSession {
    /// A copy of the audio that is kept; nil if none is.
    func keptAudio() async throws(CaptureFailure) -> KeptAudio? {
        guard keptLength > 0, let input = currentSegment?.input, let captured = try? captured(of: input.source),
            let copy = try await input.ring.copyRequests.copy()
        else { return nil }
        return KeptAudio(ring: copy, source: input.source, captured: captured, seconds: keptLength)
    }
}

extension FoundSource {
    /// A copy of the audio that is kept; nil if none is.
    func keptAudio() async throws(CaptureFailure) -> KeptAudio? {
        guard let copy = try await copyOfAudio() else { return nil }
        return KeptAudio(ring: copy, source: source, captured: captured, seconds: keptLength)
    }
}
