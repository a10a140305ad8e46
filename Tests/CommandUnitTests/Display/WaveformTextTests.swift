import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

@Suite struct WaveformTextTests {
    private func lines(
        _ channels: [[Float]], names: [String] = ["left", "right"], places: [WaveformText.Place] = [],
        columns: Int = 31,
        style: TerminalStyle = .utf8, seconds: Double = 20
    ) -> [String] {
        let waveform = Waveform(framesPerColumn: 100, channels: channels.map { $0.map { -$0...$0 } })
        return WaveformText(
            waveform: waveform, sampleRate: 100, seconds: seconds, names: names, places: places, style: style,
            columns: columns
        ).lines
    }

    /// Full scale, half of the scale, silence.
    private let peaks: [Float] =
        Array(repeating: 1, count: 5) + Array(repeating: 0.0316, count: 5) + Array(repeating: 0, count: 10)

    @Test("Each column is as high as its peak, with gaps and markers below")
    func blocks() {
        let places = [
            WaveformText.Place(seconds: 0, isGap: true), .init(seconds: 10, isGap: false),
            .init(seconds: 19.9, isGap: true),
        ]
        #expect(
            lines([peaks], names: ["mono"], places: places) == [
                "           █████               ",
                "mono       █████▄▄▄▄▄          ",
                "           ██████████          ",
                "           |0:00.0",
                "gaps       !                  !",
                "markers              ^",
            ])
    }

    @Test("Where the locale has no UTF-8, everything is ASCII")
    func ascii() {
        let lines = lines([peaks, peaks], names: ["ä", "right"], style: .ascii)
        #expect(lines.count == 7)
        #expect(lines.joined().utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        #expect(lines[1] == "?          #####:::::          ")
    }

    @Test("A window of any width has lines of that width, or none")
    func widths() {
        for columns in 0...200 {
            for line in lines([peaks, peaks], columns: columns) {
                #expect(line.displayWidth <= columns && columns >= 27)
            }
        }
        #expect(lines([peaks], columns: 100).first?.displayWidth == 100)
    }

    @Test("Peaks are kept where a column of text has many, and repeated where many have one")
    func scales() {
        var peaks = [Float](repeating: 0.0001, count: 20_000)
        peaks[10_000] = 1
        let text = lines([peaks], seconds: 20_000)[0]
        #expect(Array(text).indices.filter { Array(text)[$0] == "█" } == [11 + 10])
        #expect(lines([[1]], seconds: 1)[0] == String(repeating: " ", count: 11) + String(repeating: "█", count: 20))
    }

    @Test("Names reach no terminal raw, and many channels share their lines")
    func names() {
        let hostile = lines([peaks], names: ["\u{1B}[2J\u{202E}a very long name"])
        #expect(hostile.allSatisfy { PrintableText.isPrintable($0) && $0.displayWidth <= 31 })
        let many = lines(Array(repeating: peaks, count: 9))
        #expect(many.count == 4 && many[1].hasPrefix("all "))
    }

    @Test("Nothing is drawn of no sound, and no place is beyond the end")
    func nothing() {
        #expect(lines([]).isEmpty && lines([[]]).isEmpty && lines([peaks], seconds: 0).isEmpty)
        let far = [
            WaveformText.Place(seconds: .infinity, isGap: true), .init(seconds: 1e300, isGap: false),
            .init(seconds: -5, isGap: true),
        ]
        let drawn = lines([peaks], places: far)
        #expect(drawn.suffix(2) == ["gaps       !", "markers    " + String(repeating: " ", count: 19) + "^"])
    }
}
