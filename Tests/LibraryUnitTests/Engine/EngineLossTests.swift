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
        let broadcast = RecordingBroadcast(bufferCapacity: 1_000)
        let engine = RecordingEngine(
            RecordingEngine.Settings(configuration), form: configuration.form(from: source.form), writers: [],
            broadcast: broadcast, warnings: RecordingWarnings(broadcast: broadcast))
        if let limit { engine.setLimit(Double(limit) / 48_000) }
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
