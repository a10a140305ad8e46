import Testing

@testable import ACCAudioRecorder

@Suite struct PulseRecordStreamTests {
    private static let spec = SampleSpec(format: .s16LE, sampleRate: 48_000, channelCount: 2)
    private static let hour = 3_600 * 48_000 * 4

    @Test(
        "Whatever a server states, a hole or a queue is none to an hour long",
        arguments: [(-1, 0), (4_800, 4_800), (1 << 60, hour), (.max, hour)])
    func plausibleLengths(stated: Int, plausible: Int) {
        #expect(PulseRecordStream.plausible(stated, Self.spec) == plausible)
    }
}
