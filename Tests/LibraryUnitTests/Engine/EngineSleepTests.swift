import Testing

@testable import ACCAudioRecorder

/// The engine with timestamps that show that the machine has slept.
@Suite struct EngineSleepTests {
    private static let fragmentFrames = 480

    /// Records segments of fragments, each given by the machine's total sleep time at that point, in seconds.
    ///
    /// - Parameter interruption: The interruption between the segments.
    private func record(
        _ segments: [[Double]], fillsGaps: Bool = false, interruption: RecordingInterruption? = nil
    ) async throws -> (report: RecordingReport, buffers: [AudioBufferData]) {
        let configuration = ACCAudioRecorder.Configuration(
            sampleRate: 48_000, channelCount: 2, bufferSize: UInt32(Self.fragmentFrames),
            interruptions: InterruptionPolicy(fillsGaps: fillsGaps))
        let source = AudioSource.made("counter")
        let broadcast = RecordingBroadcast()
        let streams = broadcast.subscribe()
        let engine = RecordingEngine(
            RecordingEngine.Settings(configuration), form: configuration.form(from: source.form), writers: [],
            broadcast: broadcast, warnings: RecordingWarnings(broadcast: broadcast))
        var number: UInt64 = 100
        for (index, segment) in segments.enumerated() {
            let ring = try CaptureRing(
                slotBytes: Self.fragmentFrames * source.sampleSpec.bytesPerFrame, waitingSlots: segment.count)
            for slept in segment {
                ring.nextFreeSlot()?.initializeMemory(as: UInt8.self, repeating: 1)
                ring.append(
                    FragmentStamp(
                        byteCount: ring.slotBytes, hostTime: number * 10_000_000,
                        arrivalTime: (number + 1) * 10_000_000,
                        timeAsleep: Int64(slept * 1e9)))
                number += 1
            }
            ring.close(.stopped)
            _ = engine.record(ring, from: source, as: source.form, after: index == 0 ? nil : interruption)
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

    @Test("I-12: each sleep is a gap of its own; sleep before the recording is not")
    func sleepsAreGaps() async throws {
        let report = try await record([[50, 50, 57, 57, 57, 60, 60]]).report
        #expect(report.gaps == [gap(at: 2, seconds: 7), gap(at: 5, seconds: 3)])
        #expect(report.frameCount == 7 * Self.fragmentFrames)
    }

    @Test("I-12: silence for a sleep has the host time at which the machine fell asleep")
    func silenceHasTheHostTimeOfTheSleep() async throws {
        let (report, buffers) = try await record([[0, 0, 2, 2]], fillsGaps: true)
        #expect(report.gaps == [gap(at: 2, seconds: 2, isFilled: true)])
        #expect(report.frameCount == 4 * Self.fragmentFrames + 96_000)
        let silent = buffers.filter { $0.toFloatArray()?.allSatisfy { $0 == 0 } == true }
        #expect(silent.count == 200)
        #expect(silent.allSatisfy { $0.hostTime == 1_020_000_000 })
        #expect(buffers.suffix(2).map(\.hostTime) == [1_020_000_000, 1_030_000_000])
    }

    @Test("I-12: sleep during an interruption counts as missing, sleep during a pause does not")
    func aSleepBetweenSegments() async throws {
        let paused = try await record([[0, 0], [9, 9]]).report
        #expect(paused.gaps.isEmpty)
        let interrupted = try await record([[0, 0], [9, 9]], interruption: .deviceLost).report
        #expect(interrupted.gaps == [gap(at: 2, seconds: 9)])
    }

    @Test("The jitter of reading clocks is not a sleep")
    func jitterIsNoSleep() async throws {
        #expect(try await record([[0, 0.001, 0, 0.000_5]]).report.gaps.isEmpty)
    }
}
