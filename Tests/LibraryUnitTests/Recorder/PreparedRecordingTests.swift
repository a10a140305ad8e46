import Testing

@testable import ACCAudioRecorder

/// Recordings of a source that was opened in advance, by a clock that the test moves.
@Suite(.timeLimit(.minutes(1)))
struct PreparedRecordingTests {
    @Test("A prepared recording begins when it is started, not before; one that is discarded lets go of its source")
    func beginsAtTheStart() async throws {
        let server = MemoryServer("near")
        let recorder = server.recorder(of: "near")
        try await recorder.prepareRecording()
        #expect(server.streamCount == 1)
        try await server.advance(by: .milliseconds(500))
        var recording = try await MemoryRecording(of: recorder, from: server)
        try await server.advance(by: .milliseconds(490))
        await recorder.finishRecording()
        #expect(try await recording.report().frameCount == 24_000)
        #expect(await recording.runs == [.init(0, 24_000..<48_000)])
        #expect(server.streamCount == 0)

        try await recorder.prepareRecording()
        #expect(server.streamCount == 1)
        await recorder.discardRecording()
        #expect(server.streamCount == 0)
    }

    @Test("A recording with a pre-roll begins exactly that long before its start, where it has a marker")
    func preRoll() async throws {
        let server = MemoryServer("near")
        let recorder = server.recorder(of: "near")
        try await recorder.prepareRecording(keeping: .milliseconds(250))
        try await server.advance(by: .milliseconds(1_001))
        var recording = try await MemoryRecording(of: recorder, from: server)
        try await server.advance(by: .milliseconds(989))
        await recorder.finishRecording()
        #expect(try await recording.report().frameCount == 59_952)
        #expect(recording.markers.map(\.label) == ["trigger"] && recording.markers.map(\.frame) == [12_000])
        #expect(await recording.runs == [.init(0, 36_048..<96_000)])
    }

    @Test("A first subscription in a format of its own misses nothing of what was kept")
    func convertedSubscription() async throws {
        let server = MemoryServer("near")
        let recorder = server.recorder(of: "near")
        try await recorder.prepareRecording(keeping: .seconds(1))
        try await server.advance(by: .milliseconds(1_500))
        let audio = try recorder.buffers(format: .init(sampleRate: 16_000, channelCount: 1))
        try await recorder.startRecording()
        try await server.advance(by: .milliseconds(500))
        let report = try #require(await recorder.finishRecording())
        let buffers = await audio.ofOneRecording.buffers
        #expect(buffers.first?.timestamp == 0)
        #expect(buffers.allSatisfy { $0.sampleRate == 16_000 && $0.channelCount == 1 && $0.missedFrameLength == 0 })
        #expect(buffers.reduce(0) { $0 + 3 * Int($1.frameLength) } == report.frameCount)
    }
}
