import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

// They have one thread.
@Suite(.tags(.skipsThreadSanitizer)) struct LaneRateTests {
    private static let rate = 48_000
    private static let block = 480

    private static func tone(_ frequency: Double, _ frames: Range<Int>) -> [Float] {
        frames.map {
            Float(0.5 * sin(2 * .pi * (frequency * Double($0) / Double(rate)).truncatingRemainder(dividingBy: 1)))
        }
    }

    /// What a lane's rate makes of a tone.
    ///
    /// - Parameter drift: The clock's at a time in seconds.
    private func convert(
        _ frequency: Double, seconds: Double, to recordingRate: Int = rate, drift: (Double) -> Double
    ) throws -> (samples: [Double], misplacement: Double) {
        var lane = try LaneRate(
            from: Self.rate, to: recordingRate, channelCount: 1, quality: .best, blockFrames: Self.block + 64)
        var samples: [Double] = []
        var time = 1.0
        lane.start(at: time, drift: drift(0))
        let first = lane.position
        for frame in stride(from: 0, to: Int(seconds * Double(Self.rate)), by: Self.block) {
            let length = Double(Self.block) / Double(Self.rate)
            // The clock changes once a second.
            let drift = drift((Double(frame) / Double(Self.rate)).rounded(.down))
            time += length * (1 + drift)
            try withBlock(Self.tone(frequency, frame..<frame + Self.block)) { block in
                lane.append(block, until: time, drift: drift)
                while let placed = try lane.next() {
                    #expect(placed.position == first + samples.count)
                    samples += placed.block.samples.map(Double.init)
                }
            }
        }
        return (samples, lane.misplacement)
    }

    @Test(
        "A tone through a gliding ratio keeps 120 dB to all else", arguments: [1_000.0, 10_000], [-100e-6, 100e-6])
    func purity(frequency: Double, drift: Double) throws {
        // The clock changes as fast as it may, and back.
        let (samples, misplacement) = try convert(frequency, seconds: 2.2) { drift + ($0 == 1 ? 20e-6 : 0) }
        let length = 32_768
        for start in [4_800, 35_000, 68_000] {
            let distance = Spectrum.toneToRest(of: Array(samples[start..<start + length]))
            #expect(distance >= 120)
        }
        #expect(abs(misplacement) < 1)
    }

    @Test("Output frames lie on the clock, and follow each other", arguments: [(48_000, 100e-6), (44_100, -500e-6)])
    func placement(recordingRate: Int, drift: Double) throws {
        let (samples, misplacement) = try convert(1_000, seconds: 2, to: recordingRate) { _ in drift }
        #expect(abs(misplacement) < 0.3)
        let expected = 2 * Double(recordingRate) * (1 + drift)
        // The filter holds back less than 160 source frames.
        #expect(Double(samples.count) <= expected && Double(samples.count) > expected - 160)
        let tone = Tone(in: samples.dropFirst(4_800).map(Float.init), rate: recordingRate, near: 1_000)
        #expect(abs(tone.frequency / 1_000 - 1 / (1 + drift)) < 3e-6)
    }

    @Test("After a gap frames lie where they are placed, and nothing of before is in them")
    func gap() throws {
        var lane = try LaneRate(
            from: Self.rate, to: Self.rate, channelCount: 1, quality: .fastest, blockFrames: Self.block)
        func take() throws -> (position: Int, samples: [Float]) {
            var all: (Int, [Float])?
            while let placed = try lane.next() { all = (all?.0 ?? placed.position, (all?.1 ?? []) + placed.block.copy) }
            return try #require(all)
        }
        lane.start(at: 2, drift: 50e-6)
        try withBlock([Float](repeating: 0.5, count: Self.block)) { block in
            lane.append(block, until: 2 + 0.01 * (1 + 50e-6), drift: 50e-6)
            let begin = try take()
            #expect(begin.position == 96_000)
            lane.finish()
            #expect(begin.samples.count + (try take()).samples.count == Self.block + 1)
        }
        lane.start(at: 2.2, drift: 50e-6)
        try withBlock([Float](repeating: 0, count: Self.block)) { block in
            lane.append(block, until: 2.2 + 0.01 * (1 + 50e-6), drift: 50e-6)
            let next = try take()
            #expect(next.position == 105_600)
            #expect(next.samples.allSatisfy { $0 == 0 })
        }
    }

    @Test("The resampler says at which source frame each of its output frames lies, while its ratio glides")
    func accounting() throws {
        var resampler = try Resampler(from: Self.rate, to: Self.rate, channelCount: 2, quality: .best, blockFrames: 700)
        let frequency = 0.05
        for turn in 0..<60 {
            // Far from what a clock does, so that a wrong count is visible.
            resampler.glide(to: 1 + 0.01 * sin(Double(turn)))
            let source = (turn * Self.block..<(turn + 1) * Self.block).flatMap { frame in
                [Float(sin(2 * .pi * frequency * Double(frame))), Float(0)]
            }
            try withBlock(source, channels: 2) { block in
                resampler.append(block)
                var position = resampler.position
                while let output = try resampler.next() {
                    if position > 300 {
                        let expected = sin(2 * .pi * frequency * position)
                        #expect(abs(Double(output.samples[0]) - expected) < 1e-5, "\(turn) \(position)")
                    }
                    position = resampler.position
                }
            }
        }
    }
}
