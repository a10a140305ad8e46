import Testing

@testable import ACCAudioRecorder

/// What the engine makes of fragments that come late and stay late.
@Suite struct EngineLossTests {
    private static let fragmentFrames = 480

    /// Records a second of fragments of 10 ms, and more after a fifth of a second that nobody delivers.
    ///
    /// - Parameter limit: In frames.
    private func report(limit: Int? = nil) async -> RecordingReport {
        let configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 2)
        let source = AudioSource.made("counter")
        let broadcast = RecordingBroadcast(bufferCapacity: 1_000)
        let engine = RecordingEngine(
            configuration: configuration, form: configuration.outputForm(from: nil), writers: [],
            broadcast: broadcast, warnings: RecordingWarnings(broadcast: broadcast))
        if let limit { engine.setLimit(Double(limit) / 48_000) }
        let ring = FragmentRing(
            slotBytes: Self.fragmentFrames * source.sampleSpec.bytesPerFrame, minimumSlots: 400)
        for number in UInt64(0)..<400 {
            ring.nextFreeSlot()?.initializeMemory(as: UInt8.self, repeating: 1)
            let time = 1_000_000_000 + number * 10_000_000 + (number < 100 ? 0 : 200_000_000)
            ring.commit(.init(byteCount: ring.slotBytes, hostTime: time, arrivalTime: time + 10_000_000))
        }
        ring.close()
        _ = engine.record(ring, from: source)
        return await engine.finish(.finished, source: source)
    }

    @Test("A loss is placed in the midst of the fragment that came late")
    func aLossIsWithinAFragment() async throws {
        let report = await report()
        #expect(report.gaps.map(\.position) == [100 * Self.fragmentFrames + Self.fragmentFrames / 2])
        #expect(abs(try #require(report.gaps.first).framesLost - 9_600) <= 1)
        #expect(report.frameCount == 400 * Self.fragmentFrames)
    }

    @Test("What is missing behind the limit is nothing that the recording lacks")
    func aLossBehindTheLimitIsNone() async {
        let limit = 100 * Self.fragmentFrames + 100
        let report = await report(limit: limit)
        #expect(report.gaps.isEmpty)
        #expect(report.frameCount == limit)
    }
}
