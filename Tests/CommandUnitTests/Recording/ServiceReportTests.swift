import ACCAudioRecorder
import Testing

@testable import AccrecCommands

/// What the service manager hears about a recording.
struct ServiceReportTests {
    private let begin = ContinuousClock.now

    private func state(_ phase: RecordingProgress.Phase, hasBegun: Bool = true) -> RecordingProgress {
        var state = RecordingProgress()
        if hasBegun { state.receive(.started(hostTime: 0)) }
        state.phase = phase
        return state
    }

    /// What is sent for the state, after the one before.
    private func lines(_ report: inout ServiceReport, _ phase: RecordingProgress.Phase) -> [String] {
        report.receive(state(phase))
        defer { report.didSend() }
        return report.unsentLines
    }

    private func isAlive(_ report: inout ServiceReport, frame: Int?, after seconds: Double) -> Bool {
        report.beat(frameCount: frame, at: begin + .seconds(seconds))
        defer { report.didSend() }
        return !report.unsentLines.isEmpty
    }

    @Test("A service is ready once, when it records or waits for its start, and each change of its status is told once")
    func readiness() {
        var report = ServiceReport()
        #expect(lines(&report, .armed) == ["STATUS=armed"])
        #expect(lines(&report, .waiting(InterruptionText("stalled"))) == ["STATUS=waiting: stalled"])
        #expect(lines(&report, .recording) == ["READY=1", "STATUS=recording"])
        #expect(lines(&report, .recording) == [])
        #expect(lines(&report, .paused) == ["STATUS=paused"])
        #expect(lines(&report, .scheduled(seconds: 9, time: "18:00:00")) == ["STATUS=scheduled: 18:00:00"])
        #expect(lines(&report, .scheduled(seconds: 8, time: "18:00:00")) == [])
        report.rest()
        #expect(report.unsentLines == ["STATUS=finishing"])
        report.stop()
        #expect(report.unsentLines == ["STATUS=finishing", "STOPPING=1"])
    }

    @Test("Of what could not be sent, the newest status is sent later, and nothing twice")
    func delays() {
        var report = ServiceReport()
        for phase in [RecordingProgress.Phase.recording, .paused, .recording] { report.receive(state(phase)) }
        for second in 0..<3 { report.beat(frameCount: second, at: begin + .seconds(second)) }
        #expect(report.unsentLines == ["READY=1", "STATUS=recording", "WATCHDOG=1"])
    }

    @Test(
        "A recording is alive while it grows or nothing is expected, not while its source is away or delivers nothing")
    func life() {
        var report = ServiceReport()
        _ = lines(&report, .armed)
        #expect(!isAlive(&report, frame: nil, after: 1))
        _ = lines(&report, .recording)
        #expect(isAlive(&report, frame: 100, after: 2))
        // A possible loss is judged for up to four seconds.
        #expect(isAlive(&report, frame: 100, after: 6))
        #expect(!isAlive(&report, frame: 100, after: 8))
        #expect(isAlive(&report, frame: 200, after: 9))
        _ = lines(&report, .waiting(InterruptionText("device unplugged")))
        #expect(!isAlive(&report, frame: 300, after: 10))
        for phase in [
            RecordingProgress.Phase.paused, .silent, .finishing, .scheduled(seconds: 1, time: "18:00"),
            .ready(keeping: 1, hasSource: true),
        ] {
            _ = lines(&report, phase)
            #expect(isAlive(&report, frame: 300, after: 100), "\(phase)")
        }
        _ = lines(&report, .ready(keeping: 1, hasSource: false))
        #expect(!isAlive(&report, frame: nil, after: 200))
        report.rest()
        report.didSend()
        #expect(isAlive(&report, frame: nil, after: 300))
    }

    @Test("A recording of an application is ready and alive while that plays nothing, once it has been found")
    func applications() {
        var report = ServiceReport()
        report.waitsForApplication = true
        #expect(lines(&report, .armed) == ["STATUS=armed"])
        var found = state(.armed)
        found.source = "Player"
        report.receive(found)
        #expect(report.unsentLines == ["READY=1"])
        report.didSend()
        #expect(isAlive(&report, frame: 0, after: 0) && isAlive(&report, frame: 0, after: 60))
    }

    @Test("A source that is opened again and has never delivered anything does not make a recording ready")
    func nothingYet() {
        var report = ServiceReport()
        report.receive(state(.recording, hasBegun: false))
        #expect(report.unsentLines == ["STATUS=recording"])
        report.didSend()
        #expect(!isAlive(&report, frame: 0, after: 0))
    }

    @Test("A file's name is one line of limited length, whatever it contains")
    func names() throws {
        var progress = RecordingProgress()
        progress.receive(.started(hostTime: 0))
        progress.phase = .recording
        progress.receive(
            .fileOpened(path: "a\nWATCHDOG=1\u{1B}[31m" + String(repeating: "ä", count: 5_000)))
        var report = ServiceReport()
        report.receive(progress)
        let status = try #require(report.unsentLines.last)
        #expect(!status.contains("\n") && !status.contains("\u{1B}") && status.utf8.count < 2_000)
        #expect(status.hasPrefix("STATUS=recording 'a"))
    }
}
