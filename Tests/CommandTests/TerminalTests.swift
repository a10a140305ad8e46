import Foundation
import TestSupport
import Testing

/// What a person sees, and what becomes of their terminal.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TerminalTests {
    /// Runs a body with a terminal, and a sink that a tone is played into.
    private func withTerminal(
        environment: [String: String] = [:], columns: Int = 80, rows: Int = 24,
        _ body: (TmuxTerminal, PrivateServer) async throws -> Void
    ) async throws {
        let tone = Signal.int16(Signal.sine(frequency: 1_000, peak: -12, rate: 48_000, channels: 2, frames: 48_000))
        try await TmuxTerminal.withAccrec(
            playing: tone, environment: environment, columns: columns, rows: rows, body)
    }

    private static let take = "accrec record -o take.wav -d room.monitor -c native -r native"

    private func isRecording(_ screen: [String]) -> Bool {
        screen.contains { $0.contains("REC  0:") && !$0.contains("REC  0:00.0") }
    }

    /// Starts a take between two looks at the terminal's settings, and waits until it runs.
    private func start(_ command: String, in terminal: TmuxTerminal) async throws {
        try await terminal.enter("stty -g >before; \(command); echo status $? >status; stty -g >after")
        try await terminal.waitForScreen("recording", isRecording)
    }

    /// Waits for the end of what `start` began.
    ///
    /// - Returns: Its status.
    private func end(in terminal: TmuxTerminal, on server: PrivateServer) async throws -> String {
        func text(_ name: String) -> String? {
            try? String(contentsOf: server.directory.appending(path: name), encoding: .utf8)
        }
        let after = try await eventually("the end of the take", within: 20) {
            text("after").flatMap { $0.isEmpty ? nil : $0 }
        }
        #expect(try #require(text("before")).contains(":"))
        #expect(text("before") == after)
        return try #require(text("status"))
    }

    /// A program that reads its header finds half a second at least, of the second that there was.
    private func expectThatTheTakeOpens(in directory: URL) async throws {
        let result = try await ChildProcess.run(["soxi", "-s", "take.wav"], in: directory)
        #expect(result.end == .exit(0), "\(result.standardError)")
        let frames = try #require(Int(result.text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(frames >= 24_000)
    }

    @Test func theMeterShowsStateLevelsScaleAndSource() async throws {
        try await withTerminal(columns: 100) { terminal, server in
            try await start(Self.take + " --max 1:00", in: terminal)
            let screen = try await terminal.waitForScreen("the file's size") { $0.contains { $0.contains("kB") } }
            let meter = screen.suffix(4)
            let status = try #require(meter.first)
            #expect(status.hasPrefix("● REC  0:0") && status.contains(" left  take.wav  "), "\(status)")
            #expect(status.hasSuffix("  no gaps"))
            let bars = meter.dropFirst().first ?? ""
            #expect(bars.contains("█▒") && bars.contains("-12.0") && bars.contains("-15.0"), "\(bars)")
            #expect(meter.dropFirst(2).first?.contains("-24") == true)
            #expect(meter.last?.contains("48000 Hz 2 ch s16le → 48000 Hz 2 ch s16 wav") == true)
            #expect(meter.last?.hasSuffix("? keys") == true)
            try await terminal.press("q")
            #expect(try await end(in: terminal, on: server) == "status 0\n")
            let report = try await terminal.waitForScreen("the report") { $0.contains { $0.hasPrefix("course") } }
            #expect(report.contains { $0.hasPrefix("written   take.wav: ") })
            #expect(report.contains { $0.hasPrefix("course    ▇") || $0.hasPrefix("course    ▆") }, "\(report)")
            #expect(!report.contains { $0.contains("REC  ") })
        }
    }

    @Test("Each width has its meter, and nothing is left of the one before")
    func resizes() async throws {
        try await withTerminal { terminal, server in
            try await start(Self.take, in: terminal)
            for columns in [20, 40, 200, 30, 80] {
                try await terminal.resize(columns: columns, rows: 24)
                let screen = try await terminal.waitForScreen("one meter in \(columns) columns") { screen in
                    screen.suffix(4).first?.contains("REC  ") == true && screen.last?.contains("Monitor") == true
                        && screen.filter { $0.contains("● REC") }.count == 1
                }
                #expect(screen.suffix(4).allSatisfy { $0.count < columns })
            }
            try await terminal.resize(columns: 80, rows: 2)
            try await terminal.waitForScreen("a meter of one line") { $0.last?.contains("● REC") == true }
            try await terminal.press("C-c")
            #expect(try await end(in: terminal, on: server) == "status 0\n")
        }
    }

    @Test("Keys pause, mark, split, ask before they discard, and help")
    func keysSteerTheTake() async throws {
        try await withTerminal { terminal, server in
            try await start(Self.take, in: terminal)
            try await terminal.press("?")
            try await terminal.waitForScreen("help") { $0.last?.contains("m mark  s split  d discard") == true }
            try await terminal.press("?")
            try await terminal.press("Space")
            let paused = try await terminal.waitForScreen("a pause") { $0.contains { $0.contains("‖ PAUSED") } }
            #expect(paused.last?.hasSuffix("space resumes") == true)
            try await terminal.press("Space")
            try await terminal.waitForScreen("recording again", isRecording)
            try await terminal.press("m")
            try await terminal.waitForScreen("a marker") { $0.contains { $0.contains("marker '1' at 0:") } }
            try await terminal.press("s")
            try await terminal.waitForScreen("a new file") { $0.contains { $0.contains("goes on in 'take-002.wav'") } }
            try await terminal.waitForScreen("its name in the meter") {
                $0.suffix(4).contains { $0.contains("  take-002.wav") }
            }
            try await terminal.press("d")
            try await terminal.waitForScreen("the question") { $0.last?.contains("Discard this take?") == true }
            try await terminal.press("n")
            try await terminal.waitForScreen("the take to go on") { $0.last?.contains("? keys") == true }
            try await terminal.press("q")
            #expect(try await end(in: terminal, on: server) == "status 0\n")
            let first = try PCMFile(wav: server.directory.appending(path: "take.wav"))
            let second = try PCMFile(wav: server.directory.appending(path: "take-002.wav"))
            #expect(first.frames > 0 && second.frames > 0)
            let labels = try String(contentsOf: server.directory.appending(path: "take.labels.txt"), encoding: .utf8)
            #expect(labels.split(separator: "\n").count == 1)
        }
    }

    @Test("A terminal that was stopped with Ctrl-S holds up nothing, and shows the take again when it goes on")
    func aStoppedTerminalHoldsUpNothing() async throws {
        try await withTerminal { terminal, server in
            try await start(Self.take, in: terminal)
            try await terminal.press("C-s")
            func byteCount() throws -> Int {
                let path = server.directory.appending(path: "take.wav").path
                return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            }
            // More than the ring holds, so that frames would be lost if the engine waited.
            let (before, seconds) = (try byteCount(), 6)
            try await eventually("\(seconds) seconds more in the file", within: 30) {
                try byteCount() > before + seconds * 192_000
            }
            let shown = TmuxTerminal.takeTime(on: try await terminal.screen()) ?? 0
            try await terminal.press("C-q")
            try await terminal.waitForTake(of: shown + Double(seconds) - 1)
            try await terminal.press("q")
            #expect(try await end(in: terminal, on: server) == "status 0\n")
            let report = try await terminal.waitForScreen("the report") { $0.contains { $0.hasPrefix("lost ") } }
            #expect(report.contains("lost      0 frames"), "\(report)")
        }
    }

    @Test func discardingLeavesNoFile() async throws {
        try await withTerminal { terminal, server in
            try await start(Self.take, in: terminal)
            try await terminal.press("d")
            try await terminal.waitForScreen("the question") { $0.last?.contains("Discard this take?") == true }
            try await terminal.press("y")
            #expect(try await end(in: terminal, on: server) == "status 0\n")
            try await terminal.waitForScreen("what became of it") { $0.contains { $0.hasSuffix(" is discarded.") } }
            #expect(!FileManager.default.fileExists(atPath: server.directory.appending(path: "take.wav").path))
        }
    }

    @Test("Ctrl-Z gives the terminal back while the recording goes on, and fg brings the meter back")
    func suspends() async throws {
        try await withTerminal { terminal, server in
            try await terminal.enter("stty -g >before; \(Self.take)")
            try await terminal.waitForScreen("recording", isRecording)
            try await terminal.press("C-z")
            try await terminal.waitForScreen("a prompt, and no meter") { screen in
                screen.contains { $0.contains("Stopped") } && screen.last == "$" && !isRecording(screen)
            }
            try await terminal.enter("stty -g >during; cmp before during && echo the same")
            try await terminal.waitForScreen("the terminal as it was") { $0.contains("the same") }
            let file = server.directory.appending(path: "take.wav").path
            let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
            try await eventually("a second more") {
                try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0 > size + 192_000
            }
            try await terminal.enter("fg; echo status $? >status; stty -g >after")
            try await terminal.waitForScreen("the meter", isRecording)
            try await terminal.press("C-c")
            #expect(try await end(in: terminal, on: server) == "status 0\n")
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
        try await withTerminal { terminal, server in
            try await terminal.enter("stty -g >before; \(Self.take)")
            try await terminal.waitForTake(of: 1)
            try await terminal.press("C-z")
            try await terminal.waitForScreen("a prompt") { $0.last == "$" }
            try await terminal.enter("\(killing); echo status $? >status; stty -g >after")
            #expect(try await end(in: terminal, on: server) == "status 0\n")
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
        try await withTerminal { terminal, server in
            try await start("bash -c 'echo $$ >pid; exec \(Self.take)'", in: terminal)
            let text = try String(contentsOf: server.directory.appending(path: "pid"), encoding: .utf8)
            kill(try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))), number)
            #expect(try await end(in: terminal, on: server) == "status 0\n")
        }
    }

    @Test("The process that records is killed: the other one puts the terminal back")
    func aKilledRecorderPutsTheTerminalBack() async throws {
        try await withTerminal { terminal, server in
            try await start("bash -c 'echo $$ >pid; exec \(Self.take)'", in: terminal)
            // Until then the file's header has been brought up to date.
            try await terminal.waitForTake(of: 1)
            let text = try String(contentsOf: server.directory.appending(path: "pid"), encoding: .utf8)
            let front = text.trimmingCharacters(in: .whitespacesAndNewlines)
            let children = try String(contentsOfFile: "/proc/\(front)/task/\(front)/children", encoding: .utf8)
            kill(try #require(pid_t(children.trimmingCharacters(in: .whitespaces))), SIGKILL)
            #expect(try await end(in: terminal, on: server) == "status 137\n")
            try await expectThatTheTakeOpens(in: server.directory)
        }
    }

    @Test("The process that the shell knows is killed: the other one finishes the take")
    func aKilledFrontFinishesTheTake() async throws {
        try await withTerminal { terminal, server in
            try await terminal.enter("bash -c 'echo $$ >pid; exec \(Self.take) 2>errors'")
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
        try await withTerminal { terminal, server in
            try await start(Self.take, in: terminal)
            try await terminal.waitForTake(of: 1)
            // A server that is stopped keeps the take from being finished.
            server.signal(SIGSTOP)
            try await terminal.press("C-c")
            try await terminal.press("C-c")
            let status = try await end(in: terminal, on: server)
            server.signal(SIGCONT)
            #expect(status == "status 130\n")
            try await expectThatTheTakeOpens(in: server.directory)
        }
    }

    @Test func anErrorAtTheStartLeavesTheTerminalAlone() async throws {
        try await withTerminal { terminal, server in
            let command = "accrec record -o take.wav -d nosuch"
            try await terminal.enter("stty -g >before; \(command); echo status $? >status; stty -g >after")
            #expect(try await end(in: terminal, on: server) == "status 8\n")
        }
    }

    @Test("Without UTF-8 there is ASCII, with NO_COLOR there are no colours, and a dumb terminal has no meter")
    func plainTerminals() async throws {
        try await withTerminal(environment: ["LC_ALL": "C", "NO_COLOR": "1"]) { terminal, server in
            try await terminal.enter("script -qc '\(Self.take)' typescript")
            let screen = try await terminal.waitForScreen("recording", isRecording)
            #expect(screen.suffix(4).joined().utf8.allSatisfy { $0 < 0x80 })
            #expect(screen.contains { $0.hasPrefix("* REC  0:") })
            try await terminal.press("q")
            try await terminal.waitForScreen("the report") { $0.contains { $0.hasPrefix("lost ") } && $0.last == "$" }
            let text = try String(contentsOf: server.directory.appending(path: "typescript"), encoding: .utf8)
            #expect(text.contains("\u{1B}[3A") && text.firstMatch(of: /\e\[[0-9;]*m/) == nil)

            try await terminal.enter("clear; TERM=dumb script -qc '\(Self.take) --force --max 1' typescript")
            try await terminal.waitForScreen("the report") { $0.contains { $0.hasPrefix("lost ") } && $0.last == "$" }
            let dumb = try String(contentsOf: server.directory.appending(path: "typescript"), encoding: .utf8)
            #expect(!dumb.contains("\u{1B}"))
        }
    }

    @Test("--color has the last word about colours")
    func colorsAreChosen() async throws {
        try await withTerminal(environment: ["NO_COLOR": "1"]) { terminal, server in
            let always = "script -qc '\(Self.take) --color always --max 1' always"
            let never = "unset NO_COLOR; script -qc '\(Self.take) --color never --max 1 --force' never"
            try await terminal.enter("\(always); \(never); echo both are over")
            try await terminal.waitForScreen("the end") { $0.contains("both are over") }
            for (name, hasColor) in [("always", true), ("never", false)] {
                let text = try String(contentsOf: server.directory.appending(path: name), encoding: .utf8)
                #expect(text.contains("\u{1B}[3A"), "a meter with --color \(name)")
                #expect((text.firstMatch(of: /\e\[[0-9;]*m/) != nil) == hasColor, "--color \(name)")
            }
        }
    }

    @Test func samplesAreNotWrittenToATerminal() async throws {
        try await withTerminal { terminal, _ in
            try await terminal.enter("accrec record -o -; echo status $?")
            let screen = try await terminal.waitForScreen("the end") { $0.contains("status 64") }
            #expect(screen.joined().contains("standard output is a terminal"))
        }
    }

    @Test("The level meter needs no file, and says at its end how loud it was")
    func metering() async throws {
        try await withTerminal { terminal, server in
            try await terminal.enter("accrec meter -d room.monitor --history")
            let screen = try await terminal.waitForScreen("levels over time") { screen in
                screen.contains { $0.hasPrefix("○ METER  0:0") }
                    && screen.contains { $0.contains("-55 ") && $0.contains("██") }
            }
            #expect(screen.contains { $0.contains("█▒") })
            try await terminal.press("q")
            try await terminal.waitForScreen("the report") { screen in
                screen.contains { $0.hasPrefix("level     channel 2: peak -12.0 dBFS") } && screen.last == "$"
            }
            let piped = try await AccrecProcess.run(
                ["meter", "-d", "room.monitor", "--max", "6"], on: server, in: server.directory)
            #expect(piped.end == .exit(0))
            // Every five seconds; on a busy machine a little later.
            let line = #/accrec: 0:05\.\d, peak -12\.0 dBFS, 0 clipped, 0 gaps\n/#
            #expect(piped.standardError.contains(line), "\(piped.standardError)")
        }
    }

    @Test func withoutATerminalThereIsNoMeterAndQuietSaysNothing() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let take = ["record", "-d", "room.monitor", "--color", "always", "-o"]
            let plain = try await AccrecProcess.run(
                take + ["plain.wav", "--max", "0.5"], on: server, in: server.directory)
            #expect(plain.end == .exit(0))
            #expect(!plain.standardError.contains { $0 == "\r" || $0 == "\u{1B}" })
            let quiet = try await AccrecProcess.run(
                take + ["quiet.wav", "--max", "0.5", "-q"], on: server, in: server.directory)
            #expect(quiet.end == .exit(0))
            #expect(quiet.standardError.isEmpty)
            let progress = try await AccrecProcess.run(
                take + ["progress.wav", "--max", "5.5", "--progress"], on: server, in: server.directory)
            #expect(progress.standardError.contains(" kB, peak -120.0 dBFS, 0 clipped, 0 gaps, room for "))
            #expect(!progress.standardError.contains { $0 == "\r" || $0 == "\u{1B}" })
        }
    }
}
