import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

@Suite struct MeterLineTests {
    private func level(rms: Double, peak: Float) -> ChannelLevel {
        var level = ChannelLevel()
        level.peak = peak
        level.sumOfSquares = rms * rms * 100
        level.sampleCount = 100
        return level
    }

    private func line(_ channels: [ChannelLevel], clipped: Int = 0, columns: Int) -> String {
        let levels = RecordingLevels(channels: channels, totalClippedCount: clipped, timestamp: 12.34)
        var hold = PeakHold()
        hold.update(levels)
        return MeterLine(levels: levels, hold: hold).text(columns: columns)
    }

    @Test func showsRMSPeakAndTime() {
        // -20 dBFS is two thirds of the scale of 60 dB, -12.04 (a quarter of full scale) four fifths.
        let text = line([level(rms: 0.1, peak: 0.25)], columns: 67)
        #expect(text == "REC 0:12.3 [####################====      ]  -20.0 peak  -12.0 dBFS")
    }

    @Test func hasABarForEachOfTwoChannelsAndOneForMore() {
        let loud = level(rms: 0.1, peak: 0.25)
        #expect(line([loud, loud], columns: 100).count { $0 == "[" } == 2)
        #expect(line([loud, loud, loud], columns: 100).count { $0 == "[" } == 1)
    }

    @Test func tellsOfClipping() {
        #expect(line([level(rms: 1, peak: 1)], clipped: 7, columns: 80).hasSuffix("CLIP 7"))
    }

    @Test func neverWrapsARow() {
        for columns in 1...200 {
            for channels in [1, 2, 32] {
                let text = line(
                    [ChannelLevel](repeating: level(rms: 1, peak: 1), count: channels), clipped: 123_456,
                    columns: columns)
                #expect(text.count <= columns)
            }
        }
    }
}
