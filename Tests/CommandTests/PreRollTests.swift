import Foundation
import TestSupport
import Testing

/// Recordings that begin with audio from before they were started.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PreRollTests {
    /// What starts a recording.
    private enum Trigger: String, CaseIterable {
        case signal, ctl
    }

    private func waitUntilArmed(_ accrec: ChildProcess, on server: PrivateServer) async throws {
        var last: RecordingStatus?
        try await eventually("an armed recording, but \(String(describing: last)): \(accrec.standardError)") {
            last = try await server.recordingStatus()
            return last?.state == "armed" && last?.waitsFor == nil
        }
    }

    /// Lets time pass.
    private func wait(_ length: Duration) async throws {
        let begin = ContinuousClock.now
        try await eventually("\(length)") { ContinuousClock.now - begin > length }
    }

    private func start(_ accrec: ChildProcess, by trigger: Trigger, on server: PrivateServer) async throws {
        switch trigger {
        case .signal: accrec.signal(SIGUSR2)
        case .ctl: try await server.accrec(["ctl", "start"])
        }
    }

    @Test(
        "A recording begins exactly its pre-roll before it was started, marked and dated",
        arguments: ServerKind.allCases)
    func takesBeginBeforeTheirStart(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, _ in
            for trigger in Trigger.allCases {
                let recording = TestRecording(on: server, "\(trigger).wav")
                let result = try await server.record(recording, with: ["--pre-roll", "0.75", "--bwf"], from: "near") {
                    accrec in
                    try await waitUntilArmed(accrec, on: server)
                    try await wait(.seconds(1.25))
                    #expect(!FileManager.default.fileExists(atPath: recording.url.path))
                    let before = Date()
                    try await start(accrec, by: trigger, on: server)
                    let after = Date()
                    try await recording.finish(accrec, after: 1.25)
                    let marker = try #require(try WAVMarker.all(in: recording.url).first)
                    #expect(marker.frame == 36_000 && marker.label == "trigger")
                    let broadcast = try #require(try BroadcastChunk(recording.url))
                    let started = Calendar.current.startOfDay(for: before)
                        .addingTimeInterval(Double(broadcast.timeReference + marker.frame) / 48_000)
                    let near = before - Tolerance.timeOfTrigger...after + Tolerance.timeOfTrigger
                    #expect(near.contains(started), "\(near) \(started)")
                }
                #expect(result.standardError.contains("lost      0 frames"), "\(result.standardError)")
                #expect(try recording.breaksInSound().isEmpty)
            }
        }
    }

    @Test(
        "Space and Enter start an armed recording on a terminal, exactly its pre-roll before",
        arguments: ["Space", "Enter"])
    func keysStartRecordings(key: String) async throws {
        try await TmuxTerminal.withAccrec(playing: .counter) { terminal, server in
            try await terminal.enter("\(TmuxTerminal.recording) --pre-roll 1")
            try await terminal.waitForScreen("an armed recording") { $0.contains { $0.contains("ARMED  keeps 1.0 s") } }
            try await wait(.seconds(1.5))
            try await terminal.press(key)
            try await terminal.waitForRecording(of: 1.5)
            try await terminal.press("q")
            let recording = TestRecording(on: server)
            try await terminal.waitForScreen("the end") { $0.contains { $0.contains("lost      0 frames") } }
            #expect(try WAVMarker.all(in: recording.url) == [WAVMarker(frame: 48_000, label: "trigger")])
            #expect(try recording.breaksInSound().isEmpty)
        }
    }

    @Test("Without as much audio before, a recording begins with the first frame there is; names are of that time")
    func shortPreRollIsTold() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let recording = TestRecording(on: server)
            try await server.record(recording, with: ["--pre-roll", "60"], from: "near") { accrec in
                try await waitUntilArmed(accrec, on: server)
                try await wait(.seconds(1))
                try await start(accrec, by: .ctl, on: server)
                try await recording.finish(accrec, after: 1)
            }
            let marker = try #require(try WAVMarker.all(in: recording.url).first)
            #expect(marker.frame > 24_000 && marker.frame < 20 * 48_000)
            #expect(try recording.breaksInSound().isEmpty)
        }
    }

    @Test("An armed recording that is stopped leaves nothing; one whose device is unplugged is armed again")
    func armedTakesEnd() async throws {
        try await Rooms.with(.pulseAudio) { server, microphone in
            let recording = TestRecording(on: server)
            try await server.record(recording, with: ["--pre-roll", "0.5"], from: "near") { accrec in
                try await waitUntilArmed(accrec, on: server)
                try await server.unloadModule(microphone)
                try await eventually("a recording without a source") {
                    try await server.recordingStatus()?.waitsFor == "its source"
                }
                let refused = try await server.accrec(["ctl", "start"], status: 1)
                #expect(refused.standardError.contains("its source is not there"))
                _ = try await Rooms.plugIn(to: server)
                try await waitUntilArmed(accrec, on: server)
                try await wait(.seconds(1))
                try await start(accrec, by: .signal, on: server)
                try await recording.finish(accrec, after: 0.5)
            }
            #expect(try WAVMarker.all(in: recording.url).first?.frame == 24_000)
            #expect(try recording.breaksInSound().isEmpty)

            let other = TestRecording(on: server, "other.wav")
            try await server.record(other, with: ["--pre-roll", "1"], from: "near", status: 1, within: 10) { accrec in
                try await waitUntilArmed(accrec, on: server)
                accrec.signal(SIGINT)
            }
            #expect(!server.hasFile("other.wav"))
        }
    }

    @Test("A scheduled recording begins its pre-roll before its time")
    func scheduledTakesHavePreRoll() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let recording = TestRecording(on: server)
            let options = ["--start-in", "4", "--pre-roll", "1", "--max", "2"]
            try await server.record(recording, with: options, from: "near", within: 30)
            #expect(try recording.counter().numbers.count == 96_000)
            #expect(try WAVMarker.all(in: recording.url).first?.frame == 48_000)
            #expect(try recording.breaksInSound().isEmpty)
        }
    }
}
