@testable import ACCAudioRecorder

/// A source whose frames have numbers, for an engine that takes them faster than real time.
struct CounterFeed {
    let source = AudioSource.made("counter")
    var spec: SampleSpec { source.sampleSpec }

    /// Feeds a counter of so many frames in fragments of 480 and records it to its end.
    ///
    /// Frame n has n's low 15 bits in the first channel and the rest in the second.
    func record(
        frames: Int, by engine: RecordingEngine, at startTime: UInt64 = 1_000_000_000,
        after interruption: RecordingInterruption? = nil
    ) async throws -> RecordingEngine.StretchEnd {
        let ring = FragmentRing(slotBytes: 480 * spec.bytesPerFrame, minimumSlots: 8)
        try DetachedThread.start("test") {
            var first = 0
            while first < frames {
                guard let slot = ring.nextFreeSlot() else { continue }
                let count = min(480, frames - first)
                let samples = slot.bindMemory(to: Int16.self)
                for frame in 0..<count {
                    samples[2 * frame] = Int16((first + frame) & 0x7FFF)
                    samples[2 * frame + 1] = Int16((first + frame) >> 15)
                }
                let time = UInt64(first) * 1_000_000_000 / 48_000 + startTime
                ring.commit(.init(byteCount: 4 * count, hostTime: time, framesLostBefore: 0))
                first += count
            }
            ring.close()
        }
        let end = Promise<RecordingEngine.StretchEnd>()
        let source = source
        try DetachedThread.start("test") { end.fulfil(engine.record(ring, from: source, after: interruption)) }
        return await end.value
    }

    /// An engine for a recording of it.
    func engine(
        _ configuration: ACCAudioRecorder.Configuration, _ broadcast: RecordingBroadcast,
        _ writers: [OutputWriter] = [], levelObserver: LevelObserver? = nil
    ) -> RecordingEngine {
        RecordingEngine(
            configuration: configuration, form: configuration.outputForm(from: nil), writers: writers,
            broadcast: broadcast, warnings: RecordingWarnings(broadcast: broadcast),
            levelObserver: levelObserver)
    }

    /// The writer of an output of a recording of it.
    func writer(
        _ output: RecordingOutput, of configuration: ACCAudioRecorder.Configuration, _ broadcast: RecordingBroadcast
    ) throws -> OutputWriter {
        try OutputWriter(
            output, for: source, form: configuration.applying(output).outputForm(from: nil),
            configuration: configuration, broadcast: broadcast)
    }
}
