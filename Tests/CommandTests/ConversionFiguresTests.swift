import Foundation
import TestSupport
import Testing

/// Measured quality of sample rate conversion. `make fidelity` measures more, and other recorders too.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ConversionFiguresTests {
    static let rates = [8_000, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000]
    static let pairings = [(48_000, 44_100), (44_100, 48_000), (96_000, 48_000), (48_000, 16_000)]

    @Test(
        "F-05: a tone has a SINAD of 140 dB, 90 % of the band is preserved, and nothing aliases",
        arguments: ServerKind.allCases, pairings)
    func convertsWithTheBest(kind: ServerKind, pairing: (from: Int, to: Int)) async throws {
        let (from, to) = pairing
        let nyquist = Double(min(from, to)) / 2
        let inBand = [0.3, 0.6, 0.9].map { $0 * nyquist }
        // Aliases and images are strongest right beside the Nyquist frequency: an alias of what is above the output's,
        // an image of what is below the source's.
        let beside = nyquist * (to < from ? 1.02 : 0.98)
        let options = ["--encoding", "f32", "--quality", "best"]
        try await PrivateServer.with(kind) { server in
            try await Self.whereUndisturbed(kind) {
                async let pure = Self.record([997], peak: -1, from, to: to, options, on: server)
                async let band = Self.record(inBand + [beside], peak: -13, from, to: to, options, on: server)
                let tone = Tone(in: try await pure.floats.suffix(to), rate: to, at: 997)
                var isRight = abs(tone.peak + 1) < 0.001 && tone.rms - tone.residual >= 140

                var rest = try await band.floats.suffix(to).map(\.self)
                var peaks: [Double] = []
                for frequency in inBand + (to < from ? [] : [beside]) {
                    let tone = Tone(in: rest, rate: to, at: frequency)
                    peaks.append(tone.peak)
                    rest = tone.rest.map(Float.init)
                }
                let power = rest.reduce(0) { $0 + Double($1) * Double($1) } / Double(rest.count)
                let unwanted = 10 * log10(2 * power) + 13
                isRight = isRight && peaks.prefix(3).allSatisfy { abs($0 + 13) < 0.05 } && unwanted < -120
                return (
                    isRight,
                    "\(from) to \(to) Hz: \(tone.peak) dBFS, \(tone.rms - tone.residual) dB; \(peaks), \(unwanted) dB"
                )
            }
        }
    }

    @Test("F-05: an impulse keeps its position within half a sample, at all pairs of rates", arguments: rates)
    func keepsTheTime(from: Int) async throws {
        let format = PCMFormat(rate: from, channels: 1, encoding: .f32)
        let frame = from / 10 + 3
        var impulse = [Float](repeating: 0, count: from / 2)
        impulse[frame] = 1
        let data = Signal.data(impulse)
        try await PrivateServer.with(.pulseAudio) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for to in Self.rates {
                    group.addTask {
                        let options = ["--encoding", "f32", "--quality", "best", "--max", "0.25"]
                        let take = try await Self.record(data, format, to: to, options, on: server)
                        #expect(take.frames == (to + 2) / 4)
                        let band = 0.9 * Double(min(from, to)) / Double(to)
                        let position = try #require(Impulse.position(in: take.floats, upTo: band))
                        let expected = Double(frame) * Double(to) / Double(from)
                        // Half a sample is guaranteed. The tolerance here is smaller, because at 8 kHz a frame of a 192
                        // kHz source is a twenty-fourth of a sample.
                        #expect(abs(position - expected) < 0.02, "\(from) Hz to \(to) Hz")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(
        "A tone below the last bit survives conversion to 16 bits, in flat noise at the theoretical minimum",
        arguments: ServerKind.allCases)
    func dithersWhatItConverts(kind: ServerKind) async throws {
        let options = ["--encoding", "s16", "--quality", "best"]
        try await PrivateServer.with(kind) { server in
            try await Self.whereUndisturbed(kind) {
                let take = try await Self.record([997], peak: -100, 48_000, to: 44_100, options, on: server)
                #expect(take.bits == 16)
                let tone = Tone(in: take.floats.suffix(44_100), rate: 44_100, at: 997)
                // Triangular dither has a power of 1/6 LSB², and rounding 1/12 LSB².
                let theory = 10 * log10(0.25 / (32_768 * 32_768))
                let bands = Spectrum.bands(of: tone.rest, count: 8, upTo: 0.9)
                let isFlat = bands.allSatisfy { abs($0 - (theory + 10 * log10(0.9 / 8))) < 1 }
                return (
                    abs(tone.peak + 100) < 1 && abs(tone.residual - theory) < 1 && isFlat,
                    "\(tone.peak) dBFS in \(tone.residual) dBFS of noise, by bands \(bands)"
                )
            }
        }
    }

    @Test(
        "F-02: a tone below the last bit that needs no conversion keeps the source's bits",
        arguments: ServerKind.allCases)
    func addsNothingToWhatItDoesNotConvert(kind: ServerKind) async throws {
        let format = PCMFormat(rate: 48_000, channels: 1, encoding: .s16)
        let frames = 2 * 48_000
        let tone = Signal.sine(frequency: 997, peak: -100, rate: 48_000, channels: 1, frames: frames)
        let noise = Signal.noise(seed: 11, samples: frames).map { Float($0) / 32_768 / 32_768 }
        let source = Signal.int16(zip(tone, noise).map(+))
        #expect(Set(source) == [-1, 0, 1])
        try await PrivateServer.with(kind) { server in
            try await Self.whereUndisturbed(kind) {
                let options = ["--encoding", "s16", "--max", "1.5"]
                let take = try await Self.record(playing: Signal.data(source), format, to: 48_000, options, on: server)
                #expect(take.frames == 72_000)
                // The player may start later than the take.
                let sound = take.int16.drop { $0 == 0 }
                let offset = Signal.offset(of: sound, in: source + source)
                let difference = offset.map { Signal.difference(of: sound, from: source + source, at: $0) }
                let isWhole = difference == .some(nil) && sound.count > 24_000
                return (isWhole, "\(sound.count) samples at \(offset ?? -1): \(String(describing: difference))")
            }
        }
    }

    /// Measures, repeating on PipeWire until the result is right, because on a busy machine it skips cycles. A fault of
    /// the recorder would show every time.
    private static func whereUndisturbed(
        _ kind: ServerKind, measure: () async throws -> (isRight: Bool, figures: String)
    ) async throws {
        for _ in 0..<(kind == .pipeWire ? 2 : 0) where try await measure().isRight { return }
        let (isRight, figures) = try await measure()
        #expect(isRight, "\(figures)")
    }

    /// Records sines that a mono source plays throughout, each with this peak in dBFS.
    ///
    /// - Parameter frequencies: In whole hertz.
    private static func record(
        _ frequencies: [Double], peak: Double, _ from: Int, to rate: Int, _ options: [String], on server: PrivateServer
    ) async throws -> PCMFile {
        let format = PCMFormat(rate: from, channels: 1, encoding: .f32)
        var sum = [Float](repeating: 0, count: from)
        for frequency in frequencies {
            let sine = Signal.sine(frequency: frequency, peak: peak, rate: from, channels: 1, frames: from)
            for (index, sample) in sine.enumerated() { sum[index] += sample }
        }
        return try await record(
            playing: Signal.data(sum), format, to: rate, options + ["--max", "1.5"], on: server)
    }

    /// Records a mono source that plays these samples in a loop.
    private static func record(
        playing samples: Data, _ format: PCMFormat, to rate: Int, _ options: [String], on server: PrivateServer
    ) async throws -> PCMFile {
        let sink = "tones-\(UUID().uuidString)"
        if server.kind == .pipeWire { try await server.forceRate(format.rate) }
        try await server.loadNullSink(sink, format)
        return try await Player.with(samples, format, into: sink, on: server) { _ in
            try await record("\(sink).monitor", to: rate, options, on: server)
        }
    }

    /// Records a mono source that begins with these samples, followed by silence. It is read as fast as it is fed, so
    /// its first frame is the first of the take.
    private static func record(
        _ samples: Data, _ format: PCMFormat, to rate: Int, _ options: [String], on server: PrivateServer
    ) async throws -> PCMFile {
        let name = "from\(format.rate)to\(rate)"
        let generate: @Sendable (Int, Int) -> Data = { first, count in
            let start = min(first * format.frameSize, samples.count)
            let end = min(start + count * format.frameSize, samples.count)
            return Data(samples[start..<end]) + Data(count: count * format.frameSize - (end - start))
        }
        return try await PipeSourceFeeder.with(name, format, on: server, generate: generate) { _ in
            try await record(name, to: rate, options, on: server)
        }
    }

    /// Records a source as mono at a sample rate.
    private static func record(
        _ source: String, to rate: Int, _ options: [String], on server: PrivateServer
    ) async throws -> PCMFile {
        let path = server.directory.appending(path: "\(source).wav")
        let result = try await AccrecProcess.run(
            ["record", "-o", path.path, "-d", source, "-r", "\(rate)", "-c", "1"] + options, on: server)
        #expect(result.end == .exit(0), "\(result.standardError)")
        #expect(result.standardError.contains("lost      0 frames"))
        let take = try PCMFile(wav: path)
        #expect(take.rate == rate && take.channels == 1)
        return take
    }
}
