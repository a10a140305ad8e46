import Foundation
import TestSupport
import Testing

/// The terminal during a recording: job control, signals, and killed processes.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TerminalJobTests {
    /// Expects a readable header that covers at least half a second of the recorded second.
    private func expectThatTheTakeOpens(in directory: URL) async throws {
        let result = try await ChildProcess.run(["soxi", "-s", "take.wav"], in: directory)
        #expect(result.end == .exit(0), "\(result.standardError)")
        let frames = try #require(Int(result.text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(frames >= 24_000)
    }

    @Test("Ctrl-Z returns the terminal while the recording continues, and fg brings the meter back")
    func suspends() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.enter("stty -g >before; \(TmuxTerminal.recording)")
            try await terminal.waitForScreen("recording", TmuxTerminal.isRecording)
            try await terminal.press("C-z")
            try await terminal.waitForScreen("a prompt, and no meter") { screen in
                screen.contains { $0.contains("Stopped") } && screen.last == "$" && !TmuxTerminal.isRecording(screen)
            }
            try await terminal.enter("stty -g >during; cmp before during && echo the same")
            try await terminal.waitForScreen("the terminal as it was") { $0.contains("the same") }
            let recording = TestRecording(on: server)
            let end = recording.seconds + 1
            try await eventually("a second more") { recording.seconds > end }
            try await terminal.enter("fg; echo status $? >status; stty -g >after")
            try await terminal.waitForScreen("the meter", TmuxTerminal.isRecording)
            try await terminal.press("C-c")
            #expect(try await terminal.end(on: server) == "status 0\n")
            let report = try await terminal.waitForScreen("the report") { $0.contains { $0.hasPrefix("lost ") } }
            #expect(report.contains("lost      0 frames"), "\(report)")
        }
    }

    @Test(
        "A stopped job that is killed by the shell finishes the recording once, if it can, and leaves the terminal alone",
        arguments: [
            ("kill %1; bg; wait %1", 1),
            // The shell may still consider the job stopped, and not wait for it.
            ("kill -9 %1; while kill -0 %1 2>errors; do :; done", 0),
        ])
    func killedJobsLeaveATake(killing: String, reports: Int) async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.enter("stty -g >before; \(TmuxTerminal.recording)")
            try await terminal.waitForRecording(of: 1)
            try await terminal.press("C-z")
            try await terminal.waitForScreen("a prompt") { $0.last == "$" }
            try await terminal.enter("\(killing); echo status $? >status; stty -g >after")
            #expect(try await terminal.end(on: server) == "status 0\n")
            try await terminal.waitForScreen("\(reports) reports") { screen in
                screen.filter { $0.hasPrefix("lost ") }.count == reports
            }
            try await expectThatTheTakeOpens(in: server.directory)
        }
    }

    @Test(
        "Signals to the supervisor finish the recording and restore the terminal",
        arguments: [SIGTERM, SIGHUP, SIGINT])
    func signalsPutTheTerminalBack(number: Int32) async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.start("bash -c 'echo $$ >pid; exec \(TmuxTerminal.recording)'")
            kill(try server.processID(in: "pid"), number)
            #expect(try await terminal.end(on: server) == "status 0\n")
        }
    }

    @Test(
        "A hang-up that is ignored ends no recording, and a signal to either process counts, whatever the other one had"
    )
    func ignoredHangUp() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.start("bash -c 'trap \"\" HUP; echo $$ >pid; exec \(TmuxTerminal.recording)'")
            let front = try server.processID(in: "pid")
            let children = try String(contentsOfFile: "/proc/\(front)/task/\(front)/children", encoding: .utf8)
            let recorder = try #require(pid_t(children.trimmingCharacters(in: .whitespaces)))
            var next = 2
            for process in [front, front, recorder, recorder] {
                kill(process, SIGHUP)
                let recording = TestRecording(on: server, next == 2 ? "take.wav" : "take-00\(next - 1).wav")
                // More than the second in which both may have the same signal.
                let end = recording.seconds + 1.5
                try await eventually("what follows the hang-up") { recording.seconds > end }
                kill(process, SIGUSR1)
                try await eventually("file \(next)") { server.hasFile("take-00\(next).wav") }
                next += 1
            }
            try await terminal.press("C-c")
            #expect(try await terminal.end(on: server) == "status 0\n")
            #expect(try server.fileNames().filter { $0.hasSuffix(".wav") }.count == 5)
        }
    }

    @Test("A recording in the background whose file exists is refused at once, since it cannot ask")
    func backgroundTakeIsRefused() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try server.write("old", to: "take.wav")
            try await terminal.enter("\(TmuxTerminal.recording) & wait $!; echo status $? >status")
            try await eventually("the refusal") { (try? server.text("status")) == "status 11\n" }
            try await terminal.waitForScreen("why") { $0.contains { $0.contains("already exists") } }
            #expect(try server.text("take.wav") == "old")
        }
    }

    @Test("When the recording process is killed, the supervisor restores the terminal")
    func aKilledRecorderPutsTheTerminalBack() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.start("bash -c 'echo $$ >pid; exec \(TmuxTerminal.recording)'")
            // By then the file's header has been updated.
            try await terminal.waitForRecording(of: 1)
            let front = try server.processID(in: "pid")
            let children = try String(contentsOfFile: "/proc/\(front)/task/\(front)/children", encoding: .utf8)
            kill(try #require(pid_t(children.trimmingCharacters(in: .whitespaces))), SIGKILL)
            #expect(try await terminal.end(on: server) == "status 137\n")
            try await expectThatTheTakeOpens(in: server.directory)
        }
    }

    @Test("A recording ends in the terminal of a program that ignores the ends of its children")
    func endsDespiteIgnoredChildren() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.enter(
                "env --ignore-signal=CHLD \(TmuxTerminal.recording) --max 0.5; echo status $? >status")
            try await terminal.waitForScreen("the report and a prompt") {
                $0.contains("lost      0 frames") && $0.last == "$"
            }
            #expect(try server.text("status") == "status 0\n")
        }
    }

    @Test("When the supervisor is killed, the recording process finishes the recording")
    func aKilledFrontFinishesTheRecording() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.enter("bash -c 'echo $$ >pid; exec \(TmuxTerminal.recording) 2>errors'")
            func errors() -> String { (try? server.text("errors")) ?? "" }
            try await eventually("a recording") { errors().contains("recording from") }
            kill(try server.processID(in: "pid"), SIGKILL)
            try await terminal.waitForScreen("a prompt") { $0.last == "$" && $0.contains("Killed") }
            try await eventually("a report") { errors().contains("\nlost ") }
            #expect(try server.wav().frames > 0)
        }
    }

    @Test("A second Ctrl-C ends at once, and the file is valid")
    func aSecondCtrlCEndsAtOnce() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            // A reader that takes nothing prevents the recording from finishing.
            try await terminal.enter("mkfifo held.raw; sleep 100 <held.raw &")
            try await terminal.start("\(TmuxTerminal.recording) -o held.raw")
            try await terminal.waitForRecording(of: 1)
            try await terminal.press("C-c")
            try await terminal.waitForScreen("the end that waits") { $0.contains { $0.contains("FINISHING") } }
            // Two in quick succession count as one.
            try await eventually("a second one that is heard", within: 20) {
                try await terminal.press("C-c")
                return server.hasFile("after")
            }
            #expect(try await terminal.end(on: server) == "status 130\n")
            try await expectThatTheTakeOpens(in: server.directory)
        }
    }

    @Test(
        "Closing the terminal leaves a complete recording",
        arguments: [TmuxTerminal.recording, "\(TmuxTerminal.recording) --force"])
    func aClosedTerminalLeavesAWholeRecording(recording: String) async throws {
        try await TmuxTerminal.withAccrec(playing: nil) { terminal, server in
            try await terminal.enter("\(recording) --report report.json")
            try await terminal.waitForRecording(of: 1)
            try await terminal.close()
            let report = try await eventually("a report", within: 15) { try? server.report() }
            #expect(report.recording.ending == .finished && report.exitStatus == 0)
            try await expectThatTheTakeOpens(in: server.directory)
            #expect(try !server.fileNames().contains { $0.hasPrefix(".take") })
        }
    }

    @Test func startErrorLeavesTheTerminalAlone() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            let command = "accrec record -o take.wav -d nosuch"
            try await terminal.enter("stty -g >before; \(command); echo status $? >status; stty -g >after")
            #expect(try await terminal.end(on: server) == "status 8\n")
        }
    }

    @Test(
        "A recording that waits shows how long; what is typed meanwhile does not go to the shell",
        arguments: ["q", "C-c"])
    func waitsOnTheTerminal(key: String) async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            let command = "\(TmuxTerminal.recording) --start-in 1h --for 1:00"
            try await terminal.enter("stty -g >before; \(command)")
            let screen = try await terminal.waitForScreen("the countdown") {
                $0.contains { $0.hasPrefix("◌ BEGINS IN 59:") }
            }
            #expect(screen.contains { $0.contains("  at ") && $0.contains("  for 1:00.0") }, "\(screen)")
            try await terminal.enter("echo typed")
            try await terminal.press("C-z")
            try await terminal.waitForScreen("a prompt, and no countdown") { screen in
                screen.last == "$" && !screen.contains { $0.contains("BEGINS") }
            }
            try await terminal.enter("stty -g >during; cmp before during && echo the same")
            try await terminal.waitForScreen("the terminal as it was") { $0.contains("the same") }
            try await terminal.enter("fg; echo status $? >status; stty -g >after")
            try await terminal.waitForScreen("the countdown again") {
                $0.contains { $0.hasPrefix("◌ BEGINS IN 59:") }
            }
            try await terminal.enter("echo typed")
            try await terminal.press(key)
            #expect(try await terminal.end(on: server) == "status 1\n")
            let end = try await terminal.waitForScreen("the end") { $0.last == "$" }
            #expect(!end.contains { $0.contains("typed") || $0.contains("BEGINS") }, "\(end)")
        }
    }

    @Test("The countdown shows the source's levels and ends with the recording, whose meter follows")
    func aCountdownEndsWithTheRecording() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.enter("stty -g >before; \(TmuxTerminal.recording) --start-in 4 --for 2; stty -g >after")
            try await terminal.waitForScreen("the countdown") { screen in
                screen.contains { $0.hasPrefix("◌ BEGINS IN 0:0") } && screen.contains { $0.contains("█▒") }
            }
            try await terminal.waitForScreen("the recording", TmuxTerminal.isRecording)
            try await terminal.waitForScreen("the report") { $0.contains("lost      0 frames") && $0.last == "$" }
            #expect(try server.wav().frames == 96_000)
            try await terminal.enter("cmp before after && echo the same")
            try await terminal.waitForScreen("the terminal as it was") { $0.contains("the same") }
        }
    }

    @Test("A batch shows its takes and what it waits for; what is typed meanwhile does not go to the shell")
    func batchesUseTheTerminal() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try server.write(
                """
                [[take]]
                output = "take-{n}.wav"
                device = "room.monitor"
                duration = 4
                count = 2
                pause = "1h"
                """, to: "takes.toml")
            try await terminal.enter("stty -g >before; accrec batch takes.toml")
            try await terminal.waitForScreen("the first take") { screen in
                screen.contains { $0.contains("● REC  0:0") && $0.contains("  1/2 take-001.wav") }
                    && screen.contains { $0.contains("█▒") }
            }
            try await terminal.enter("echo typed")
            try await terminal.waitForScreen("the pause, below the result of the first take") { screen in
                guard let result = screen.firstIndex(where: { $0.hasPrefix("accrec: 1/2 take-001.wav: 0:04.000") }),
                    let wait = screen.firstIndex(where: { $0.hasPrefix("◌ BEGINS IN 59:") })
                else { return false }
                return result < wait
            }
            try await terminal.press("C-z")
            try await terminal.waitForScreen("a prompt, and no countdown") { screen in
                screen.last == "$" && !screen.contains { $0.contains("BEGINS") }
            }
            try await terminal.enter("fg; echo status $? >status; stty -g >after")
            try await terminal.waitForScreen("the countdown") { $0.contains { $0.hasPrefix("◌ BEGINS IN 59:") } }
            try await terminal.enter("echo typed")
            try await terminal.press("C-c")
            #expect(try await terminal.end(on: server) == "status 1\n")
            let end = try await terminal.waitForScreen("the end") { $0.last == "$" }
            #expect(!end.contains { $0.contains("typed") || $0.contains("BEGINS") }, "\(end)")
        }
    }
}
