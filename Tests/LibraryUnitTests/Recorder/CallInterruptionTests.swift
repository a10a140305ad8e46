import Testing

@testable import ACCAudioRecorder

/// Calls of other programs, by a clock that the test moves.
@Suite(.timeLimit(.minutes(1)))
struct CallInterruptionTests {
    @Test("I-01: the end of a call is waited for without a time limit")
    func aLongCall() async throws {
        let server = MemoryServer("near")
        var take = try await MemoryTake(
            of: server.recorder(of: "near", .init(timeout: 0.5, onCall: .pause)), from: server)
        server.beginCall(7)
        try await take.waitForInterruption()
        for _ in 1...60 { try await take.wait(.seconds(60)) }
        #expect(await take.recorder.isPausedState())
        server.endCall(7)
        try await server.advance(by: .milliseconds(100))
        try await take.waitForResumption()
        try await server.advance(by: .seconds(1))
        await take.recorder.finishRecording()
        let report = try await take.report()
        #expect(report.ending == .finished && report.frameCount == 48_480)
        #expect(report.gaps.map(\.framesLost) == [3_600 * 48_000 + 4_800])
        #expect(report.gaps.map(\.cause) == [.interruption(.call)] && report.gaps.first?.position == 480)
    }

    @Test("I-01: a recording continues when all calls are over that have begun during it")
    func severalCalls() async throws {
        let server = MemoryServer("near")
        server.beginCall(1)
        var take = try await MemoryTake(of: server.recorder(of: "near", .init(onCall: .pause)), from: server)
        server.announce(.playback(.added, 1))
        try await server.advance(by: .milliseconds(990))
        server.beginCall(2)
        try await take.waitForInterruption()
        server.beginCall(3)
        server.endCall(2)
        try await take.wait(.seconds(1))
        #expect(await take.recorder.isPausedState())
        server.endCall(3)
        try await server.advance(by: .milliseconds(100))
        try await take.waitForResumption()
        await take.recorder.finishRecording()
        let report = try await take.report()
        #expect(take.told == [.interrupted(.call), .resumed(server.sources[0]), .finished(report)])
        #expect(report.frameCount == 48_000)
    }
}
