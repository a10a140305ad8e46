import Testing

@testable import ACCAudioRecorder

/// Calls of other programs, by a clock that the test moves.
@Suite(.timeLimit(.minutes(1)))
struct CallInterruptionTests {
    @Test("I-01: the end of a call is waited for without a time limit")
    func aLongCall() async throws {
        let server = MemoryServer("near")
        var recording = try await MemoryRecording(
            of: server.recorder(of: "near", .init(timeout: .seconds(0.5), onCall: .pause)), from: server)
        server.beginCall(7)
        try await recording.waitForInterruption()
        let report = try await Self.report(afterCallOf: 60, server, &recording)
        #expect(report.ending == .finished && report.frameCount == 48_480)
        #expect(report.gaps.map(\.framesLost) == [3_600 * 48_000 + 4_800])
        #expect(report.gaps.map(\.cause) == [.interruption(.call)] && report.gaps.first?.position == 480)
    }

    @Test("I-01: a recording continues when all calls are over that have begun during it")
    func severalCalls() async throws {
        let server = MemoryServer("near")
        server.beginCall(1)
        var recording = try await MemoryRecording(of: server.recorder(of: "near", .init(onCall: .pause)), from: server)
        server.announce(.playback(.added, 1))
        try await server.advance(by: .milliseconds(990))
        server.beginCall(2)
        try await recording.waitForInterruption()
        server.beginCall(3)
        server.endCall(2)
        try await recording.wait(.seconds(1))
        #expect(await recording.recorder.isPausedState())
        server.endCall(3)
        try await server.advance(by: .milliseconds(100))
        try await recording.waitForResumption()
        await recording.recorder.finishRecording()
        let report = try await recording.report()
        #expect(recording.told == [.interrupted(.call), .resumed(server.sources[0]), .finished(report)])
        #expect(report.frameCount == 48_000)
    }

    @Test("I-01: programs that play a call and programs that record one interrupt alike", arguments: [true, false])
    func streams(isPlayback: Bool) async throws {
        let server = MemoryServer("near")
        var recording = try await MemoryRecording(of: server.recorder(of: "near", .init(onCall: .pause)), from: server)
        // A stream of no call has the same index.
        server.announce(isPlayback ? .stream(.added, 7) : .playback(.added, 7))
        server.beginCall(7, isPlayback: isPlayback)
        try await recording.waitForInterruption()
        try await recording.wait(.seconds(1))
        #expect(await recording.recorder.isPausedState())
        server.endCall(7, isPlayback: isPlayback)
        try await server.advance(by: .milliseconds(100))
        try await recording.waitForResumption()
        await recording.recorder.finishRecording()
        let report = try await recording.report()
        #expect(recording.told == [.interrupted(.call), .resumed(server.sources[0]), .finished(report)])
    }

    @Test("I-01: a call that begins while the source is away interrupts once the source is back")
    func aCallMeanwhile() async throws {
        let server = MemoryServer("near")
        var recording = try await MemoryRecording(of: server.recorder(of: "near", .init(onCall: .pause)), from: server)
        try await Self.unplug(server, &recording) {
            server.beginCall(7)
            try await $0.wait(.seconds(1))
        }
        try await recording.wait { $0 == .interrupted(.call) }
        let report = try await Self.report(afterCallOf: 3, server, &recording)
        // Nothing was recorded between the two interruptions, so there is one gap, by the first cause.
        #expect(report.gaps.map(\.cause) == [.interruption(.deviceLost)] && report.framesLost == 8_697_600)
        #expect(report.frameCount == 48_480)
    }

    @Test("I-01: a call that is over when the source is back does not interrupt")
    func aCallThatIsOver() async throws {
        let server = MemoryServer("near")
        var recording = try await MemoryRecording(of: server.recorder(of: "near", .init(onCall: .pause)), from: server)
        try await Self.unplug(server, &recording) { _ in
            server.beginCall(7)
            server.endCall(7)
        }
        try await Self.expectNoCall(server, &recording)
    }

    @Test("I-01: a call that begins in the user's pause does not interrupt what follows; the next one does")
    func aCallInAPause() async throws {
        let server = MemoryServer("near")
        var recording = try await MemoryRecording(of: server.recorder(of: "near", .init(onCall: .pause)), from: server)
        await recording.recorder.pauseRecording()
        server.beginCall(7)
        try await recording.recorder.resumeRecording()
        try await server.advance(by: .seconds(1))
        server.announce(.playback(.added, 7))
        server.beginCall(8)
        try await recording.wait { $0 == .interrupted(.call) }
        await recording.recorder.finishRecording()
        let report = try await recording.report()
        #expect(report.frameCount == 48_480 && report.framesLost == 0)
    }

    @Test("I-01: where calls are ignored, one at any time changes nothing")
    func ignored() async throws {
        let server = MemoryServer("near")
        server.beginCall(6)
        var recording = try await MemoryRecording(of: server.recorder(of: "near", .init(onCall: .ignore)), from: server)
        server.beginCall(7)
        try await server.advance(by: .seconds(1))
        try await Self.unplug(server, &recording) { _ in server.beginCall(8) }
        try await Self.expectNoCall(server, &recording)
    }

    @Test("A-01, I-01: a call of the application that is recorded is no interruption, one of another program is")
    func theApplicationsCall() async throws {
        let server = MemoryServer()
        let connection = MemoryConnection(server)
        for choice in [nil, ApplicationSelection.Choice(owner: StreamOwner(name: "Phone"), title: nil, streams: [])] {
            let application = ApplicationWatch("phone", choice, connection: connection)
            let watch = try await CallWatch(connection: connection, knowing: nil, except: application)
            server.beginCall(1, by: StreamOwner(name: "Phone"))
            #expect(await !watch.isNewCall(1, isPlayback: true))
            server.beginCall(2, by: StreamOwner(name: "Other"))
            #expect(await watch.isNewCall(2, isPlayback: true))
            for index: UInt32 in [2, 1] { server.endCall(index) }
            #expect(await !watch.hasNewCall)
        }
    }

    /// Unplugs the source of a recording, and plugs it in again once something has happened.
    private static func unplug(
        _ server: MemoryServer, _ recording: inout MemoryRecording, _ meanwhile: (MemoryRecording) async throws -> Void
    ) async throws {
        server.unplug("near")
        try await recording.waitForInterruption()
        try await recording.settle()
        try await meanwhile(recording)
        server.plugIn("near")
        try await server.advance(by: .milliseconds(100))
    }

    /// The report of a recording that waits for the end of call 7, so many minutes, and goes on for a second.
    private static func report(
        afterCallOf minutes: Int, _ server: MemoryServer, _ recording: inout MemoryRecording
    ) async throws -> RecordingReport {
        for _ in 1...minutes { try await recording.wait(.seconds(60)) }
        #expect(await recording.recorder.isPausedState())
        server.endCall(7)
        try await server.advance(by: .milliseconds(100))
        try await recording.waitForResumption()
        try await server.advance(by: .seconds(1))
        await recording.recorder.finishRecording()
        return try await recording.report()
    }

    /// Expects that a recording whose source has come back goes on, and that no call has interrupted it.
    private static func expectNoCall(_ server: MemoryServer, _ recording: inout MemoryRecording) async throws {
        try await recording.waitForResumption()
        try await server.advance(by: .seconds(1))
        await recording.recorder.finishRecording()
        #expect(try await recording.report().gaps.map(\.cause) == [.interruption(.deviceLost)])
        #expect(!recording.told.contains(.interrupted(.call)))
    }
}
