import Testing

@testable import ACCAudioRecorder

@Suite(.timeLimit(.minutes(1))) struct BranchesTests {
    private static func form(_ rate: Int) -> StreamFormat {
        StreamFormat(sampleRate: rate, channelMap: .standard(channelCount: 1))
    }

    private static func source(_ rate: Int) -> Branches.Source {
        Branches.Source(captured: form(rate), format: .s16LE, maximumFrames: 100)
    }

    @Test("A subscriber whose format cannot be converted to gets nothing, and ends nobody else's recording")
    func impossibleFormats() async throws {
        let broadcast = RecordingBroadcast()
        var branches = Branches(Self.form(8_000), writers: [], quality: .fastest, bufferFrames: 100)
        try branches.beginStretch(Self.source(1_000))
        let impossible = broadcast.audio(in: BufferFormat(sampleRate: 384_000, channelCount: 1)).subscribe()
        let possible = broadcast.audio(in: BufferFormat(sampleRate: 16_000, channelCount: 1)).subscribe()
        branches.serveSubscribers(of: broadcast, Self.source(1_000))
        for await _ in impossible { Issue.record("a buffer") }
        #expect(branches.all.map { $0.form.sampleRate } == [8_000, 16_000])

        // Another source, to whose rate neither is a possible ratio; the recording itself says so.
        #expect(throws: ACCAudioRecorderError.self) { try branches.beginStretch(Self.source(20)) }
        try branches.beginStretch(Self.source(50))
        for await _ in possible { Issue.record("a buffer") }
        #expect(branches.all.map { $0.form.sampleRate } == [8_000])
    }
}
