import Foundation
import Testing

@testable import AccrecCommands

@Suite struct MeterFrameTests {
    private func lines(
        _ status: TakeStatus, columns: Int, rows: Int = 24, _ style: TerminalStyle = .utf8
    ) -> [StyledLine] {
        var frame = MeterFrame(style: style)
        return frame.lines(of: status, in: WindowSize(columns: columns, rows: rows))
    }

    private func text(
        _ status: TakeStatus, columns: Int, rows: Int = 24, _ style: TerminalStyle = .utf8
    ) -> [String] {
        lines(status, columns: columns, rows: rows, style).map(\.text)
    }

    /// Every width up to 60, and some up to 300.
    private static let widths = Array(2...60) + Array(stride(from: 67, through: 300, by: 13))

    @Test(arguments: [1, 2, 8, 32])
    func noLineIsAsWideAsTheWindow(channels: Int) {
        var wrong: [String] = []
        for (name, status) in TakeStatus.madeOfEachKind(channels: channels) {
            for columns in Self.widths {
                for rows in [1, 2, 3, 24] {
                    let lines = lines(status, columns: columns, rows: rows, columns.isMultiple(of: 2) ? .utf8 : .ascii)
                    let isRight =
                        (1...min(max(rows - 1, 1), 4)).contains(lines.count)
                        && lines.allSatisfy { $0.width < columns && DisplayWidth.columns(of: $0.text) == $0.width }
                    if !isRight { wrong.append("\(name) in \(columns) by \(rows)") }
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong)")
    }

    @Test func stateAndTimeAreAlwaysShown() {
        for (name, status) in TakeStatus.madeOfEachKind(channels: 2) where name != "waiting" {
            for columns in Self.widths where columns >= 20 {
                let first = text(status, columns: columns, rows: 4)[0]
                #expect(first.contains(status.phase == .armed ? "0:00.0" : "1:12.3"), "\(name): \(first)")
            }
        }
    }

    @Test func showsOnlyASCIIWithoutUTF8() {
        for (name, status) in TakeStatus.madeOfEachKind(channels: 2) where name != "wide name" {
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
        let status = TakeStatus.made(channels: 2).with {
            $0.channels[1].clippedCount = 3
            $0.clippedCount = 3
        }
        let lines = text(status, columns: 100, .ascii)
        #expect(lines[0].contains("CLIP 3"))
        #expect(lines[1].firstRange(of: "]!") != nil && lines[1].contains("] "))
        #expect(lines[1].range(of: "]!")!.lowerBound > lines[1].range(of: "] ")!.lowerBound)
    }

    @Test func manyChannelsShareColumnsThatShowTheLoudest() {
        var status = TakeStatus.made(channels: 32)
        for channel in status.channels.indices { status.channels[channel] = ChannelStatus() }
        status.channels[31].peak = 0
        let columns = text(status, columns: 20)[1...2]
        #expect(columns.allSatisfy { $0.filter { $0 == "█" }.count == 1 }, "\(columns)")
    }

    /// Compares the rendering with reviewed snapshots. To accept a change, run the test with `ACCREC_WRITE_SNAPSHOTS`
    /// set, and review the diff.
    @Test func snapshots() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Snapshots/meter.txt")
        var text = ""
        for (style, name) in [(TerminalStyle.utf8, "UTF-8"), (.ascii, "ASCII")] {
            for columns in [20, 40, 80, 200] {
                for channels in [1, 2, 8, 32] {
                    for (kind, status) in TakeStatus.madeOfEachKind(channels: channels) where kind != "wide name" {
                        text += "--- \(kind), \(channels) ch, \(columns) columns, \(name)\n"
                        text += self.text(status, columns: columns, style).map { $0 + "\n" }.joined()
                    }
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
