import Testing

@testable import AccrecCommands

@Suite struct LiveDisplayTests {
    private func lines(_ status: TakeStatus, columns: Int) -> [StyledLine] {
        var frame = MeterFrame(style: .utf8)
        return frame.lines(of: status, in: WindowSize(columns: columns, rows: 24))
    }

    @Test(arguments: [true, false])
    func theScreenShowsTheLinesAfterEachUpdate(hasColor: Bool) {
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
                screen.write(display.update(lines, columns: 60), width: DisplayWidth.columns)
                let expected = lines.map { line in String(line.text.reversed().drop { $0 == " " }.reversed()) }
                #expect(screen.text == ["$ accrec"] + expected)
                #expect(screen.column == lines.last!.width)
            }
        }
        screen.write(display.erase(columns: 60), width: DisplayWidth.columns)
        #expect(screen.text.first == "$ accrec" && screen.text.dropFirst().allSatisfy(\.isEmpty))
        #expect(screen.row == 1 && screen.column == 0)
    }

    @Test func nothingIsWrittenIfNothingHasChanged() {
        var display = LiveDisplay(hasColor: true)
        let lines = lines(.made(channels: 2), columns: 80)
        #expect(!display.update(lines, columns: 80).isEmpty)
        #expect(display.update(lines, columns: 80).isEmpty)
    }

    @Test func onlyWhatHasChangedIsWritten() {
        var display = LiveDisplay(hasColor: false)
        let status = TakeStatus.made(channels: 2)
        _ = display.update(lines(status, columns: 80), columns: 80)
        let text = display.update(lines(status.with { $0.elapsed += 0.1 }, columns: 80), columns: 80)
        // Up to the status, to the differing digits and back: no bars and no words.
        #expect(text.utf8.count < 60, "\(text.debugDescription)")
    }

    @Test func noColoursAreUsedIfDisabled() {
        var display = LiveDisplay(hasColor: false)
        let text = display.update(lines(.made(channels: 2).with { $0.clippedCount = 9 }, columns: 80), columns: 80)
        #expect(!text.contains("\u{1B}"))
    }

    @Test func linesWrappedByANarrowerWindowAreErased() {
        var display = LiveDisplay(hasColor: false)
        _ = display.update(lines(.made(channels: 1), columns: 80), columns: 80)
        // Four lines of up to 79 columns take two rows of 40 each: seven rows up from the last.
        let widths = lines(.made(channels: 1), columns: 80).map { ($0.width + 39) / 40 }
        #expect(display.erase(columns: 40) == "\r\u{1B}[\(widths.reduce(-1, +))A\u{1B}[K\u{1B}[1B\u{1B}[J\u{1B}[1A")
    }
}
