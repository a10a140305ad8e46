import Testing

@testable import AccrecCommands

@Suite struct LiveDisplayTests {
    private func lines(_ status: RecordingStatus, columns: Int) -> [StyledLine] {
        var frame = MeterFrame(style: .utf8)
        return frame.lines(of: status, in: WindowSize(columns: columns, rows: 24))
    }

    @Test(arguments: [true, false])
    func theScreenShowsTheLinesAfterEachUpdate(hasColor: Bool) {
        let window = WindowSize(columns: 60, rows: 24)
        var display = LiveDisplay(hasColor: hasColor)
        var screen = EmulatedScreen()
        screen.write("$ accrec\r\n", width: \.displayWidth)
        for round in 0..<3 {
            for (_, status) in RecordingStatus.madeOfEachKind(channels: 2) {
                let changed = status.with {
                    $0.elapsed += Double(round)
                    if !$0.channels.isEmpty { $0.channels[0].peak -= Float(5 * round) }
                }
                let lines = lines(changed, columns: 60)
                screen.write(display.update(lines, in: window), width: \.displayWidth)
                let expected = lines.map { line in String(line.text.reversed().drop { $0 == " " }.reversed()) }
                #expect(screen.text == ["$ accrec"] + expected)
                #expect(screen.column == lines.last!.width)
                #expect(Array(screen.lengths.dropFirst()) == lines.map(\.width))
            }
        }
        screen.write(display.end(in: window), width: \.displayWidth)
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
        let status = RecordingStatus.made(channels: 2)
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

    @Test(
        "What a smaller window has left above itself is erased when it becomes larger again, unless a message follows")
    func remainsAboveASmallerWindowAreErased() {
        let (large, small) = (WindowSize(columns: 80, rows: 24), WindowSize(columns: 40, rows: 10))
        var frame = MeterFrame(style: .utf8)
        let status = RecordingStatus.made(channels: 8)
        let largeLines = frame.lines(of: status, in: large)
        let smallLines = frame.lines(of: status, in: small)
        // Of 22 rows, 12 are above the smaller window.
        #expect(largeLines.count == 11 && largeLines.allSatisfy { $0.width > 40 })
        for hasMessage in [false, true] {
            var display = LiveDisplay(hasColor: false)
            _ = display.update(largeLines, in: large)
            #expect(display.update(smallLines, in: small).hasPrefix("\r\u{1B}[21A\u{1B}[K"))
            if hasMessage {
                _ = display.insert("a message\r\n", in: small)
                _ = display.update(smallLines, in: small)
            }
            let text = display.update(largeLines, in: large)
            let rows = (hasMessage ? 0 : 6) + smallLines.count - 1
            #expect(text.hasPrefix("\r\u{1B}[\(rows)A\u{1B}[K"), "\(text.prefix(20).debugDescription)")
            // Once.
            #expect(display.end(in: large).hasPrefix("\r\u{1B}[10A\u{1B}[K"))
        }
    }

    @Test("A window that becomes lower in steps leaves as many rows above as in one")
    func remainsAddUp() {
        var display = LiveDisplay(hasColor: false)
        let lines = lines(.made(channels: 8), columns: 80)
        _ = display.update(lines, in: WindowSize(columns: 80, rows: 24))
        // Three lines are above the window. Of the rows that it loses next, one is below the cursor.
        _ = display.update(Array(lines[..<7]), in: WindowSize(columns: 80, rows: 8))
        _ = display.update(Array(lines[..<5]), in: WindowSize(columns: 80, rows: 6))
        #expect(display.end(in: WindowSize(columns: 80, rows: 24)).hasPrefix("\r\u{1B}[\(3 + 1 + 5 - 1)A\u{1B}[K"))
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
