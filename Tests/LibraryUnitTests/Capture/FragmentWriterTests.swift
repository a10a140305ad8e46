import Testing

@testable import ACCAudioRecorder

@Suite struct FragmentWriterTests {
    private static let largest = SampleSpec(format: .float32LE, sampleRate: 384_000, channelCount: 32)

    @Test("More audio than fits into the memory that is allowed for it is not kept, and the error says what helps")
    func mostKeptBytes() {
        do throws(ACCAudioRecorderError) {
            _ = try FragmentWriter(Self.largest, fragmentFrames: 1_024, keptLength: 600, start: .atOnce)
            Issue.record("29 GB are kept")
        } catch {
            #expect(error.failure?.reason == .system)
            #expect("\(error)".contains("600.0 s of audio") && "\(error)".contains("shorter pre-roll"), "\(error)")
        }
    }
}
