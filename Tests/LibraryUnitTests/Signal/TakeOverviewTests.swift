import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite struct TakeOverviewTests {
    private typealias Detail = TakeOverview.Detail

    private func overview(
        of samples: [Float], channels: Int, rate: Int = 48_000, detail: TakeOverview.Detail, expected: Int? = nil,
        blocks: (Int) -> Int = { $0 }
    ) -> (waveform: Waveform, spectrogram: Spectrogram?) {
        var overview = TakeOverview(
            channelCount: UInt32(channels), sampleRate: Double(rate), detail: detail, expectedFrames: expected)
        var rest = samples[...]
        while !rest.isEmpty {
            let block = Array(rest.prefix(max(blocks(rest.count / channels), 1) * channels))
            block.withUnsafeBufferPointer { overview.append($0) }
            rest = rest.dropFirst(block.count)
        }
        return (overview.waveform, overview.spectrogram)
    }

    private func noise(_ count: Int, seed: UInt64 = 1) -> [Float] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in .random(in: -1...1, using: &random) }
    }

    @Test(
        "Columns that merged have the exact lowest and highest sample of their frames, for any length and capacity",
        arguments: [2, 3, 7, 16], [1, 2, 5])
    func agreesWithDirectComputation(capacity: Int, channels: Int) {
        var random = SplitMix64(seed: 3)
        for frames in [0, 1, 2, 15, 16, 17, 100, 1_023, 5_000] {
            let samples = noise(frames * channels)
            for expected in [nil, frames, 1, 300] {
                let waveform = overview(
                    of: samples, channels: channels,
                    detail: Detail(waveformColumns: capacity, spectrogramColumns: 0, bands: 1),
                    expected: expected, blocks: { Int.random(in: 1...max($0, 1), using: &random) }
                ).waveform
                let length = waveform.framesPerColumn
                #expect(waveform.channels.count == channels)
                for channel in 0..<channels {
                    let own = stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
                    let columns = stride(from: 0, to: own.count, by: length).map { first -> ClosedRange<Float> in
                        let part = own[first..<min(first + length, own.count)]
                        return part.min()!...part.max()!
                    }
                    #expect(waveform.channels[channel] == columns)
                    #expect(columns.count <= capacity)
                }
            }
        }
    }

    @Test("A stated length uses all columns, and a wrong one still shows everything")
    func expectedLength() {
        let detail = Detail(waveformColumns: 10, spectrogramColumns: 0, bands: 1)
        let samples = noise(1_000)
        #expect(overview(of: samples, channels: 1, detail: detail, expected: 1_000).waveform.channels[0].count == 10)
        let short = overview(of: samples, channels: 1, detail: detail, expected: .max).waveform
        #expect(short.channels[0] == [samples.min()!...samples.max()!])
    }

    @Test("Samples that are no numbers are left out")
    func notANumber() {
        let detail = Detail(waveformColumns: 4, spectrogramColumns: 4, bands: 8)
        var samples = [Float](repeating: .nan, count: 9_000)
        let silent = overview(of: samples, channels: 1, detail: detail)
        #expect(silent.waveform.channels[0].allSatisfy { $0 == 0...0 })
        samples[8_000] = 0.5
        let sound = overview(of: samples, channels: 1, detail: detail)
        #expect(sound.waveform.channels[0].contains(0.5...0.5))
        #expect(sound.spectrogram!.columns.allSatisfy { $0.allSatisfy { !$0.isNaN && $0 < 0 } })
    }

    private func sine(_ frequency: Double, _ frames: Int, rate: Int = 48_000) -> [Float] {
        (0..<frames).map { Float(sin(2 * .pi * frequency * Double($0) / Double(rate))) }
    }

    @Test(
        "A sine of full scale has 0 dBFS in its band, and its place in time",
        arguments: [8_000, 16_000, 44_100, 48_000, 96_000, 192_000])
    func sines(rate: Int) throws {
        let detail = Detail(waveformColumns: 2, spectrogramColumns: 24, bands: 32)
        let tones = [440.0, 2_200]
        let samples = tones.flatMap { sine($0, rate * 3, rate: rate) }
        // From a short first column to a length that merges columns.
        let spectrogram = try #require(overview(of: samples, channels: 1, rate: rate, detail: detail).spectrogram)
        #expect((12...24).contains(spectrogram.columns.count))
        let width = pow(spectrogram.frequencies.upperBound / spectrogram.frequencies.lowerBound, 1.0 / 32)
        for (index, column) in spectrogram.columns.enumerated() {
            let middle = (Double(index) + 0.5) * Double(spectrogram.framesPerColumn)
            // The column in the middle has both tones.
            guard abs(middle - Double(rate) * 3) > Double(spectrogram.framesPerColumn) else { continue }
            let tone = tones[middle < Double(rate) * 3 ? 0 : 1]
            let loudest = try #require(column.indices.max { column[$0] < column[$1] })
            let edges = (0...1).map { spectrogram.frequencies.lowerBound * pow(width, Double(loudest + $0)) }
            #expect(edges[0] / width < tone && tone < edges[1] * width)
            // A Hann window shows a sine between two bins 1.4 dB too low.
            #expect((-1.5...0.1).contains(column[loudest]))
        }
    }

    @Test("Two channels of opposite polarity do not cancel out")
    func polarity() throws {
        let samples = sine(1_000, 48_000).flatMap { [$0, -$0] }
        let detail = Detail(waveformColumns: 2, spectrogramColumns: 4, bands: 16)
        let spectrogram = try #require(overview(of: samples, channels: 2, detail: detail).spectrogram)
        #expect(spectrogram.columns.allSatisfy { $0.max()! > -2 })
    }

    @Test("Silence is silent, and too few frames have no spectrogram")
    func silence() throws {
        let detail = Detail(waveformColumns: 2, spectrogramColumns: 4, bands: 16)
        let silent = overview(of: [Float](repeating: 0, count: 48_000), channels: 1, detail: detail)
        #expect(try #require(silent.spectrogram).columns.allSatisfy { $0.allSatisfy { $0 == -.infinity } })
        #expect(overview(of: [0, 1], channels: 1, detail: detail).spectrogram == nil)
    }

    @Test("A loudness curve keeps the loudest value of its points, and is bounded", arguments: [2, 3, 8])
    func loudness(capacity: Int) {
        for count in [0, 1, 2, 7, 8, 9, 100] {
            var curve = LoudnessCurve(capacity: capacity)
            let values = noise(count).map { Double($0) * 20 - 30 }
            for value in values { curve.append(momentary: value, shortTerm: value > -30 ? value - 1 : nil) }
            let length = Int((curve.pointLength / .milliseconds(100)).rounded())
            let parts = stride(from: 0, to: count, by: length).map { values[$0..<min($0 + length, count)] }
            #expect(parts.count <= capacity)
            #expect(curve.points.map(\.momentary) == parts.map { $0.max()! })
            #expect(
                curve.points.map(\.shortTerm) == parts.map { $0.filter { $0 > -30 }.map { $0 - 1 }.max() ?? -.infinity }
            )
        }
    }
}
