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
            async let pure = Self.undisturbed([997], peak: -1, from, to: to, options, on: server)
            async let band = Self.undisturbed(inBand + [beside], peak: -13, from, to: to, options, on: server)
            let tone = Tone(in: try await pure, rate: to, at: 997)
            #expect(abs(tone.peak + 1) < 0.001)
            #expect(tone.rms - tone.residual >= 140)

            var rest = try await band
            var peaks: [Double] = []
            let frequencies = inBand + (to < from ? [] : [beside])
            // Twice, because what is fitted to one tone has a little of the others.
            for frequency in frequencies + frequencies {
                let tone = Tone(in: rest, rate: to, at: frequency)
                peaks.append(tone.peak)
                rest = tone.rest.map(Float.init)
            }
            #expect(peaks.prefix(3).allSatisfy { abs($0 + 13) < 0.05 }, "\(peaks)")
            let power = rest.reduce(0) { $0 + Double($1) * Double($1) } / Double(rest.count)
            let unwanted = 10 * log10(2 * power) + 13
            #expect(unwanted < -120)
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
                        let recording = try await Self.record(data, format, to: to, options, on: server)
                        #expect(recording.frames == (to + 2) / 4)
                        let band = 0.9 * Double(min(from, to)) / Double(to)
                        let position = try #require(Impulse.position(in: recording.floats, upTo: band))
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
            let part = try await Self.undisturbed([997], peak: -100, 48_000, to: 44_100, options, on: server)
            let tone = Tone(in: part, rate: 44_100, at: 997)
            #expect(abs(tone.peak + 100) < 1)
            // Triangular dither has a power of 1/6 LSB², and rounding 1/12 LSB².
            let theory = 10 * log10(0.25 / (32_768 * 32_768))
            #expect(abs(tone.residual - theory) < 1)
            let bands = Spectrum.bands(of: tone.rest, count: 8, upTo: 0.9)
            #expect(bands.allSatisfy { abs($0 - (theory + 10 * log10(0.9 / 8))) < 1 }, "\(bands)")
        }
    }

    @Test(
        "F-02: a tone below the last bit that needs no conversion keeps the source's bits",
        arguments: ServerKind.allCases)
    func addsNothingToWhatItDoesNotConvert(kind: ServerKind) async throws {
        let frames = 48_000
        let tone = Signal.sine(frequency: 997, peak: -100, rate: 48_000, channels: 1, frames: frames)
        let noise = Signal.noise(seed: 11, samples: frames).map { Float($0) / 32_768 / 32_768 }
        let source = Signal.int16(zip(tone, noise).map(+))
        #expect(Set(source) == [-1, 0, 1])
        // The second channel counts the frames.
        let counter = Signal.counter(from: 1, frames: frames, channels: 1)
        let played = Signal.data(zip(source, counter).flatMap { [$0, $1] })
        try await PrivateServer.with(kind) { server in
            let options = ["--encoding", "s16", "-r", "48000", "-c", "2", "--max", "1.5"]
            let recording = try await Self.record(
                playing: played, PCMFormat(), ["-o", "take.wav"] + options, on: server)
            let file = try PCMFile(wav: recording.appending(path: "take.wav"))
            #expect(file.frames == 72_000)
            // The player may start later than the recording, and PipeWire links channels one by one.
            let sound = stride(from: 0, to: file.int16.count, by: 2)
                .map { (sample: file.int16[$0], number: Int(UInt16(bitPattern: file.int16[$0 + 1]))) }
                .filter { $0.number > 0 }
                .dropFirst(kind == .pipeWire ? Tolerance.linking : 0)
            #expect(sound.count > 24_000)
            let isWhole = zip(sound, sound.dropFirst()).allSatisfy { $1.number == $0.number % frames + 1 }
            #expect(isWhole || kind == .pipeWire)
            #expect(sound.allSatisfy { $0.number <= frames && $0.sample == source[$0.number - 1] })
        }
    }

    /// Records sines that a source plays throughout, each with this peak in dBFS.
    ///
    /// On a busy machine PipeWire skips cycles, and it links channels one by one. An output without conversion shows where,
    /// by a second channel that counts the frames.
    ///
    /// - Parameter frequencies: In whole hertz.
    /// - Returns: The longest part of the converted output in which nothing was skipped.
    private static func undisturbed(
        _ frequencies: [Double], peak: Double, _ from: Int, to rate: Int, _ options: [String], on server: PrivateServer
    ) async throws -> [Float] {
        let format = PCMFormat(rate: from, channels: 2, encoding: .f32)
        var played = [Float](repeating: 0, count: 2 * from)
        for frequency in frequencies {
            let sine = Signal.sine(frequency: frequency, peak: peak, rate: from, channels: 1, frames: from)
            for (frame, sample) in sine.enumerated() { played[2 * frame] += sample }
        }
        for frame in 0..<from { played[2 * frame + 1] = Float(frame + 1) * 0x1p-24 }
        let outputs = ["-o", "converted.wav,rate=\(rate)", "-o", "native.wav,rate=native,encoding=f32"]
        let recordings = try await record(
            playing: Signal.data(played), format, outputs + ["-c", "2", "--max", "1.5"] + options, on: server)

        let native = try PCMFile(wav: recordings.appending(path: "native.wav")).floats
        let numbers = stride(from: 1, to: native.count, by: 2).map { Int(native[$0] * 0x1p24) }
        let breaks = numbers.indices.dropFirst().filter { frame in
            let number = numbers[frame]
            return number != numbers[frame - 1] % from + 1 || native[2 * frame] != played[2 * (number - 1)]
        }
        let ends = [0] + breaks + [numbers.count]
        let run = try #require(zip(ends, ends.dropFirst()).max { $0.1 - $0.0 < $1.1 - $1.0 })
        // The converter sees a few hundred frames before and after.
        let (start, end) = ((run.0 + from / 50) * rate / from, (run.1 - from / 50) * rate / from)
        let least = server.kind == .pipeWire ? rate / 2 : rate
        try #require(end - start >= least, "\(breaks.count) breaks, at first \(breaks.prefix(10))")

        let converted = try PCMFile(wav: recordings.appending(path: "converted.wav"))
        #expect(converted.rate == rate && converted.frames == (3 * rate + 1) / 2)
        #expect(options.contains("s16") == (converted.bits == 16))
        return Array(converted.channel(0)[start..<end])
    }

    /// Records a source that plays these samples in a loop.
    ///
    /// - Returns: The directory of the outputs.
    private static func record(
        playing samples: Data, _ format: PCMFormat, _ arguments: [String], on server: PrivateServer
    ) async throws -> URL {
        let sink = "tones-\(UUID().uuidString)"
        let directory = server.directory.appending(path: sink)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        if server.kind == .pipeWire { try await server.forceRate(format.rate) }
        try await server.loadNullSink(sink, format)
        try await Player.with(samples, format, into: sink, on: server) { _ in
            let result = try await AccrecProcess.run(
                ["record", "-d", "\(sink).monitor"] + arguments, on: server, in: directory)
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(server.kind == .pipeWire || result.standardError.contains("lost      0 frames"))
        }
        return directory
    }

    /// Records a mono source that begins with these samples, followed by silence. It is read as fast as it is fed, so
    /// its first frame is the first of the recording.
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
            let recording = try PCMFile(wav: path)
            #expect(recording.rate == rate && recording.channels == 1)
            return recording
        }
    }
}
