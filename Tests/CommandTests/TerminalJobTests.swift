import Foundation
import TestSupport
import Testing

/// What becomes of a person's terminal: jobs, signals, and processes that are killed.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TerminalJobTests {
    /// A program that reads its header finds half a second at least, of the second that there was.
    private func expectThatTheTakeOpens(in directory: URL) async throws {
        let result = try await ChildProcess.run(["soxi", "-s", "take.wav"], in: directory)
        #expect(result.end == .exit(0), "\(result.standardError)")
        let frames = try #require(Int(result.text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(frames >= 24_000)
    }

    @Test("Ctrl-Z gives the terminal back while the recording goes on, and fg brings the meter back")
    func suspends() async throws {
        try await TmuxTerminal.withTone { terminal, server in
            try await terminal.enter("stty -g >before; \(TmuxTerminal.take)")
            try await terminal.waitForScreen("recording", TmuxTerminal.isRecording)
            try await terminal.press("C-z")
            try await terminal.waitForScreen("a prompt, and no meter") { screen in
                screen.contains { $0.contains("Stopped") } && screen.last == "$" && !TmuxTerminal.isRecording(screen)
            }
            try await terminal.enter("stty -g >during; cmp before during && echo the same")
            try await terminal.waitForScreen("the terminal as it was") { $0.contains("the same") }
            let file = server.directory.appending(path: "take.wav").path
            let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
            try await eventually("a second more") {
                try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0 > size + 192_000
            }
            try await terminal.enter("fg; echo status $? >status; stty -g >after")
            try await terminal.waitForScreen("the meter", TmuxTerminal.isRecording)
            try await terminal.press("C-c")
            #expect(try await terminal.end(on: server) == "status 0\n")
            let report = try await terminal.waitForScreen("the report") { $0.contains { $0.hasPrefix("lost ") } }
            #expect(report.contains("lost      0 frames"), "\(report)")
        }
    }

    @Test(
        "A stopped job that is killed with its shell's own word finishes, once, where it can, and leaves the terminal alone",
        arguments: [
            ("kill %1; bg; wait %1", 1),
            // A shell may still take the job for a stopped one, and not wait for it.
            ("kill -9 %1; while kill -0 %1 2>errors; do :; done", 0),
        ])
    func killedJobsLeaveATake(killing: String, reports: Int) async throws {
        try await TmuxTerminal.withTone { terminal, server in
            try await terminal.enter("stty -g >before; \(TmuxTerminal.take)")
            try await terminal.waitForTake(of: 1)
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
        "Signals to the process that the shell knows finish the take, and put the terminal back",
        arguments: [SIGTERM, SIGHUP, SIGINT])
    func signalsPutTheTerminalBack(number: Int32) async throws {
        try await TmuxTerminal.withTone { terminal, server in
            try await terminal.start("bash -c 'echo $$ >pid; exec \(TmuxTerminal.take)'")
            let text = try String(contentsOf: server.directory.appending(path: "pid"), encoding: .utf8)
            kill(try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))), number)
            #expect(try await terminal.end(on: server) == "status 0\n")
        }
    }

    @Test("The process that records is killed: the other one puts the terminal back")
    func aKilledRecorderPutsTheTerminalBack() async throws {
        try await TmuxTerminal.withTone { terminal, server in
            try await terminal.start("bash -c 'echo $$ >pid; exec \(TmuxTerminal.take)'")
            // Until then the file's header has been brought up to date.
            try await terminal.waitForTake(of: 1)
            let text = try String(contentsOf: server.directory.appending(path: "pid"), encoding: .utf8)
            let front = text.trimmingCharacters(in: .whitespacesAndNewlines)
            let children = try String(contentsOfFile: "/proc/\(front)/task/\(front)/children", encoding: .utf8)
            kill(try #require(pid_t(children.trimmingCharacters(in: .whitespaces))), SIGKILL)
            #expect(try await terminal.end(on: server) == "status 137\n")
            try await expectThatTheTakeOpens(in: server.directory)
        }
    }

    @Test("The process that the shell knows is killed: the other one finishes the take")
    func aKilledFrontFinishesTheTake() async throws {
        try await TmuxTerminal.withTone { terminal, server in
            try await terminal.enter("bash -c 'echo $$ >pid; exec \(TmuxTerminal.take) 2>errors'")
            func errors() -> String {
                (try? String(contentsOf: server.directory.appending(path: "errors"), encoding: .utf8)) ?? ""
            }
            try await eventually("a take") { errors().contains("recording from") }
            let text = try String(contentsOf: server.directory.appending(path: "pid"), encoding: .utf8)
            kill(try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))), SIGKILL)
            try await terminal.waitForScreen("a prompt") { $0.last == "$" && $0.contains("Killed") }
            try await eventually("a report") { errors().contains("\nlost ") }
            #expect(try PCMFile(wav: server.directory.appending(path: "take.wav")).frames > 0)
        }
    }

    @Test("A second Ctrl-C ends at once, and the file is valid")
    func aSecondCtrlCEndsAtOnce() async throws {
        try await TmuxTerminal.withTone { terminal, server in
            try await terminal.start()
            try await terminal.waitForTake(of: 1)
            // A server that is stopped keeps the take from being finished.
            server.signal(SIGSTOP)
            try await terminal.press("C-c")
            try await terminal.press("C-c")
            let status = try await terminal.end(on: server)
            server.signal(SIGCONT)
            #expect(status == "status 130\n")
            try await expectThatTheTakeOpens(in: server.directory)
        }
    }

    @Test func anErrorAtTheStartLeavesTheTerminalAlone() async throws {
        try await TmuxTerminal.withTone { terminal, server in
            let command = "accrec record -o take.wav -d nosuch"
            try await terminal.enter("stty -g >before; \(command); echo status $? >status; stty -g >after")
            #expect(try await terminal.end(on: server) == "status 8\n")
        }
    }
}
