import Testing

@testable import ACCAudioRecorder

/// What the engine makes of stamps by which the machine has slept.
@Suite struct EngineSleepTests {
    private static let fragmentFrames = 480

    /// Records stretches of fragments, each of which has the time that the machine had slept by then, in seconds.
    ///
    /// - Parameter interruption: What came between the stretches.
    private func record(
        _ stretches: [[Double]], fillsGaps: Bool = false, interruption: RecordingInterruption? = nil
    ) async -> (report: RecordingReport, buffers: [AudioBufferData]) {
        let configuration = ACCAudioRecorder.Configuration(
            sampleRate: 48_000, channelCount: 2, bufferSize: UInt32(Self.fragmentFrames),
            interruptions: InterruptionPolicy(fillsGaps: fillsGaps))
        let source = AudioSource.made("counter")
        let broadcast = RecordingBroadcast(bufferCapacity: 1_000)
        let streams = broadcast.subscribe()
        let engine = RecordingEngine(
            configuration: configuration, form: configuration.outputForm(from: nil), writers: [],
            broadcast: broadcast, warnings: RecordingWarnings(broadcast: broadcast))
        var number: UInt64 = 100
        for (index, stretch) in stretches.enumerated() {
            let ring = FragmentRing(
                slotBytes: Self.fragmentFrames * source.sampleSpec.bytesPerFrame, minimumSlots: stretch.count)
            for slept in stretch {
                ring.nextFreeSlot()?.initializeMemory(as: UInt8.self, repeating: 1)
                ring.commit(
                    .init(
                        byteCount: ring.slotBytes, hostTime: number * 10_000_000,
                        arrivalTime: (number + 1) * 10_000_000,
                        timeAsleep: Int64(slept * 1e9)))
                number += 1
            }
            ring.close()
            _ = engine.record(ring, from: source, after: index == 0 ? nil : interruption)
        }
        broadcast.finish()
        var buffers: [AudioBufferData] = []
        for await buffer in streams.buffers { buffers.append(buffer) }
        return (await engine.finish(.finished, source: source), buffers)
    }

    private func gap(at fragment: Int, seconds: Int, isFilled: Bool = false) -> RecordingGap {
        RecordingGap(
            position: fragment * Self.fragmentFrames, framesLost: seconds * 48_000, sampleRate: 48_000, cause: .sleep,
            isFilled: isFilled)
    }

    @Test("I-12: a sleep is a gap, each by itself; what was slept before is none")
    func sleepsAreGaps() async {
        let report = await record([[50, 50, 57, 57, 57, 60, 60]]).report
        #expect(report.gaps == [gap(at: 2, seconds: 7), gap(at: 5, seconds: 3)])
        #expect(report.frameCount == 7 * Self.fragmentFrames)
    }

    @Test("I-12: silence in place of a sleep is of the moment at which the machine fell asleep")
    func silenceHasTheHostTimeOfTheSleep() async {
        let (report, buffers) = await record([[0, 0, 2, 2]], fillsGaps: true)
        #expect(report.gaps == [gap(at: 2, seconds: 2, isFilled: true)])
        #expect(report.frameCount == 4 * Self.fragmentFrames + 96_000)
        let silent = buffers.filter { $0.toFloatArray()?.allSatisfy { $0 == 0 } == true }
        #expect(silent.count == 200)
        #expect(silent.allSatisfy { $0.hostTime == 1_020_000_000 })
        #expect(buffers.suffix(2).map(\.hostTime) == [1_020_000_000, 1_030_000_000])
    }

    @Test("I-12: asleep while interrupted is missing, asleep while paused is not")
    func aSleepBetweenStretches() async {
        let paused = await record([[0, 0], [9, 9]]).report
        #expect(paused.gaps.isEmpty)
        let interrupted = await record([[0, 0], [9, 9]], interruption: .deviceLost).report
        #expect(interrupted.gaps == [gap(at: 2, seconds: 9)])
    }

    @Test("How exactly clocks are read is no sleep")
    func jitterIsNoSleep() async {
        #expect(await record([[0, 0.001, 0, 0.000_5]]).report.gaps.isEmpty)
    }
}
