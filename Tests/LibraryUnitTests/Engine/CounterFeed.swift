import TestSupport

@testable import ACCAudioRecorder

/// A source of numbered frames, for an engine that runs faster than real time.
struct CounterFeed {
    let source = AudioSource.made("counter")

    /// Records a counter of this many frames to its end, in fragments of 480.
    func record(
        frames: Int, by engine: RecordingEngine, at startTime: UInt64 = 1_000_000_000,
        after interruption: RecordingInterruption? = nil
    ) async throws -> RecordingEngine.SegmentEnd {
        try await record(
            Signal.counter(frames: frames, channels: 2), by: engine, at: startTime, after: interruption)
    }

    /// Records these samples of two channels instead.
    func record(
        _ samples: [Int16], by engine: RecordingEngine, at startTime: UInt64 = 1_000_000_000,
        after interruption: RecordingInterruption? = nil
    ) async throws -> RecordingEngine.SegmentEnd {
        let synthetic = try SyntheticSource(samples: samples, sampleRate: 48_000, channelCount: 2)
        let backend = SyntheticBackend(synthetic, startTime: startTime)
        let settings = CaptureSettings(streamProperties: [:], fragmentFrames: 480, api: .asynchronous)
        let input = try SyntheticInput.open(
            backend, SyntheticConnection(backend: backend), backend.synthetic.source, settings, start: .atOnce)
        let end = Promise<RecordingEngine.SegmentEnd>()
        let source = source
        try DetachedThread.start("test") {
            end.fulfil(engine.record(input.ring, from: source, as: source.form, after: interruption))
        }
        // Stop after the last frame, or when the engine accepts no more.
        Task { await input.stop(.after(hostTime: MonotonicClock.now())) }
        let reason = await end.value
        await input.stop(.now)
        return reason
    }

    /// Creates an engine for recording the counter.
    func engine(
        _ configuration: ACCAudioRecorder.Configuration, _ broadcast: RecordingBroadcast,
        _ writers: [OutputWriter] = [], levelObserver: LevelObserver? = nil
    ) -> RecordingEngine {
        var settings = RecordingEngine.Settings(configuration)
        settings.waitsForOutputs = true
        return RecordingEngine(
            settings, form: configuration.form(from: source.form), writers: writers, broadcast: broadcast,
            warnings: RecordingWarnings(broadcast: broadcast), levelObserver: levelObserver)
    }

    /// Creates a writer for an output of that recording.
    func writer(
        _ output: RecordingOutput, of configuration: ACCAudioRecorder.Configuration, _ broadcast: RecordingBroadcast
    ) throws(ACCAudioRecorderError) -> OutputWriter {
        try OutputWriter(
            configuration.resolve(output, from: source.form, of: source), for: source, configuration: configuration,
            broadcast: broadcast)
    }
}
