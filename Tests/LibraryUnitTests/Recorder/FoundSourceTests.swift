import Testing

@testable import ACCAudioRecorder

/// Sources whose audio takes more memory than is allowed for it.
@Suite(.tags(.skipsAddressSanitizer, .skipsThreadSanitizer))
struct FoundSourceTests {
    /// Its ten minutes would take 29 GB.
    private static func source() throws -> SyntheticSource {
        try SyntheticSource(sampleRate: 384_000, channelCount: 32, frameCount: 0) { _, _ in 0 }
    }

    @Test("A pre-roll that takes too much memory is refused, and the recorder is free for a shorter one")
    func tooMuchIsRefused() async throws {
        let recorder = ACCAudioRecorder(
            configuration: .init(audioSessionMode: .measurement), source: try Self.source())
        let error = await #expect(throws: ACCAudioRecorderError.self) {
            try await recorder.prepareRecording(keeping: .seconds(600))
        }
        #expect("\(try #require(error))".contains("Choose a shorter pre-roll."))
        try await recorder.prepareRecording(keeping: .seconds(1))
        await recorder.discardRecording()
    }

    @Test("A source that is opened again keeps as much as there is memory for")
    func lessIsKept() async throws {
        var found = try await FoundSource(
            .init(audioSessionMode: .measurement), from: SyntheticBackend(try Self.source()))
        let input = try await found.open(.atOnce, keeping: 600, orLess: true)
        #expect((1..<60).contains(found.keptLength))
        await input.stop(.now)
    }
}
