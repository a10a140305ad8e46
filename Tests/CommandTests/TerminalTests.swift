import Foundation
import TestSupport
import Testing

/// The display on a terminal.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TerminalTests {
    @Test func theMeterShowsStateLevelsScaleAndSource() async throws {
        try await TmuxTerminal.withAccrec(columns: 100) { terminal, server in
            try await terminal.start(TmuxTerminal.recording + " --max 1:00")
            let screen = try await terminal.waitForScreen("the file's size") { $0.contains { $0.contains("kB") } }
            let meter = screen.suffix(5)
            let status = try #require(meter.first)
            #expect(status.hasPrefix("● REC  0:0") && status.contains(" left  take.wav  "), "\(status)")
            #expect(status.hasSuffix("  no gaps"))
            for (bar, name) in zip(meter.dropFirst(), ["L", "R"]) {
                #expect(bar.hasPrefix("\(name)▕██") && bar.contains("█▒"), "\(bar)")
                #expect(bar.hasSuffix("-15.0  -12.0"), "\(bar)")
            }
            #expect(meter.dropFirst(3).first?.contains("-24") == true)
            #expect(meter.last?.contains("48000 Hz 2 ch s16le → 48000 Hz 2 ch s16 wav") == true)
            #expect(meter.last?.hasSuffix("? keys") == true)
            try await terminal.press("q")
            #expect(try await terminal.end(on: server) == "status 0\n")
            let report = try await terminal.waitForScreen("the report") { $0.contains { $0.hasPrefix("levels") } }
            #expect(report.contains { $0.hasPrefix("written   take.wav: ") })
            // From the highest peak down: a steady tone is at the top.
            #expect(report.contains { $0.hasPrefix("levels    █") }, "\(report)")
            #expect(!report.contains { $0.contains("REC  ") })
        }
    }

    @Test("The meter adapts to each width and height, and leaves no remains of the previous one")
    func resizes() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.start()
            for (columns, rows) in [(20, 24), (40, 24), (200, 24), (30, 24), (80, 24), (80, 5)] {
                try await terminal.resize(columns: columns, rows: rows)
                // A narrow window has room for the bars, but not for their names and numbers side by side.
                let lineCount = rows > 5 ? 5 : 4
                let screen = try await terminal.waitForScreen("one meter in \(columns) by \(rows)") { screen in
                    screen.suffix(lineCount).first?.contains("REC  ") == true
                        && screen.last?.contains("Monitor") == true
                        && screen.filter { $0.contains("● REC") }.count == 1
                }
                #expect(screen.suffix(lineCount).allSatisfy { $0.count < columns })
            }
            try await terminal.resize(columns: 80, rows: 2)
            try await terminal.waitForScreen("a meter of one line") { $0.last?.contains("● REC") == true }
            try await terminal.press("C-c")
            #expect(try await terminal.end(on: server) == "status 0\n")
        }
    }

    @Test("A window that becomes smaller and larger again has no remains, and all that was there before")
    func shrinksAndGrows() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.enter("seq 100 200")
            try await terminal.start()
            for (columns, rows) in [(40, 5), (80, 24), (80, 4), (80, 24)] {
                try await terminal.resize(columns: columns, rows: rows)
                try await terminal.waitForScreen("one meter in \(columns) by \(rows)") { screen in
                    let isLarge = rows == 24
                    return screen.last?.contains("Monitor") == true
                        && screen.filter { $0.contains("● REC") }.count == 1
                        && screen.filter { $0.contains("▕") }.count == (isLarge ? 2 : 1)
                        && (!isLarge || screen.contains("200"))
                }
            }
            try await terminal.press("q")
            #expect(try await terminal.end(on: server) == "status 0\n")
        }
    }

    @Test("The history leaves no remains of itself when the window becomes smaller, and larger again")
    func theHistoryIsClean() async throws {
        try await TmuxTerminal.withAccrec { terminal, _ in
            try await terminal.enter("echo before; accrec meter -d room.monitor --history")
            for (columns, rows) in [(80, 24), (40, 24), (120, 24), (80, 10), (80, 24), (30, 8), (100, 30)] {
                try await terminal.resize(columns: columns, rows: rows)
                try await terminal.waitForScreen("one history in \(columns) by \(rows)") { screen in
                    screen.filter { $0.hasPrefix("○ METER") }.count == 1
                        && screen.filter { $0.hasSuffix(" now") && $0.count == columns - 1 }.count == (rows > 8 ? 1 : 0)
                        && screen.filter { $0.hasPrefix("  0 ") || $0 == "  0" }.count == (rows > 8 ? 1 : 0)
                        && screen.filter { $0.contains("█▒") }.count <= 2
                        && screen.last?.hasPrefix("Monitor") == (rows <= 8)
                }
            }
            try await terminal.press("q")
            try await terminal.waitForScreen("the report, and no history") { screen in
                screen.contains("before") && screen.contains { $0.hasPrefix("level     channel 2") }
                    && !screen.contains { $0.contains("█") }
            }
        }
    }

    @Test("During a pause the meter shows the levels of the source, dimmed, and what it measures is not in the file")
    func levelsGoOnInAPause() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.start(TmuxTerminal.recording + " --report report.json")
            try await terminal.press("Space")
            try await terminal.waitForScreen("levels in the pause") { screen in
                screen.contains { $0.contains("PAUSED") } && screen.contains { $0.hasSuffix("-15.0  -12.0") }
            }
            let pausedAt = try #require(TmuxTerminal.recordingTime(on: try await terminal.screen()))
            // 60 dB less for each factor of ten, as PulseAudio counts; so lower by about 18 dB.
            try await server.pactl("set-sink-volume", "room", "50%")
            try await terminal.waitForScreen("the lower level") { $0.contains { $0.hasSuffix("-33.1  -30.1") } }
            #expect(TmuxTerminal.recordingTime(on: try await terminal.screen()) == pausedAt)
            try await server.pactl("set-sink-volume", "room", "100%")
            try await terminal.waitForScreen("the level as before") { $0.contains { $0.hasSuffix("-15.0  -12.0") } }
            try await terminal.press("Space")
            try await terminal.waitForRecording(of: pausedAt + 1)
            try await terminal.press("q")
            #expect(try await terminal.end(on: server) == "status 0\n")
            #expect(try server.report().recording.framesLost == 0)
            // The lower level is not in the file.
            let samples = try DecodedFile(server.file("take.wav")).samples
            let quietest = stride(from: 0, to: samples.count - 4_800, by: 4_800).map { start in
                samples[start..<start + 4_800].map(abs).max() ?? 0
            }.min()
            #expect(try #require(quietest) > 0.2)
        }
    }

    @Test("A source that is unplugged is shown so while its recording is armed or paused, until it is back")
    func aSourceIsUnplugged() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            var microphone = try await server.makeMicrophone("mic", hearing: "room")
            let showsLevels = { (screen: [String]) in
                screen.filter { $0.hasSuffix("-15.0  -12.0") }.count == 2
            }
            let unplug = { (shown: String) in
                // What has not been heard yet is not there, rather than unplugged.
                try await terminal.waitForScreen("the levels", showsLevels)
                try await server.unloadModule(microphone)
                try await terminal.waitForScreen(shown) { screen in
                    screen.contains { $0.contains(shown) } && screen.filter { $0.hasSuffix("▏") }.count == 2
                        && screen.last?.hasSuffix("? keys") == true
                }
            }
            let plugIn = { (shown: String, hint: String) in
                microphone = try await server.makeMicrophone("mic", hearing: "room")
                try await terminal.waitForScreen(shown) { screen in
                    screen.contains { $0.contains(shown) && !$0.contains("device unplugged") }
                        && showsLevels(screen) && screen.last?.hasSuffix(hint) == true
                }
            }
            try await terminal.enter("accrec record -o take.wav -d mic -c native -r native --pre-roll 1")
            try await terminal.waitForScreen("an armed recording") { $0.last?.hasSuffix("space records") == true }
            try await unplug("WAITING: device unplugged since")
            try await plugIn("ARMED  keeps 1.0 s", "space records")
            try await terminal.press("Space")
            try await terminal.waitForRecording(of: 1.5)
            try await terminal.press("Space")
            try await terminal.waitForScreen("a pause") { $0.last?.hasSuffix("space resumes") == true }
            try await unplug("device unplugged since")
            try await plugIn("PAUSED", "space resumes")
            try await terminal.press("Space")
            try await terminal.waitForRecording(of: 3)
            // Paused while it is away, so that its levels cannot be shown from the beginning of the pause.
            try await unplug("WAITING: device unplugged since")
            try await terminal.press("Space")
            try await terminal.waitForScreen("a pause without the source") { screen in
                screen.contains { $0.contains("PAUSED") && $0.contains("device unplugged since") }
            }
            try await plugIn("PAUSED", "space resumes")
            try await terminal.press("q")
        }
    }

    @Test("Between sounds the meter shows levels, and whether the source is muted")
    func levelsGoOnBetweenSounds() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.start(TmuxTerminal.recording + " --start-on-sound -20 --on-sound join")
            // 36 dB less.
            try await server.pactl("set-sink-volume", "room", "25%")
            try await terminal.waitForScreen("levels below that of a sound") { screen in
                screen.contains { $0.contains("LISTENING") } && screen.contains { $0.hasSuffix("-51.1  -48.1") }
            }
            try await server.pactl("set-sink-mute", "room", "1")
            try await terminal.waitForScreen("the mark") { $0.contains { $0.contains(/LISTENING.*  MUTED/) } }
            try await server.pactl("set-sink-mute", "room", "0")
            try await server.pactl("set-sink-volume", "room", "100%")
            try await terminal.waitForScreen("the next sound") { screen in
                screen.contains { $0.contains("REC  0:") } && screen.contains { $0.hasSuffix("-15.0  -12.0") }
            }
            try await terminal.press("q")
            #expect(try await terminal.end(on: server) == "status 0\n")
        }
    }

    @Test func aMutedSourceIsMarkedWhileThatLasts() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.start()
            for isMuted in [true, false, true] {
                try await server.pactl("set-sink-mute", "room", isMuted ? "1" : "0")
                try await terminal.waitForScreen(isMuted ? "the mark" : "no mark") { screen in
                    screen.contains { $0.contains("REC  0:") && $0.contains("  MUTED  ") == isMuted }
                }
            }
            try await terminal.press("q")
            #expect(try await terminal.end(on: server) == "status 0\n")
        }
    }

    @Test("Keys pause, mark, split, ask before discarding, and show help")
    func keysSteerTheRecording() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.start()
            try await terminal.press("?")
            try await terminal.waitForScreen("help") { $0.last?.contains("m mark  s split  d discard") == true }
            try await terminal.press("?")
            try await terminal.press("Space")
            let paused = try await terminal.waitForScreen("a pause") { $0.contains { $0.contains("‖ PAUSED") } }
            #expect(paused.last?.hasSuffix("space resumes") == true)
            try await terminal.press("Space")
            try await terminal.waitForScreen("recording again", TmuxTerminal.isRecording)
            try await terminal.press("m")
            try await terminal.waitForScreen("a marker") { $0.contains { $0.contains("marker '1' at 0:") } }
            try await terminal.press("s")
            try await terminal.waitForScreen("a new file") {
                $0.contains { $0.contains("now recording to 'take-002.wav'") }
            }
            try await terminal.waitForScreen("its name in the meter") {
                $0.contains { $0.hasPrefix("● REC") && $0.contains("  take-002.wav") }
            }
            try await terminal.press("d")
            try await terminal.waitForScreen("the question") { $0.last?.contains("Discard 2 files, 0:") == true }
            try await terminal.press("n")
            try await terminal.waitForScreen("the recording to go on") { $0.last?.contains("? keys") == true }
            try await terminal.press("q")
            #expect(try await terminal.end(on: server) == "status 0\n")
            let first = try server.wav()
            let second = try server.wav("take-002.wav")
            #expect(first.frames > 0 && second.frames > 0)
            let labels = try server.text("take.wav.labels.txt")
            #expect(labels.split(separator: "\n").count == 2)
        }
    }

    @Test("Stopping the terminal with Ctrl-S blocks nothing, and the display continues afterwards")
    func aStoppedTerminalHoldsUpNothing() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.start()
            try await terminal.press("C-s")
            // More than the ring buffer holds, so that frames would be lost if the engine waited.
            let (recording, seconds) = (TestRecording(on: server), 6.0)
            let end = recording.seconds + seconds
            try await eventually("\(seconds) seconds more in the file", within: 30) { recording.seconds > end }
            let shown = TmuxTerminal.recordingTime(on: try await terminal.screen()) ?? 0
            try await terminal.press("C-q")
            try await terminal.waitForRecording(of: shown + seconds - 1)
            try await terminal.press("q")
            #expect(try await terminal.end(on: server) == "status 0\n")
            let report = try await terminal.waitForScreen("the report") { $0.contains { $0.hasPrefix("lost ") } }
            #expect(report.contains("lost      0 frames"), "\(report)")
        }
    }

    @Test("A recording that was paused while the terminal was stopped is shown as paused afterwards")
    func aStoppedTerminalShowsAPauseAfterwards() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.start(TmuxTerminal.recording + " --events events.jsonl")
            try await terminal.press("C-s")
            try await terminal.press("Space")
            try await EventsFile(on: server).wait(for: "paused")
            #expect(try await terminal.screen().contains { $0.contains("REC  0:") })
            try await terminal.press("C-q")
            try await terminal.waitForScreen("the pause") { $0.contains { $0.contains("PAUSED  0:") } }
            try await terminal.press("q")
            #expect(try await terminal.end(on: server) == "status 0\n")
        }
    }

    @Test("After a split, the current file can be discarded alone")
    func discardingTheCurrentFile() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.start()
            try await terminal.press("s")
            try await terminal.waitForScreen("a new file") {
                $0.contains { $0.hasPrefix("● REC") && $0.contains("  take-002.wav") }
            }
            try await terminal.press("d")
            try await terminal.waitForScreen("the question") { $0.last?.contains("c current one, 0:") == true }
            try await terminal.press("c")
            #expect(try await terminal.end(on: server) == "status 0\n")
            try await terminal.waitForScreen("what became of it") { $0.contains { $0.contains("kept 1 file") } }
            #expect(try server.wav().frames > 0 && !server.hasFile("take-002.wav"))
        }
    }

    @Test func discardingLeavesNoFile() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.start()
            try await terminal.press("d")
            try await terminal.waitForScreen("the question") { $0.last?.contains("Discard this recording?") == true }
            try await terminal.press("y")
            #expect(try await terminal.end(on: server) == "status 0\n")
            try await terminal.waitForScreen("what became of it") { $0.contains { $0.contains("discarded ") } }
            #expect(!server.hasFile("take.wav"))
        }
    }

    @Test("Without UTF-8 the meter uses ASCII, with NO_COLOR no colours, and a dumb terminal has none")
    func plainTerminals() async throws {
        try await TmuxTerminal.withAccrec(environment: ["LC_ALL": "C", "NO_COLOR": "1"]) { terminal, server in
            try await terminal.enter("script -qc '\(TmuxTerminal.recording)' typescript")
            let screen = try await terminal.waitForScreen("recording", TmuxTerminal.isRecording)
            #expect(screen.suffix(5).joined().utf8.allSatisfy { $0 < 0x80 })
            #expect(screen.contains { $0.hasPrefix("* REC  0:") })
            try await terminal.press("q")
            try await terminal.waitForScreen("the report") { $0.contains { $0.hasPrefix("lost ") } && $0.last == "$" }
            let text = try server.text("typescript")
            #expect(text.contains("\u{1B}[4A") && text.firstMatch(of: /\e\[[0-9;]*m/) == nil)

            let dumbTerminal = "TERM=dumb script -qc '\(TmuxTerminal.recording) --force --max 1' typescript"
            try await terminal.enter("\(dumbTerminal); echo it is over")
            try await terminal.waitForScreen("the end") { $0.contains("it is over") }
            let dumb = try server.text("typescript")
            #expect(!dumb.contains("\u{1B}"))
        }
    }

    @Test("--color overrides the environment")
    func colorsAreChosen() async throws {
        try await TmuxTerminal.withAccrec(environment: ["NO_COLOR": "1"]) { terminal, server in
            let always = "script -qc '\(TmuxTerminal.recording) --color always --max 1' always"
            let never = "unset NO_COLOR; script -qc '\(TmuxTerminal.recording) --color never --max 1 --force' never"
            try await terminal.enter("\(always); \(never); echo both are over")
            try await terminal.waitForScreen("the end") { $0.contains("both are over") }
            for (name, hasColor) in [("always", true), ("never", false)] {
                let text = try server.text(name)
                #expect(text.contains("\u{1B}[4A"), "a meter with --color \(name)")
                #expect((text.firstMatch(of: /\e\[[0-9;]*m/) != nil) == hasColor, "--color \(name)")
            }
        }
    }

    @Test func samplesAreNotWrittenToATerminal() async throws {
        try await TmuxTerminal.withAccrec { terminal, _ in
            try await terminal.enter("accrec record -o -; echo status $?")
            let screen = try await terminal.waitForScreen("the end") { $0.contains("status 64") }
            #expect(screen.joined().contains("standard output is a terminal"))
        }
    }

    @Test("The level meter writes no file, and prints the levels at its end")
    func metering() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.enter("accrec meter -d room.monitor --history")
            let screen = try await terminal.waitForScreen("levels over time") { screen in
                screen.contains { $0.hasPrefix("○ METER  0:0") }
                    && screen.contains { $0.contains("-55 ") && $0.contains("██") }
                    && screen.last?.hasSuffix("-5 s                 now") == true
            }
            #expect(screen.contains { $0.contains("█▒") })
            try await terminal.press("q")
            try await terminal.waitForScreen("the report") { screen in
                screen.contains { $0.hasPrefix("level     channel 2: peak -12.0 dBFS") } && screen.last == "$"
            }
            let piped = try await server.accrec(["meter", "-d", "room.monitor", "--max", "6"])
            // Every five seconds.
            let line = #/accrec: 0:(\d\d\.\d), peak -12\.0 dBFS, 0 clipped, 0 gaps\n/#
            let time = try #require(piped.standardError.firstMatch(of: line)?.1, "\(piped.standardError)")
            #expect((5..<5 + Tolerance.delayOfLevels).contains(try #require(Double(time))))
        }
    }

    @Test func withoutATerminalThereIsNoMeterAndQuietSaysNothing() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = ["--color", "always", "-o"]
            let plain = try await server.record(recording + ["plain.wav", "--max", "0.5"])
            #expect(!plain.standardError.contains { $0 == "\r" || $0 == "\u{1B}" })
            let quiet = try await server.record(recording + ["quiet.wav", "--max", "0.5", "-q"])
            #expect(quiet.standardError.isEmpty)
            let progress = try await server.record(recording + ["progress.wav", "--max", "5.5", "--progress"])
            #expect(progress.standardError.contains(" kB, peak −∞ dBFS, 0 clipped, 0 gaps, room for "))
            #expect(!progress.standardError.contains { $0 == "\r" || $0 == "\u{1B}" })
        }
    }
}
