import Testing

@testable import AccrecCommands

@Suite struct LiveDisplayTests {
    private func lines(_ status: TakeStatus, columns: Int) -> [StyledLine] {
        var frame = MeterFrame(style: .utf8)
        return frame.lines(of: status, in: WindowSize(columns: columns, rows: 24))
    }

    @Test(arguments: [true, false])
    func theScreenShowsTheLinesAfterEachUpdate(hasColor: Bool) {
        let window = WindowSize(columns: 60, rows: 24)
        var display = LiveDisplay(hasColor: hasColor)
        var screen = EmulatedScreen()
        screen.write("$ accrec\r\n", width: DisplayWidth.columns)
        for round in 0..<3 {
            for (_, status) in TakeStatus.madeOfEachKind(channels: 2) {
                let changed = status.with {
                    $0.elapsed += Double(round)
                    if !$0.channels.isEmpty { $0.channels[0].peak -= Float(5 * round) }
                }
                let lines = lines(changed, columns: 60)
                screen.write(display.update(lines, in: window), width: DisplayWidth.columns)
                let expected = lines.map { line in String(line.text.reversed().drop { $0 == " " }.reversed()) }
                #expect(screen.text == ["$ accrec"] + expected)
                #expect(screen.column == lines.last!.width)
            }
        }
        screen.write(display.end(in: window), width: DisplayWidth.columns)
        #expect(screen.text.first == "$ accrec" && screen.text.dropFirst().allSatisfy(\.isEmpty))
        #expect(screen.row == 1 && screen.column == 0)
    }

    @Test func nothingIsWrittenIfNothingHasChanged() {
        let window = WindowSize(columns: 80, rows: 24)
        var display = LiveDisplay(hasColor: true)
        let lines = lines(.made(channels: 2), columns: 80)
        #expect(!display.update(lines, in: window).isEmpty)
        #expect(display.update(lines, in: window).isEmpty)
    }

    @Test func onlyWhatHasChangedIsWritten() {
        let window = WindowSize(columns: 80, rows: 24)
        var display = LiveDisplay(hasColor: false)
        let status = TakeStatus.made(channels: 2)
        _ = display.update(lines(status, columns: 80), in: window)
        let text = display.update(lines(status.with { $0.elapsed += 0.1 }, columns: 80), in: window)
        // Up to the status, to the differing digits and back: no bars and no words.
        #expect(text.utf8.count < 60, "\(text.debugDescription)")
    }

    @Test func noColoursAreUsedIfDisabled() {
        let window = WindowSize(columns: 80, rows: 24)
        var display = LiveDisplay(hasColor: false)
        let text = display.update(lines(.made(channels: 2).with { $0.clippedCount = 9 }, columns: 80), in: window)
        #expect(!text.contains("\u{1B}"))
    }

    @Test func linesWrappedByANarrowerWindowAreErased() {
        let window = WindowSize(columns: 80, rows: 24)
        var display = LiveDisplay(hasColor: false)
        _ = display.update(lines(.made(channels: 1), columns: 80), in: window)
        // Lines of up to 79 columns take two rows of 40 each.
        let widths = lines(.made(channels: 1), columns: 80).map { ($0.width + 39) / 40 }
        #expect(
            display.end(in: WindowSize(columns: 40, rows: 24))
                == "\r\u{1B}[\(widths.reduce(-1, +))A\u{1B}[K\u{1B}[1B\u{1B}[J\u{1B}[1A")
    }

    @Test("The second screen is cleared after a resize, and messages are repeated on the first one")
    func usesTheSecondScreen() {
        let window = WindowSize(columns: 80, rows: 24)
        var display = LiveDisplay(hasColor: false, usesSecondScreen: true)
        let lines = lines(.made(channels: 2), columns: 80)
        #expect(display.insert("early\n", in: window) == "early\n")
        #expect(display.update(lines, in: window).hasPrefix("\u{1B}[?1049h\u{1B}[H\u{1B}[2J"))
        #expect(display.update(lines, in: window).isEmpty)
        #expect(display.insert("late\n", in: window) == "\u{1B}[H\u{1B}[2Jlate\n")
        _ = display.update(lines, in: window)
        let resized = display.update(lines, in: WindowSize(columns: 80, rows: 12))
        #expect(resized.hasPrefix("\u{1B}[H\u{1B}[2J") && !resized.contains("late"))
        #expect(display.end(in: window) == "\u{1B}[?1049llate\n")
        #expect(display.end(in: window).isEmpty)
    }
}
