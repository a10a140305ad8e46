import Foundation
import TestSupport
import Testing

/// What a conversion does to a signal, in figures. `make fidelity` measures more of them, and other recorders too.
///
/// The signals come from a source that is read as fast as it is fed, so the first frame of each is the first one of
/// its take.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ConversionFiguresTests {
    static let rates = [8_000, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000]
    static let pairings = [(48_000, 44_100), (44_100, 48_000), (96_000, 48_000), (48_000, 16_000)]

    @Test("F-05: a tone has 140 dB to noise and distortion", arguments: pairings)
    func keepsATonePure(from: Int, to: Int) async throws {
        let format = PCMFormat(rate: from, channels: 1, encoding: .f32)
        let tone = Signal.sine(frequency: 997, peak: -1, rate: from, channels: 1, frames: 3 * from)
        try await PrivateServer.with(.pulseAudio) { server in
            let options = ["--encoding", "f32", "--quality", "best", "--max", "2.5"]
            let take = try await Self.record(Signal.data(tone), format, to: to, options, on: server)
            // Without the first quarter of a second, where the tone has only begun.
            let measured = Tone(in: Array(take.floats.suffix(2 * to)), rate: to, at: 997)
            #expect(abs(measured.peak + 1) < 0.001)
            #expect(measured.rms - measured.residual >= 140)
        }
    }

    @Test("F-05: nine tenths of the band are kept, and nothing folds into it", arguments: pairings)
    func keepsTheBandAndNoMore(from: Int, to: Int) async throws {
        let format = PCMFormat(rate: from, channels: 1, encoding: .f32)
        let lowerNyquist = Double(min(from, to)) / 2
        // What folds over a Nyquist frequency is strongest just beside it: an alias of what is above the output's, an
        // image of what is below the source's.
        let beside = lowerNyquist * (to < from ? 1.02 : 0.98)
        let tones = [0.9 * lowerNyquist, beside].flatMap {
            Signal.sine(frequency: $0, peak: -1, rate: from, channels: 1, frames: from)
        }
        try await PrivateServer.with(.pulseAudio) { server in
            let options = ["--encoding", "f32", "--quality", "best", "--max", "2"]
            let take = try await Self.record(Signal.data(tones), format, to: to, options, on: server).floats
            // The middle of each second: at its ends, a tone begins or ends.
            let inBand = Tone(in: Array(take[to / 4..<to * 3 / 4]), rate: to, at: 0.9 * lowerNyquist)
            #expect(abs(inBand.peak + 1) < 0.05)
            let second = Array(take[to * 5 / 4..<to * 7 / 4])
            let unwanted = to < from ? second.map(Double.init) : Tone(in: second, rate: to, at: beside).rest
            let power = unwanted.reduce(0) { $0 + $1 * $1 } / Double(unwanted.count)
            // The second tone, too, has an RMS of 3 dB below its peak of -1 dB.
            #expect(10 * log10(power) + 1 + 10 * log10(2) < -120)
        }
    }

    @Test("F-05: an impulse lies where it was, within half a sample, in every pairing", arguments: rates)
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
                        // Half a sample is the promise; less is asked for, since at 8 kHz a frame of a source of 192 kHz
                        // is a twenty-fourth of a sample.
                        #expect(abs(position - expected) < 0.02, "\(from) Hz to \(to) Hz")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("A tone below the last bit survives a conversion to 16 bits, in noise that is flat and as small as can be")
    func dithersWhatItConverts() async throws {
        let format = PCMFormat(rate: 48_000, channels: 1, encoding: .f32)
        let tone = Signal.sine(frequency: 997, peak: -100, rate: 48_000, channels: 1, frames: 4 * 48_000)
        try await PrivateServer.with(.pulseAudio) { server in
            let options = ["--encoding", "s16", "--quality", "best", "--max", "3"]
            let take = try await Self.record(Signal.data(tone), format, to: 44_100, options, on: server)
            #expect(take.bits == 16)
            let measured = Tone(in: Array(take.floats.suffix(2 * 44_100)), rate: 44_100, at: 997)
            #expect(abs(measured.peak + 100) < 1)
            // Triangular dither has a sixth of a step squared, and the rounding a twelfth.
            let theory = 10 * log10(0.25 / (32_768 * 32_768))
            #expect(abs(measured.residual - theory) < 1)
            for band in Spectrum.bands(of: measured.rest, count: 8, upTo: 0.9) {
                #expect(abs(band - (theory + 10 * log10(0.9 / 8))) < 1)
            }
        }
    }

    @Test("F-02: a tone below the last bit that is not converted has the source's own bits")
    func addsNothingToWhatItDoesNotConvert() async throws {
        let format = PCMFormat(rate: 48_000, channels: 1, encoding: .s16)
        let frames = 2 * 48_000
        let tone = Signal.sine(frequency: 997, peak: -100, rate: 48_000, channels: 1, frames: frames)
        let noise = Signal.noise(seed: 11, samples: frames).map { Float($0) / 32_768 / 32_768 }
        let source = Signal.int16(zip(tone, noise).map(+))
        #expect(Set(source) == [-1, 0, 1])
        try await PrivateServer.with(.pulseAudio) { server in
            let take = try await Self.record(
                Signal.data(source), format, to: 48_000, ["--encoding", "s16", "--max", "1.5"], on: server)
            #expect(take.frames == 72_000)
            #expect(Signal.difference(of: take.int16[...], from: source, at: 0) == nil)
        }
    }

    /// The take, at a rate, of a source of one channel that begins with these samples and is silent after them.
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
            let path = server.directory.appending(path: "\(name).wav")
            let result = try await AccrecProcess.run(
                ["record", "-o", path.path, "-d", name, "-r", "\(rate)", "-c", "1"] + options, on: server)
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(result.standardError.contains("lost      0 frames"))
            let take = try PCMFile(wav: path)
            #expect(take.rate == rate && take.channels == 1)
            return take
        }
    }
}
