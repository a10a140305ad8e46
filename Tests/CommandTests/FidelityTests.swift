import Foundation
import TestSupport
import Testing

/// Nothing is changed unless requested, and requested conversions are correct.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct FidelityTests {
    @Test("F-02: bit-exact if no conversion is needed")
    func isBitExact() async throws {
        let noise = Signal.noise(seed: 7, samples: 5 * 48_000 * 2)
        let played = PlayedLoop(noise, channels: 2)
        try await ServerKind.allCases.concurrentForEach { kind in
            try await PrivateServer.with(kind) { server in
                try await server.loadNullSink("room", isPrompt: false)
                try await Player.with(Signal.data(noise), into: "room", on: server) { player in
                    try await ["take.wav", "take.flac"].concurrentForEach { name in
                        try await server.record(["-o", name, "-r", "48000", "-c", "2", "--max", "11"])
                    }
                    for file in [try server.wav(), try await PCMFile(flac: server.file("take.flac"))] {
                        #expect(file.frames == 11 * 48_000, "\(kind)")
                        // All of PipeWire's sources are of floating point.
                        #expect(file.bits == (kind == .pipeWire ? 24 : 16))
                        let fault = played.fault(
                            in: file.values, silence: 48_000,
                            mayBreak: kind == .pipeWire || player.underruns > 0)
                        #expect(fault == nil, "\(kind)")
                    }
                }
            }
        }
    }

    @Test("F-05: 48 kHz stereo to 16 kHz mono keeps pitch and level", arguments: ServerKind.allCases)
    func convertsATone(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .tone(peak: -6)) { server in
            try await server.record(["-o", "take.wav", "-r", "16000", "-c", "1", "--encoding", "f32", "--max", "3"])
            let file = try server.wav()
            #expect(file.frames == 48_000)
            let measured = Tone.clearest(in: Array(file.floats.suffix(32_000)), rate: 16_000, near: 1_000)
            #expect(abs(measured.frequency / 1_000 - 1) < 1e-4)
            #expect(abs(measured.peak + 6) < 0.01)
        }
    }

    @Test(
        "F-01: the source is captured in its own sample format",
        arguments: [PCMFormat.Encoding.s16, .s24, .s32, .f32])
    func capturesTheNativeFormat(encoding: PCMFormat.Encoding) async throws {
        let format = PCMFormat(rate: 48_000, channels: 2, encoding: encoding)
        let frames = 3 * 48_000
        let words = Signal.words(seed: 3, samples: frames * 2)
        let played = PlayedLoop(encoding.values(words), channels: 2)
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room", format)
            try await Player.with(encoding.data(words), format, into: "room", on: server) { player in
                let result = try await server.record([
                    "-o", "take.wav", "-o", "take.raw", "-r", "48000", "-c", "2", "--max", "2", "--encoding",
                    "\(encoding)",
                ])
                #expect(result.standardError.contains(encoding.rawValue))

                let file = try server.wav()
                #expect(file.frames == 2 * 48_000)
                #expect(try Data(contentsOf: server.file("take.raw")) == file.data)
                // A player that is late leaves a break of its own.
                let fault = played.fault(in: file.values, silence: 48_000, mayBreak: player.underruns > 0)
                #expect(fault == nil)
            }
        }
    }

    @Test(
        "R-12: measurement mode uses the source's native format",
        arguments: [
            PCMFormat(rate: 96_000, channels: 6, encoding: .s32), PCMFormat(rate: 22_050, channels: 1, encoding: .s24),
        ])
    func measurementIsNative(format: PCMFormat) async throws {
        try await PrivateServer.withRoom(.pulseAudio, format) { server in
            try await server.record(["-o", "take.wav", "-m", "measurement", "--max", "0.5"])
            let file = try server.wav()
            #expect(file.rate == format.rate && file.channels == format.channels)
            #expect(file.bits == format.encoding.size * 8 && !file.isFloat)
            #expect(file.frames == format.rate / 2)
        }
    }

    @Test("8-bit and 64-bit encodings are correct", arguments: ["u8", "f64"])
    func encodesTheExtremes(encoding: String) async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .tone(peak: -6)) { server in
            let output = try await server.record([
                "-o", "-", "-r", "48000", "-c", "1", "--encoding", encoding, "--max", "2",
            ]).standardOutput
            let samples =
                encoding == "u8"
                ? output.map { (Float($0) - 128) / 128 }
                : output.withUnsafeBytes { Array($0.bindMemory(to: Double.self)) }.map(Float.init)
            #expect(samples.count == 96_000)
            let measured = Tone(in: samples.suffix(48_000).map(\.self), rate: 48_000, near: 1_000)
            #expect(abs(measured.frequency - 1_000) < 0.01)
            #expect(abs(measured.peak + 6) < 0.05)
            // 8 bits with triangular dither: a range of 48 dB, and noise of 1/4 LSB².
            #expect(measured.residual < (encoding == "u8" ? -47 : -85))
        }
    }
}
