import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

// They have one thread, and what they test has no pointers.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct MeterFrameTests {
    private func lines(
        _ status: RecordingStatus, columns: Int, rows: Int = 24, _ style: TerminalStyle = .utf8
    ) -> [StyledLine] {
        var frame = MeterFrame(style: style)
        return frame.lines(of: status, in: WindowSize(columns: columns, rows: rows))
    }

    private func text(
        _ status: RecordingStatus, columns: Int, rows: Int = 24, _ style: TerminalStyle = .utf8
    ) -> [String] {
        lines(status, columns: columns, rows: rows, style).map(\.text)
    }

    /// Every width up to 60, and some up to 300.
    private static let widths = Array(2...60) + Array(stride(from: 67, through: 300, by: 13))

    @Test(arguments: [1, 2, 8, 32])
    func noLineIsAsWideAsTheWindow(channels: Int) {
        var wrong: [String] = []
        for (name, status) in RecordingStatus.madeOfEachKind(channels: channels) {
            for columns in Self.widths {
                for rows in [1, 2, 3, 10, 50] {
                    let lines = lines(status, columns: columns, rows: rows, columns.isMultiple(of: 2) ? .utf8 : .ascii)
                    let isRight =
                        (1...max(rows - 1, 1)).contains(lines.count)
                        && lines.allSatisfy { $0.width < columns && $0.text.displayWidth == $0.width }
                    if !isRight { wrong.append("\(name) in \(columns) by \(rows)") }
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong)")
    }

    @Test func stateAndTimeAreAlwaysShown() {
        for (name, status) in RecordingStatus.madeOfEachKind(channels: 2)
        where !["waiting", "scheduled", "about to begin"].contains(name) {
            for columns in Self.widths where columns >= 20 {
                let first = text(status, columns: columns, rows: 4)[0]
                #expect(first.contains(status.phase == .armed ? "0:00.0" : "1:12.3"), "\(name): \(first)")
            }
        }
    }

    @Test func showsOnlyASCIIWithoutUTF8() {
        for (name, status) in RecordingStatus.madeOfEachKind(channels: 2) where name != "wide name" {
            for columns in Self.widths {
                #expect(text(status, columns: columns, .ascii).joined().utf8.allSatisfy { $0 < 0x80 }, "\(name)")
            }
        }
    }

    @Test func barEndsAtItsLevel() {
        // A bar of 60 cells, one per dB: RMS -15, peak -6, held -3.
        let bar = text(.made(channels: 1), columns: 78, .ascii)[1]
        #expect(bar == "[" + repeated("#", 45) + repeated("=", 9) + ". |  ." + "]   -15.0   -3.0")
    }

    @Test func clipIndicatorIsBesideTheChannelsBar() {
        let status = RecordingStatus.made(channels: 2).with {
            $0.channels[1].clippedCount = 3
            $0.clippedCount = 3
        }
        let lines = text(status, columns: 100, .ascii)
        #expect(lines[0].contains("CLIP 3"))
        #expect(lines[1].hasPrefix("L[") && lines[1].contains("] "))
        #expect(lines[2].hasPrefix("R[") && lines[2].contains("]!"))
    }

    @Test(
        "Bars are one under the other while the window is tall enough, and side by side where it is not",
        arguments: [
            (2, 24, 1), (2, 6, 1), (2, 5, 2), (8, 24, 1), (8, 12, 1), (8, 11, 2), (8, 10, 2), (32, 50, 1), (32, 24, 2),
        ])
    func barsUseTheHeight(channels: Int, rows: Int, barsPerRow: Int) {
        let lines = text(.made(channels: channels), columns: 80, rows: rows, .ascii)
        let bars = lines.filter { $0.contains("[") }
        #expect(bars.count == channels / barsPerRow)
        #expect(bars.allSatisfy { $0.filter { $0 == "[" }.count == barsPerRow })
        #expect(lines.count == bars.count + 3)
        #expect(bars.allSatisfy { $0.hasSuffix(".0") }, "\(bars)")
    }

    @Test func channelsHaveTheNamesOfTheirPositions() {
        let surround = ChannelMap(names: "surround-51")!
        #expect(surround.labels == ["L", "R", "RL", "RR", "FC", "LFE"])
        #expect(ChannelMap(names: "front-left,aux1,top-center")!.labels == ["L", "2", "TC"])
        #expect(ChannelMap.standard(channelCount: 1).labels == [""])
        let status = RecordingStatus.made(channels: 6).with { $0.labels = surround.labels }
        let bars = text(status, columns: 80, .ascii)[1...6]
        #expect(bars.map { $0.prefix(4) } == ["L  [", "R  [", "RL [", "RR [", "FC [", "LFE["])
    }

    private static let tracks = [
        "mic", "desktop L", "desktop R", "app:麦克风 🎤 with a long title L", "alsa_input.usb-Lark R",
    ]

    @Test("Several sources have their names before the bars, cut before their ends where there is no room")
    func tracksHaveTheirNames() {
        let status = RecordingStatus.made(channels: 5).with { $0.labels = Self.tracks }
        func labels(columns: Int, _ style: TerminalStyle = .utf8) -> [String] {
            text(status, columns: columns, style)[1...5].map { line in
                line.components(separatedBy: style.glyphs.barStart)[0].replacing(#/ +$/#, with: "")
            }
        }
        #expect(
            labels(columns: 120) == [
                "mic", "desktop L", "desktop R", "app:麦克风 🎤 with a long … L", "alsa_input.usb-Lark R",
            ])
        #expect(labels(columns: 30) == ["mic", "desk… L", "desk… R", "app:… L", "alsa… R"])
        #expect(labels(columns: 30, .ascii)[1] == "des.. L")
    }

    @Test("Different names never look alike: numbers tell them apart")
    func namesThatBeginAlike() {
        let labels = ["alsa_input.usb-Lark-00 L", "alsa_input.usb-Lark-00 R", "alsa_input.usb-Lark-01 L"]
        let status = RecordingStatus.made(channels: 3).with { $0.labels = labels }
        let shown = text(status, columns: 80)[1...3].map { $0.components(separatedBy: "▕")[0] }
        #expect(shown == ["1 alsa_input.usb… L", "2 alsa_input.usb… R", "3 alsa_input.usb… L"])
        #expect(labels.shortened(to: 3, "…") == ["1…L", "2…R", "3…L"])
        #expect((labels + (0..<9).map { "alsa \($0) L" }).shortened(to: 3, "…") == (1...12).map { "\($0)" })
        #expect(["L", "L", "12"].shortened(to: 3, "…") == ["L", "L", "12"])
    }

    @Test("No line is as wide as the window with names of any width", arguments: [1, 2, 8])
    func tracksOfAnyWidth(sources: Int) {
        let labels = (0..<sources * 2).map { Self.tracks[$0 % 5] }
        let status = RecordingStatus.made(channels: labels.count).with { $0.labels = labels }
        for columns in Self.widths {
            for rows in [1, 2, 3, 5, 10, 24] {
                for line in lines(status, columns: columns, rows: rows, columns.isMultiple(of: 2) ? .utf8 : .ascii) {
                    #expect(line.width < columns && line.text.displayWidth == line.width, "\(columns) by \(rows)")
                }
            }
        }
    }

    @Test("Before the first levels the bars are empty, and there are no numbers: minus infinity is silence")
    func beforeTheFirstLevels() {
        let status = RecordingStatus().with { $0.labels = ["L", "R"] }
        let lines = text(status, columns: 80, .ascii)
        #expect(lines.count == 5 && lines[1].hasPrefix("L[ ") && !lines[1].contains("inf"), "\(lines)")
        let silent = status.with { $0.channels = [.init(), .init()] }
        #expect(text(silent, columns: 80, .ascii)[1].hasSuffix("-inf   -inf"))
    }

    @Test(
        "Levels of a pause, or of silence that is left out, are dimmed",
        arguments: [.paused, .silent] as [RecordingProgress.Phase])
    func levelsOfAPauseAreDimmed(phase: RecordingProgress.Phase) {
        for channels in [2, 32] {
            let status = RecordingStatus.made(channels: channels, phase: phase)
            for rows in [5, 24] {
                let levels = lines(status, columns: 80, rows: rows)[1...(rows == 5 ? 1 : 2)]
                let inks = Set(levels.flatMap { $0.cells.filter { $0.scalar != " " }.map(\.ink) })
                #expect(inks == [.faint], "\(channels) in \(rows): \(inks)")
            }
        }
    }

    @Test(arguments: [(0, "0:00.0"), (0.004, "4 ms"), (0.05, "50 ms"), (0.0996, "100 ms"), (0.1, "0:00.1")])
    func aShortTakeIsNotShownAsNone(seconds: Double, text: String) {
        let status = RecordingStatus.made(channels: 1).with { $0.elapsed = seconds }
        #expect(self.text(status, columns: 80)[0].hasPrefix("● REC  \(text)  "))
    }

    @Test func mutedAndSilentAreShown() {
        let silent = RecordingStatus.made(channels: 2).with { $0.isSilent = true }
        #expect(text(silent, columns: 20)[0] == "● REC  1:12.3")
        #expect(text(silent, columns: 30)[0].hasSuffix("  SILENT"))
        #expect(text(silent.with { $0.isMuted = true }, columns: 80)[0].contains("  MUTED  "))
    }

    @Test func aNarrowWindowKeepsTheReasonForWaiting() {
        let status = RecordingStatus.madeOfEachKind(channels: 2).first { $0.name == "waiting" }!.status
        #expect(text(status, columns: 80)[0] == "◌ WAITING: device unplugged since 18:05:30, ends at 18:06:30  1:12.3")
        #expect(text(status, columns: 60)[0] == "◌ WAITING: device unplugged, ends at 18:06:30  1:12.3")
        #expect(text(status, columns: 40)[0] == "◌ WAITING: device unplugged  1:12.3")
        #expect(text(status, columns: 20)[0] == "◌ WAITING  1:12.3")
        #expect(text(status, columns: 60)[1].hasPrefix("L▕"))
        #expect(text(status, columns: 40)[1] == "since 18:05:30, ends at 18:06:30")
        #expect(text(status, columns: 30)[1] == "ends at 18:06:30")
        #expect(text(status, columns: 40, rows: 7)[1] == "since 18:05:30, ends at 18:06:30")
        #expect(text(status, columns: 40, rows: 6)[1].hasPrefix("L▕"))
        let clipped = status.with { $0.clippedCount = 5 }
        #expect(text(clipped, columns: 60)[0] == "◌ WAITING: device unplugged, ends at 18:06:30  1:12.3  CLIP")
        #expect(text(clipped, columns: 40)[0] == "◌ WAITING: device unplugged  1:12.3")
        #expect(text(clipped, columns: 20)[0] == "◌ WAITING  1:12.3")
    }

    @Test(
        "A source that is gone is shown while a recording is paused, counted down or armed, which then cannot be started"
    )
    func aSourceThatIsGoneIsShown() {
        let gone = RecordingStatus.made(channels: 2, phase: .paused).with {
            $0.sourceInterruption = InterruptionText(.deviceLost, since: RecordingStatus.afternoon)
        }
        let paused = "‖ PAUSED  1:12.3  device unplugged"
        #expect(text(gone, columns: 60)[0] == paused + " since 18:05:30")
        #expect(text(gone, columns: 40)[0] == paused)
        #expect(text(gone, columns: 40)[1] == "since 18:05:30")
        #expect(text(gone, columns: 60).last!.hasSuffix("? keys"))
        let scheduled = gone.with { $0.recording.phase = .scheduled(seconds: 4, time: "18:06:30") }
        #expect(text(scheduled, columns: 80)[0].contains("  device unplugged since 18:05:30"))
        let armed = gone.with { $0.recording.phase = .ready(keeping: 5, hasSource: false) }
        let lines = text(armed, columns: 80)
        #expect(lines[0].hasPrefix("◌ WAITING: device unplugged since 18:05:30  keeps 5.0 s"))
        #expect(lines.last!.hasSuffix("? keys"))
        #expect(text(armed, columns: 40).prefix(2) == ["◌ WAITING: device unplugged", "since 18:05:30"])
        #expect(text(armed.with { $0.prompt = .help }, columns: 80).last == "q cancel  ? close")
        let back = armed.with {
            $0.recording.phase = .ready(keeping: 5, hasSource: true)
            $0.sourceInterruption = nil
        }
        #expect(text(back, columns: 80)[0].hasPrefix("○ ARMED  keeps 5.0 s"))
        #expect(text(back, columns: 80).last!.hasSuffix("space records"))
    }

    @Test("A recorder that is armed again says how many takes there were, and how long the last one was")
    func takesAreCounted() {
        var progress = RecordingProgress(outputs: [.init(.descriptor(1), container: .raw)], hasTakes: true)
        progress.start()
        #expect(progress.takes?.number == 1)
        progress.endTake(of: 12)
        progress.start()
        progress.endTake(of: nil)
        progress.phase = .ready(keeping: 1, hasSource: true)
        let armed = RecordingStatus.made(channels: 2, phase: .paused).with {
            ($0.file, $0.byteCount, $0.room, $0.limit, $0.recording) = (nil, nil, nil, nil, progress)
        }
        #expect(text(armed, columns: 80)[0] == "○ ARMED  keeps 1.0 s  1 take, the last 0:12.0")
        #expect(text(armed, columns: 32)[0] == "○ ARMED  keeps 1.0 s  1 take")
        progress.start()
        progress.phase = .recording
        #expect(text(armed.with { $0.recording = progress }, columns: 80)[0].hasPrefix("● REC  take 2  "))
    }

    @Test("An armed recording says for what sound it waits")
    func theAwaitedSoundIsShown() {
        let armed = RecordingStatus.made(channels: 2, phase: .ready(keeping: 0.5, hasSource: true)).with {
            ($0.file, $0.byteCount, $0.room, $0.limit, $0.soundLevel) = (nil, nil, nil, nil, -40)
        }
        #expect(text(armed, columns: 80)[0] == "○ ARMED  for a sound of -40 dBFS  keeps 500 ms")
        #expect(text(armed, columns: 40)[0] == "○ ARMED  for a sound of -40 dBFS")
        #expect(text(armed, columns: 30)[0] == "○ ARMED  for a sound")
        #expect(text(armed.with { $0.isMuted = true }, columns: 36)[0] == "○ ARMED  for a sound  MUTED")
        #expect(text(armed.with { $0.soundLevel = -37.5 }, columns: 80)[0].contains("  for a sound of -37.5 dBFS  "))
        #expect(text(armed.with { $0.soundLevel = nil }, columns: 30)[0] == "○ ARMED  keeps 500 ms")
    }

    @Test("The file's name is shown before the size and the room, unless that is short")
    func theNameCounts() {
        let status = RecordingStatus.made(channels: 2).with { $0.limit = nil }
        #expect(text(status, columns: 60)[0] == "● REC  1:12.3  take.wav  6.4 MB  room for 12 h  no gaps")
        #expect(text(status, columns: 40)[0] == "● REC  1:12.3  take.wav  6.4 MB")
        #expect(text(status, columns: 30)[0] == "● REC  1:12.3  take.wav")
        #expect(text(status.with { $0.room = 3_000 }, columns: 36)[0] == "● REC  1:12.3  room for 50 min")
        let long = status.with { $0.file = "interview with somebody, 2026.wav" }
        #expect(text(long, columns: 60)[0] == "● REC  1:12.3  interview with somebody, 2026.wav  6.4 MB")
        #expect(text(long, columns: 40)[0] == "● REC  1:12.3  …somebody, 2026.wav")
    }

    @Test func manyChannelsShareColumnsThatShowTheLoudest() {
        var status = RecordingStatus.made(channels: 32)
        for channel in status.channels.indices { status.channels[channel] = RecordingStatus.Channel() }
        status.channels[31].peak = 0
        let columns = text(status, columns: 20, rows: 5)[1...2]
        #expect(columns.allSatisfy { $0.filter { $0 == "█" }.count == 1 }, "\(columns)")
    }

    @Test("Level columns leave two rows for messages")
    func columnsLeaveRoomForMessages() {
        for rows in [8, 10, 14] {
            #expect(text(.made(channels: 32), columns: 40, rows: rows).count == rows - 2)
        }
    }

    @Test("The name of a channel is shown as a whole or not at all")
    func namesAreNotCut() {
        let names = { (count: Int, clipped: Set<Int>) -> [Substring] in
            let status = RecordingStatus.made(channels: count).with {
                for channel in clipped { $0.channels[channel].clippedCount = 1 }
            }
            let lines = self.text(status, columns: 40, rows: 10)
            return lines[lines.count - 2].split { $0 == " " || $0 == "!" }
        }
        for count in [24, 32, 33] {
            for step in 1...5 {
                let clipped = Set(stride(from: 0, to: count, by: step))
                let shown = names(count, clipped).compactMap { Int($0) }
                #expect(clipped.isDisjoint(with: shown.map { $0 - 1 }), "\(count) channels, \(step): \(shown)")
                #expect(
                    shown == shown.sorted() && Set(shown).count == shown.count, "\(count) channels, \(step): \(shown)")
            }
        }
    }

    private static let snapshotWindows: [(columns: Int, rows: Int, style: TerminalStyle)] = [
        (20, 10, .utf8), (40, 10, .utf8), (40, 24, .utf8), (80, 10, .utf8), (80, 24, .utf8), (80, 24, .ascii),
        (120, 24, .utf8), (200, 10, .utf8), (200, 50, .utf8), (80, 4, .utf8), (80, 2, .utf8),
    ]

    /// Compares the rendering with reviewed snapshots. To accept a change, run the test with `ACCREC_WRITE_SNAPSHOTS`
    /// set, and review the diff.
    @Test func snapshots() throws {
        let file = Project.file("Tests/Snapshots/meter.txt")
        var text = ""
        for (columns, rows, style) in Self.snapshotWindows {
            let name = style == .ascii ? ", ASCII" : ""
            for channels in [1, 2, 8, 32] {
                for (kind, status) in RecordingStatus.madeOfEachKind(channels: channels) {
                    // What does not depend on the size is shown in one.
                    guard
                        ["recording", "paused", "waiting", "scheduled"].contains(kind) || (columns, rows) == (80, 24),
                        channels <= 8 || kind == "recording" || kind == "clipped", kind != "wide name",
                        channels == 1 || kind != "scheduled"
                    else { continue }
                    text += "--- \(kind), \(channels) ch, \(columns) by \(rows)\(name)\n"
                    text += self.text(status, columns: columns, rows: rows, style).map { $0 + "\n" }.joined()
                }
            }
        }
        if ProcessInfo.processInfo.environment["ACCREC_WRITE_SNAPSHOTS"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let kept = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "--- ")
        for (new, old) in zip(text.components(separatedBy: "--- "), kept) { #expect(new == old) }
        #expect(text.components(separatedBy: "--- ").count == kept.count)
    }

    private func repeated(_ character: Character, _ count: Int) -> String {
        String(repeating: character, count: count)
    }
}
