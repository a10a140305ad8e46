import TestSupport
import Testing

@testable import ACCAudioRecorder

/// What a recording does when its source, or the server, is lost: with a server of several sources.
@Suite(.timeLimit(.minutes(1)))
struct LostSourceTests {
    @Test(
        "D-08: loss and return are told once, in order, whichever of them the server announces before or after",
        arguments: [true, false], [true, false])
    func lossAndReturn(isLossAnnouncedFirst: Bool, isReturnAnnounced: Bool) async throws {
        let server = MemoryServer("near", "other")
        var recording = try await MemoryRecording(of: server.recorder(of: "near"), from: server)
        try await server.advance(by: .milliseconds(990))
        let near = try #require(server.remove("near"))
        if isLossAnnouncedFirst {
            server.announce(.source(.removed, near.id))
            try await recording.wait { $0 == .deviceLost(near) }
            server.endStreams(of: near)
            try await recording.waitForInterruption()
        } else {
            server.endStreams(of: near)
            try await recording.waitForInterruption()
            server.announce(.source(.removed, near.id))
        }
        try await recording.wait(.seconds(1))
        #expect(server.streamCount == 0)
        server.plugIn("near", isAnnounced: isReturnAnnounced)
        let returned = try #require(server.sources.last)
        if isReturnAnnounced { try await recording.wait { $0 == .deviceReturned(returned) } }
        // The recorder asks at most every 100 ms, and without an announcement every second.
        try await server.advance(by: isReturnAnnounced ? .milliseconds(100) : .seconds(1))
        try await recording.waitForResumption()
        try await server.advance(by: .seconds(1))
        await recording.recorder.finishRecording()
        let report = try await recording.report()

        let gap = try #require(report.gaps.first)
        #expect(report.gaps.count == 1 && gap.cause == .interruption(.deviceLost))
        #expect(gap.position == 48_000 && (48_000...(isReturnAnnounced ? 52_800 : 96_000)).contains(gap.framesLost))
        #expect(
            recording.told == [
                .deviceLost(near), .interrupted(.deviceLost), .deviceReturned(returned), .resumed(returned), .gap(gap),
                .finished(report),
            ])
        #expect(returned.id != near.id)
        let first = 48_000 + gap.framesLost
        #expect(await recording.runs == [.init(near.id, 0..<48_000), .init(returned.id, first..<first + 48_000)])
    }

    @Test("A stream that fails while a pause ends it does not end the recording")
    func failureInAPause() async throws {
        let server = MemoryServer("near")
        var recording = try await MemoryRecording(of: server.recorder(of: "near"), from: server)
        try await server.advance(by: .milliseconds(990))
        server.failStops(CaptureFailure(.server, "it has failed"))
        await recording.recorder.pauseRecording()
        try await server.advance(by: .seconds(1))
        try await recording.recorder.resumeRecording()
        try await server.advance(by: .seconds(1))
        await recording.recorder.finishRecording()
        let report = try await recording.report()
        #expect(report.ending == .finished && report.frameCount == 96_000)
    }

    @Test("D-02: another source continues at once where the policy says so, and is kept when the first returns")
    func fallback() async throws {
        let server = MemoryServer("near", "far")
        var recording = try await MemoryRecording(
            of: server.recorder(of: "near", .init(onDisconnect: .fallback)), from: server)
        try await server.advance(by: .milliseconds(990))
        let near = try #require(server.remove("near"))
        server.announce(.source(.removed, near.id))
        try await recording.wait { $0 == .deviceLost(near) }
        server.endStreams(of: near)
        try await recording.waitForResumption()
        try await server.advance(by: .seconds(1))
        server.plugIn("near")
        try await server.advance(by: .seconds(1))
        await recording.recorder.finishRecording()
        let report = try await recording.report()
        // The default is now the other source.
        let far = try #require(server.sources.first)
        #expect(far.name == "far" && report.source == far && report.gaps.isEmpty)
        #expect(
            recording.told == [
                .deviceLost(near), .interrupted(.deviceLost), .fellBack(from: near, to: far), .resumed(far),
                .finished(report),
            ])
        #expect(await recording.runs == [.init(0, 0..<48_000), .init(1, 48_000..<144_000)])
    }

    @Test("D-02, I-07: without another source the recording says so once, and waits for one as long as the policy says")
    func noFallback() async throws {
        for returns in [true, false] {
            let server = MemoryServer("near")
            var recording = try await MemoryRecording(
                of: server.recorder(of: "near", .init(onDisconnect: .fallback, timeout: .seconds(10))), from: server)
            server.unplug("near")
            try await recording.wait { if case .switchFailed = $0 { true } else { false } }
            for _ in 1...99 { try await recording.wait(.milliseconds(100)) }
            #expect(await recording.recorder.isPausedState())
            if returns { server.plugIn("far") }
            try await server.advance(by: .milliseconds(100))
            if returns {
                try await recording.waitForResumption()
                await recording.recorder.finishRecording()
            }
            let report = try await recording.report()
            #expect(report.frameCount == 480)
            #expect(report.failures.first?.failure?.reason == (returns ? nil : .deviceLost))
            let failedSwitches = recording.told.count { if case .switchFailed = $0 { true } else { false } }
            #expect(failedSwitches == 1)
        }
    }

    @Test("D-03: other sources that come and go, and a default that changes, do nothing to a recording")
    func otherSources() async throws {
        let server = MemoryServer("near")
        var recording = try await MemoryRecording(
            of: server.recorder(of: "near", .init(onDisconnect: .stop)), from: server)
        for _ in 0..<3 {
            server.plugIn("other")
            server.setDefault("other")
            try await server.advance(by: .milliseconds(330))
            server.unplug("other")
            try await server.advance(by: .milliseconds(330))
        }
        await recording.recorder.finishRecording()
        let report = try await recording.report()
        #expect(recording.told == [.finished(report)])
        #expect(report.ending == .finished && report.framesLost == 0)
        #expect(await recording.runs == [.init(0, 0..<95_520)])
    }

    @Test("I-08: a server that is started again continues the recording, and what it missed is a gap")
    func restartedServer() async throws {
        let server = MemoryServer("near")
        var recording = try await MemoryRecording(of: server.recorder(of: "near"), from: server)
        server.kill()
        try await recording.waitForInterruption()
        #expect(recording.told == [.interrupted(.serverLost)])
        try await recording.wait(.seconds(2))
        server.restart()
        try await server.advance(by: .milliseconds(100))
        try await recording.waitForResumption()
        try await server.advance(by: .seconds(1))
        await recording.recorder.finishRecording()
        let report = try await recording.report()
        #expect(report.gaps.map(\.framesLost) == [100_800] && report.gaps.first?.cause == .interruption(.serverLost))
        #expect(await recording.runs == [.init(0, 0..<480), .init(0, 101_280..<149_280)])
    }

    @Test(
        "I-08: a restarted server has three seconds to find its devices, by the clock, before the policy counts",
        arguments: [true, false])
    func settlingServer(isInTime: Bool) async throws {
        let server = MemoryServer("near")
        var recording = try await MemoryRecording(
            of: server.recorder(of: "near", .init(onDisconnect: .stop)), from: server)
        server.kill()
        try await recording.waitForInterruption()
        server.remove("near")
        server.restart()
        try await recording.wait(.seconds(3))
        #expect(await recording.recorder.isPausedState())
        if isInTime { server.plugIn("near") }
        try await server.advance(by: .milliseconds(100))
        if isInTime {
            try await recording.waitForResumption()
            await recording.recorder.finishRecording()
        }
        let report = try await recording.report()
        #expect(report.failures.first?.failure?.reason == (isInTime ? nil : .deviceLost))
    }

    @Test("A recorder that is dropped while it waits for its source ends its recording, and opens the source no more")
    func dropped() async throws {
        let server = MemoryServer("near")
        var events: AsyncStream<RecordingEvent>.Iterator
        do {
            let recorder = server.recorder(of: "near")
            events = try await recorder.startRecording().events.makeAsyncIterator()
            try await server.advance(by: .seconds(1))
            let near = try #require(server.remove("near"))
            server.endStreams(of: near)
            while let event = await events.next() { if event == .interrupted(.deviceLost) { break } }
        }
        var last: RecordingEvent?
        while let event = await events.next() { last = event }
        #expect([last].compactMap(\.self).report?.ending == .finished)
        server.plugIn("near")
        try await server.advance(by: .seconds(2))
        #expect(server.streamCount == 0)
    }
}
