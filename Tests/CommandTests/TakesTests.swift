import Foundation
import TestSupport
import Testing

/// Takes of a recorder that is armed again after each (`--repeat`).
@Suite(.serialized, .timeLimit(.minutes(3)))
struct TakesTests {
    private static let preRoll = 4_800

    /// Waits until the source is open, and has delivered a pre-roll.
    private func waitUntilArmed(_ accrec: ChildProcess, on server: PrivateServer) async throws {
        try await eventually("an armed recorder: \(accrec.standardError)") {
            let status = try await server.recordingStatus()
            return status?.state == "armed" && status?.waitsFor == nil
        }
    }

    private func files(on server: PrivateServer) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: server.directory.path).filter { $0.hasSuffix(".wav") }
            .sorted()
    }

    @Test(
        "Each take begins at its start less the pre-roll, and no frame of one is in another",
        arguments: ServerKind.allCases)
    func takesShareNoFrame(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, _ in
            let options = [
                "-o", "note-{n}.wav", "-r", "48000", "-c", "2", "--encoding", "s16", "--pre-roll", "0.1", "--repeat",
                "--events", "events.jsonl", "--report", "report.json",
            ]
            let count = 12
            let result = try await server.record(options, from: "near") { accrec in
                try await waitUntilArmed(accrec, on: server)
                let refused = try await server.accrec(["ctl", "stop"], status: 1)
                #expect(refused.standardError.contains("no take is being recorded; 'stop --all' ends the recorder"))
                try await SampleClock.with(of: "near", on: server) { try await $0.wait(for: 1.5) }
                for number in 1...count {
                    let status = try #require(try await server.ctl(number % 2 == 0 ? "start" : "toggle-take").status)
                    #expect(status.take == number && status.file?.hasSuffix("/" + Self.name(number)) == true)
                    let end = try await server.ctl(number % 3 == 0 ? "toggle-take" : "stop")
                    // It is complete.
                    let length = try #require(end.report?.recording.frameCount)
                    #expect(try PCMFile(wav: server.file(Self.name(number))).int16.count == 2 * length)
                }
                #expect(try await server.ctl("status").status?.take == count)
                #expect(try await server.ctl("stop", "--all").ok)
            }
            #expect(result.standardError.contains("take \(count): recording from"), "\(result.standardError)")
            #expect(try files(on: server) == (1...count).map(Self.name))
            try expectNoSharedFrames(count, on: server)

            for number in 1...count {
                let report = try server.report(PathName.report(number)).recording
                #expect(report.outputs.first?.path?.hasSuffix(Self.name(number)) == true)
            }
            let events = EventsFile(on: server)
            #expect(try events.lines("opened").map(\.take) == Array(1...count))
            #expect(try events.lines("finished").map(\.take) == Array(1...count))
            try await events.expectValid()
        }
    }

    @Test("A take that is started while the one before is being completed begins then, and can be ended")
    func takesFollowAtOnce() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let options = [
                "-o", "note-{n}.wav", "-r", "48000", "-c", "2", "--encoding", "s16", "--pre-roll", "0.1", "--repeat",
                "--quiet",
            ]
            let count = 20
            try await server.record(options, from: "near") { accrec in
                try await waitUntilArmed(accrec, on: server)
                try await SampleClock.with(of: "near", on: server) { try await $0.wait(for: 1.5) }
                #expect(try await server.ctl("start").ok)
                for _ in 1..<count {
                    async let end = server.ctl("stop")
                    try await eventually("the next take") {
                        try await AccrecProcess.run(["ctl", "start"], on: server).end == .exit(0)
                    }
                    #expect(try await end.ok)
                }
                accrec.signal(SIGTERM)
            }
            #expect(try files(on: server) == (1...count).map(Self.name))
            try expectNoSharedFrames(count, on: server)
        }
    }

    private static func name(_ number: Int) -> String { "note-\(PathName.padded(number)).wav" }

    private enum PathName {
        static func padded(_ number: Int) -> String { String("00\(number)".suffix(3)) }
        static func report(_ number: Int) -> String { number == 1 ? "report.json" : "report-\(padded(number)).json" }
    }

    /// Expects files of a counter that increases from one to the next, by one if the next has less than its pre-roll.
    private func expectNoSharedFrames(_ count: Int, on server: PrivateServer) throws {
        var last: UInt32 = 0
        for number in 1...count {
            let recording = TestRecording(on: server, Self.name(number))
            #expect(try recording.breaksInSound().isEmpty)
            let numbers = try recording.counter().numbers.filter { $0 != 0 }
            let trigger = try #require(try WAVMarker.all(in: recording.url).first { $0.label == "trigger" }).frame
            #expect(trigger <= Self.preRoll && (number > 1 || trigger == Self.preRoll))
            let first = try #require(numbers.first)
            #expect(
                trigger == Self.preRoll ? first > last : first == last + 1, "take \(number): \(first) after \(last)")
            last = try #require(numbers.last)
        }
    }

    @Test(
        "SIGUSR2 starts and ends takes, a limit ends them, and SIGINT ends all"
    )
    func signalsAndLimits() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let options = [
                "-o", "note-{n}.wav", "-r", "48000", "-c", "2", "--encoding", "s16", "--pre-roll", "0.1", "--repeat",
                "--max", "1.5",
            ]
            try await server.record(options, from: "near") { accrec in
                try await waitUntilArmed(accrec, on: server)
                try await SampleClock.with(of: "near", on: server) { try await $0.wait(for: 1) }
                accrec.signal(SIGUSR2)
                try await TestRecording(on: server, "note-001.wav").wait(for: 0.3, accrec)
                accrec.signal(SIGUSR2)
                try await waitUntilArmed(accrec, on: server)
                for number in 2...3 {
                    #expect(try await server.ctl("start").status?.take == number)
                    try await eventually("the end of a take") {
                        try await server.recordingStatus()?.state == "armed"
                    }
                }
                #expect(try await server.ctl("start").ok)
                accrec.signal(SIGINT)
            }
            let lengths = try files(on: server).map { try PCMFile(wav: server.file($0)).int16.count / 2 }
            #expect(lengths.count == 4 && lengths[0] < 72_000 && lengths[3] < 72_000)
            #expect(lengths[1...2] == [72_000, 72_000])
            try expectNoSharedFrames(4, on: server)
        }
    }

    @Test("On a terminal space begins and ends takes, and the armed recorder shows their number and the last length")
    func takesOnATerminal() async throws {
        try await TmuxTerminal.withAccrec(columns: 100) { terminal, server in
            let command = "accrec record -o 'note-{n}.wav' -d room.monitor --pre-roll 0.5 --repeat"
            try await terminal.enter("\(command); echo status $? >status")
            try await terminal.waitForScreen("an armed recorder") { $0.contains { $0.contains("ARMED  keeps 500 ms") } }
            for number in 1...2 {
                try await terminal.press("Space")
                let recording = try await terminal.waitForScreen("take \(number)") { screen in
                    screen.contains { $0.contains("● REC  take \(number)  0:") && !$0.contains("  0:00.") }
                }
                #expect(recording.contains { $0.contains("space ends the take") }, "\(recording)")
                #expect(!recording.contains { $0.contains("ARMED") })
                try await terminal.press("Space")
                let count = number == 1 ? "1 take, the last 0:0" : "\(number) takes, the last 0:0"
                let armed = try await terminal.waitForScreen("armed again") { screen in
                    screen.contains { $0.contains("ARMED  keeps 500 ms") && $0.contains(count) }
                }
                #expect(armed.filter { $0.contains("ARMED") }.count == 1, "\(armed)")
                #expect(!armed.contains { $0.contains("● REC") }, "\(armed)")
                #expect(try server.wav(Self.name(number)).frames > 24_000)
            }
            try await terminal.press("C-c")
            try await terminal.waitForScreen("the end") { screen in
                screen.last == "$" && !screen.contains { $0.contains("ARMED") }
            }
            #expect(try server.text("status") == "status 0\n")
            #expect(try files(on: server) == (1...2).map(Self.name))
        }
    }

    @Test("Takes that a sound starts and silence ends are each sound, exactly", arguments: ServerKind.allCases)
    func takesBySound(kind: ServerKind) async throws {
        let length = 14_400
        // A sound of 0.3 s in each 0.9 s.
        let scene = (0..<43_200).flatMap { frame in
            let sample: Int16 = frame < length ? (frame % 64 < 32 ? 8_192 : -8_192) : 0
            return [sample, sample]
        }
        try await PrivateServer.withRoom(kind, playing: .samples(Signal.data(scene))) { server in
            let options = [
                "-o", "note-{n}.wav", "-r", "48000", "-c", "2", "--encoding", "s16", "--pre-roll", "0.1", "--repeat",
                "--start-on-sound", "-40", "--stop-on-silence", "0.2", "--quiet",
            ]
            try await server.record(options) { accrec in
                try await eventually("takes: \(accrec.standardError)") { try files(on: server).count > 8 }
                accrec.signal(SIGINT)
            }
            // The first sound may have begun before, and the last one may not be complete.
            let whole = try files(on: server).dropFirst().dropLast()
            for name in whole {
                let samples = try PCMFile(wav: server.file(name)).int16
                let sounding = (0..<samples.count / 2).filter { samples[2 * $0] != 0 }
                #expect(sounding.count == length, "\(name)")
                // Windows of 10 ms decide.
                let first = try #require(sounding.first)
                #expect((Self.preRoll..<Self.preRoll + 480).contains(first), "\(name)")
                let end = samples.count / 2 - (try #require(sounding.last) + 1)
                #expect((9_600..<9_600 + 480).contains(end), "\(name): \(end)")
            }
        }
    }
}
