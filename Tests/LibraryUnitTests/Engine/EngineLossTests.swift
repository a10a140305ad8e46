import Testing

@testable import ACCAudioRecorder

/// The engine with fragments that arrive late and stay late.
@Suite struct EngineLossTests {
    private static let fragmentFrames = 480

    /// Records one second of 10 ms fragments, and more after a loss of 0.2 s.
    ///
    /// - Parameter limit: In frames.
    private func report(limit: Int? = nil) async throws -> RecordingReport {
        let configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 2)
        let source = AudioSource.made("counter")
        let broadcast = RecordingBroadcast()
        let engine = RecordingEngine(
            RecordingEngine.Settings(configuration), form: configuration.form(from: source.form), writers: [],
            broadcast: broadcast, warnings: RecordingWarnings(broadcast: broadcast))
        if let limit { engine.controls.limit = Double(limit) / 48_000 }
        let ring = try CaptureRing(
            slotBytes: Self.fragmentFrames * source.sampleSpec.bytesPerFrame, waitingSlots: 400)
        for number in UInt64(0)..<400 {
            ring.nextFreeSlot()?.initializeMemory(as: UInt8.self, repeating: 1)
            let time = 1_000_000_000 + number * 10_000_000 + (number < 100 ? 0 : 200_000_000)
            ring.append(FragmentStamp(byteCount: ring.slotBytes, hostTime: time, arrivalTime: time + 10_000_000))
        }
        ring.close(.stopped)
        _ = engine.record(ring, from: source, as: source.form)
        return await engine.finish(.finished, source: source)
    }

    @Test(
        "An input that is away at the end is a gap until there, wherever the limit is", arguments: [nil, 300, 40_000])
    func anAbsenceLastsUntilTheEnd(limit: Int?) async throws {
        let configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 2)
        let source = AudioSource.made("counter")
        let broadcast = RecordingBroadcast()
        var settings = RecordingEngine.Settings(configuration)
        settings.inputNames = ["near", "far", "other", "late"]
        let engine = RecordingEngine(
            settings, form: configuration.form(from: source.form), writers: [], broadcast: broadcast,
            warnings: RecordingWarnings(broadcast: broadcast))
        if let limit { engine.controls.limit = Double(limit) / 48_000 }
        let ring = try CaptureRing(
            slotBytes: Self.fragmentFrames * source.sampleSpec.bytesPerFrame, waitingSlots: 120)
        func append(_ loss: InputLoss, frames: Int = 0, end: Int) {
            _ = ring.append(.partMissing(frames: frames, end: end, tag: loss.tag))
        }
        let gone = RecordingGap.Cause.interruption(.deviceLost)
        for number in UInt64(0)..<100 {
            // One that returns, and one that does not.
            if number == 0 { append(InputLoss(input: 1, cause: gone, isOpen: true), end: 0) }
            // One whose first frame may lie after the end.
            if number == 0 { append(InputLoss(input: 3, cause: gone), frames: 24_000, end: 24_000) }
            if number == 50 { append(InputLoss(input: 1, cause: gone), frames: 24_000, end: 0) }
            if number == 50 { append(InputLoss(input: 2, cause: gone, isOpen: true), end: -240) }
            ring.nextFreeSlot()?.initializeMemory(as: UInt8.self, repeating: 1)
            let time = 1_000_000_000 + number * 10_000_000
            ring.append(FragmentStamp(byteCount: ring.slotBytes, hostTime: time, arrivalTime: time + 10_000_000))
        }
        ring.close(.stopped)
        _ = engine.record(ring, from: source, as: source.form)
        let report = await engine.finish(.finished, source: source)
        let gaps = report.streamGaps.map { [$0.input ?? "", "\($0.position)", "\($0.framesLost)"] }
        switch limit {
        case nil:
            #expect(gaps == [["late", "24000", "24000"], ["far", "24000", "24000"], ["other", "48000", "24240"]])
        case 300: #expect(gaps == [["late", "300", "300"], ["far", "300", "300"]])
        default:
            #expect(gaps == [["late", "24000", "24000"], ["far", "24000", "24000"], ["other", "40000", "16240"]])
        }
        #expect(report.framesLost == 0 && report.hasLosses)
    }

    @Test("A loss is placed in the middle of the fragment that arrived late")
    func aLossIsWithinAFragment() async throws {
        let report = try await report()
        #expect(report.gaps.map(\.position) == [100 * Self.fragmentFrames + Self.fragmentFrames / 2])
        #expect(abs(try #require(report.gaps.first).framesLost - 9_600) <= 1)
        #expect(report.frameCount == 400 * Self.fragmentFrames)
    }

    @Test("A loss beyond the limit does not count")
    func aLossBehindTheLimitIsNone() async throws {
        let limit = 100 * Self.fragmentFrames + 100
        let report = try await report(limit: limit)
        #expect(report.gaps.isEmpty)
        #expect(report.frameCount == limit)
    }
}
