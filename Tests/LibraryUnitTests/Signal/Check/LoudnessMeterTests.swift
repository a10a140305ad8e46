import Glibc
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The test signals of EBU Tech 3341 and 3342 that are described there by their levels, each with its tolerance.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct LoudnessMeterTests {
    private static let rate = 48_000

    /// Seconds of a tone of 1 kHz at a peak level in dBFS; silence for nil.
    private typealias Stretch = (seconds: Double, level: Double?)

    /// A stereo tone, the same in both channels.
    private func stereo(_ stretches: [Stretch]) -> [Float] {
        var samples: [Float] = []
        for stretch in stretches {
            let amplitude = stretch.level.map { pow(10, $0 / 20) } ?? 0
            for index in 0..<Int((stretch.seconds * Double(Self.rate)).rounded()) {
                let sample = Float(amplitude * Self.cycle[index % Self.cycle.count])
                samples.append(sample)
                samples.append(sample)
            }
        }
        return samples
    }

    private static let cycle = (0..<48).map { sin(2 * .pi * Double($0) / 48) }

    /// Stretches in seconds and dBFS, and the loudness of all.
    private static let programmes: [([(Double, Double)], Double)] = [
        ([(20, -23)], -23), ([(20, -33)], -33), ([(10, -36), (60, -23), (10, -36)], -23),
        ([(10, -72), (10, -36), (60, -23), (10, -36), (10, -72)], -23), ([(20, -26), (20.1, -20), (20, -26)], -23),
    ]

    @Test("Integrated loudness of EBU Tech 3341, signals 1 to 5", arguments: programmes.indices)
    func integratedLoudness(_ index: Int) throws {
        let signal = Self.programmes[index]
        var check = SignalCheck(sampleRate: Double(Self.rate), channelMap: .standard(channelCount: 2), integerBits: nil)
        check.add(all: stereo(signal.0.map { ($0.0, $0.1) }))
        let measured = check.finish()
        let integrated = try #require(measured.integrated)
        #expect(abs(integrated - signal.1) <= 0.1)
    }

    @Test("The weights of channels, by signal 6 of EBU Tech 3341")
    func channelWeights() throws {
        let levels = [-28.0, -28, -24, -30, -30].map { pow(10, $0 / 20) }
        var samples: [Float] = []
        for index in 0..<20 * Self.rate {
            for level in levels { samples.append(Float(level * Self.cycle[index % 48])) }
        }
        var check = SignalCheck(sampleRate: Double(Self.rate), channelMap: .standard(channelCount: 5), integerBits: nil)
        check.add(all: samples)
        let measured = check.finish()
        let integrated = try #require(measured.integrated)
        #expect(abs(integrated + 23) <= 0.1)
    }

    /// Stretches in seconds and dBFS, how often they occur, and whether the window is the long one.
    private static let alternations: [([(Double, Double)], Int, Bool)] = [
        ([(1.34, -20), (1.66, -30)], 5, true), ([(0.18, -20), (0.22, -30)], 25, false),
    ]

    @Test("Signals 9 and 12 of EBU Tech 3341: short-term and momentary loudness stay the same", arguments: [0, 1])
    func slidingWindows(_ index: Int) throws {
        let signal = Self.alternations[index]
        let samples = stereo((0..<signal.1).flatMap { _ in signal.0.map { ($0.0, $0.1) } })
        var check = SignalCheck(sampleRate: Double(Self.rate), channelMap: .standard(channelCount: 2), integerBits: nil)
        // Blocks of 100 ms, after which both are renewed.
        let length = Self.rate / 10
        for first in stride(from: 0, to: samples.count / 2, by: length) {
            samples.withUnsafeBufferPointer { samples in
                check.add(UnsafeBufferPointer(rebasing: samples[2 * first..<2 * (first + length)]), at: first)
            }
            guard let loudness = signal.2 ? check.shortTermLoudness : check.momentaryLoudness else { continue }
            #expect(abs(loudness + 23) <= 0.1)
        }
        let integrated = check.integratedLoudness
        #expect(abs(try #require(integrated) + 23) <= 0.1)
    }

    @Test("Signals 10 and 13 of EBU Tech 3341: the highest loudness of a tone, wherever it begins", arguments: 1...20)
    func highestLoudness(step: Int) throws {
        let measured = [(0.15, 3.0), (0.02, 0.4)].map { pause, length in
            figures(of: stereo([(Double(step) * pause, nil), (length, -23), (1, nil)]))
        }
        #expect(abs(try #require(measured[0].shortTerm) + 23) <= 0.1)
        #expect(abs(try #require(measured[1].momentary) + 23) <= 0.1)
    }

    /// The length of the tones in seconds, and by how much later each begins within a time of the same length.
    private static let risingTones = [(3.0, 0.15), (0.4, 0.02)]

    @Test("Signals 11 and 14 of EBU Tech 3341: twenty tones, each 1 dB louder, wherever they begin", arguments: [0, 1])
    func risingLoudness(_ index: Int) throws {
        let (length, pause) = Self.risingTones[index]
        var check = SignalCheck(sampleRate: Double(Self.rate), channelMap: .standard(channelCount: 2), integerBits: nil)
        var frame = 0
        for step in 0..<20 {
            let level = Double(step) - 38
            let begin = Double(step) * pause
            var highest = -Double.infinity
            let samples = stereo([(begin, nil), (length, level), (length - begin, nil)])
            // Blocks of 10 ms, with which a meter is renewed.
            for block in stride(from: 0, to: samples.count, by: 2 * Self.rate / 100) {
                samples[block..<block + 2 * Self.rate / 100].withUnsafeBufferPointer { check.add($0, at: frame) }
                frame += Self.rate / 100
                let loudness = index == 0 ? check.shortTermLoudness : check.momentaryLoudness
                highest = max(highest, loudness ?? highest)
            }
            #expect(abs(highest - level) <= 0.1, "step \(step)")
        }
    }

    private static let ranges: [([Double], Double)] = [
        ([-20, -30], 10), ([-20, -15], 5), ([-40, -20], 20), ([-50, -35, -20, -35, -50], 15),
    ]

    @Test("The loudness range of EBU Tech 3342, signals 1 to 4", arguments: ranges)
    func loudnessRange(levels: [Double], range: Double) throws {
        let measured = try #require(figures(of: stereo(levels.map { (20, $0) })).range)
        #expect(abs(measured - range) <= 1)
    }

    /// Sines whose samples lie beside their peaks: the sample rate over their frequency, phase, amplitude and true peak.
    private static let sines: [(Double, Double, Double, Double)] = [
        (4, 0, 0.5, -6), (4, 45, 0.5, -6), (6, 60, 0.5, -6), (8, 67.5, 0.5, -6), (4, 45, 1.41, 3),
    ]

    @Test("The true peaks of EBU Tech 3341, signals 15 to 19", arguments: sines)
    func truePeak(divisor: Double, degrees: Double, amplitude: Double, level: Double) {
        let samples = (0..<Self.rate).flatMap { index -> [Float] in
            // Begins and ends gently, as a step has peaks of its own.
            let fade = min(1, Double(min(index, Self.rate - index)) / 4_800)
            let sample = fade * amplitude * sin(2 * .pi * (Double(index) / divisor + degrees / 360))
            return [Float(sample), Float(sample)]
        }
        let measured = figures(of: samples).truePeak
        #expect((level - 0.4...level + 0.2).contains(measured))
    }

    @Test("The true peaks of EBU Tech 3341, signals 20 to 23", arguments: 0..<4)
    func truePeakBetweenSamples(offset: Int) {
        // At four times the rate: a sine of a quarter of the rate, and in its midst one period of a sixth at full scale.
        let quarter = (0..<19_200).map { 0.5 * sin(2 * .pi * Double($0) / 16) }
        let signal = quarter + (0..<24).map { sin(2 * .pi * Double($0) / 24) } + quarter
        // A low-pass filter at 23 kHz: a sinc with a Hann window.
        let length = 255
        let filter = (-length...length).map { tap in
            let (x, window) = (.pi * Double(tap) * 46 / 192, 0.5 + 0.5 * cos(.pi * Double(tap) / Double(length + 1)))
            return (tap == 0 ? 1 : sin(x) / x) * window * 46 / 192
        }
        let samples = stride(from: length + offset, to: signal.count - length, by: 4).flatMap { center in
            let sample = Float(zip(filter, signal[(center - length)...]).reduce(0) { $0 + $1.0 * $1.1 })
            return [sample, sample]
        }
        #expect((-0.4...0.2).contains(figures(of: samples).truePeak))
    }

    private func figures(of samples: [Float]) -> SignalFigures {
        var check = SignalCheck(sampleRate: Double(Self.rate), channelMap: .standard(channelCount: 2), integerBits: nil)
        check.add(all: samples)
        return check.finish()
    }
}
