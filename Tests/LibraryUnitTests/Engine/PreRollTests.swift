import Testing

@testable import ACCAudioRecorder

/// Where a recording begins in a ring of a second, in fragments of 10 ms.
@Suite struct PreRollTests {
    private static let spec = SampleSpec(format: .s16LE, sampleRate: 48_000, channelCount: 2)

    private static func ring() throws -> CaptureRing {
        var writer = try FragmentWriter(spec, fragmentFrames: 480, keptLength: 1, start: .atOnce)
        let silence = [UInt8](repeating: 0, count: 1_920)
        for number in 0..<100 {
            let time = 1_000_000_000 + UInt64(number) * 10_000_000
            let stamp = FragmentStamp(byteCount: 1_920, hostTime: time, arrivalTime: time + 10_000_000)
            _ = silence.withUnsafeBytes { writer.write($0, stamp) }
        }
        return writer.ring
    }

    @Test(
        "A recording begins so long before the trigger, whose frame may not have arrived; but a stalled source brings none",
        arguments: [
            // The trigger in milliseconds after the newest frame, and the number of frames that are not recorded.
            (-500, 14_400), (0, 38_400), (100, 43_200), (200, 48_000), (240, 49_920), (300, 38_400), (900, 38_400),
        ])
    func beginnings(trigger: Int, skipped: Int) throws {
        let time = UInt64(2_000 + trigger) * 1_000_000
        let beginning = PreRoll(seconds: 0.2, trigger: .time(time)).beginning(in: try Self.ring(), Self.spec)
        #expect(beginning == .init(skipped: skipped, kept: 9_600))
    }
}
