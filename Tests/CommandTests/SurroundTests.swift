import Foundation
import TestSupport
import Testing

/// C-03: channels in a server's order reach their speakers in every container, as decoded by ffmpeg.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SurroundTests {
    /// PulseAudio's channel order for 5.1, and the frequency of each channel's tone; low for LFE, as codecs filter it.
    private static let format = PCMFormat(
        channels: 6, encoding: .f32, channelMap: "front-left,front-right,rear-left,rear-right,front-center,lfe")
    private static let frequencies = [400.0, 600, 800, 1_000, 1_200, 60]
    /// The frequencies in ffmpeg's order for 5.1: FL, FR, FC, LFE, BL, BR.
    private static let expected = [400.0, 600, 1_200, 60, 800, 1_000]

    private static let tones: Data = {
        let channels = frequencies.map {
            Signal.sine(frequency: $0, peak: -20, rate: 48_000, channels: 1, frames: 48_000)
        }
        return Signal.data((0..<48_000).flatMap { frame in channels.map { $0[frame] } })
    }()

    @Test("Each channel's tone comes from the right speaker", arguments: ServerKind.allCases)
    func tonesReachTheirSpeakers(kind: ServerKind) async throws {
        let files = ["wav", "rf64", "w64", "aiff", "caf", "flac", "ogg", "opus"]
        try await PrivateServer.withRoom(kind, Self.format, playing: .samples(Self.tones)) { server in
            let options = ["-c", "native", "-r", "48000", "--max", "1"]
            let outputs = files.flatMap { ["-o", "take.\($0)"] } + ["-o", "float.w64,encoding=f32"]
            let result = try await server.record(options + outputs)
            #expect(!result.standardError.contains("cannot describe"), "\(result.standardError)")
            for name in files.map({ "take.\($0)" }) + ["float.w64"] {
                try await Self.check(server.file(name))
            }
            try await ["wav", "flac", "vorbis", "opus"].concurrentForEach { format in
                let stream = try await server.record(options + ["-o", "-", "--format", format, "-q"])
                try stream.standardOutput.write(to: server.file("stream.\(format)"))
                try await Self.check(server.file("stream.\(format)"))
            }
            let raw = try await server.record(options + ["-o", "-", "--encoding", "f32", "-q"])
            try Self.check(Signal.float(raw.standardOutput), Self.frequencies, "raw")
        }
    }

    @Test("A layout that a container cannot describe is reported, or rejected if a channel would be lost")
    func reportsLayoutsThatCannotBeDescribed() async throws {
        let format = PCMFormat(channels: 3, channelMap: "front-left,front-right,lfe")
        try await PrivateServer.withRoom(.pulseAudio, format) { server in
            try await server.loadNullSink("desk", PCMFormat(channels: 6, channelMap: "aux0,aux1,aux2,aux3,aux4,aux5"))
            let options = ["-c", "native", "-r", "48000", "--max", "0.1", "-o"]
            let flac = try await server.record(options + ["a.flac"])
            #expect(
                flac.standardError.contains(
                    "keeps the channel order front-left,front-right,lfe, which flac cannot describe"),
                "\(flac.standardError)")
            for (source, name) in [("room.monitor", "a.wav"), ("desk.monitor", "b.wav"), ("desk.monitor", "b.caf")] {
                let result = try await server.record(options + [name], from: source)
                #expect(!result.standardError.contains("cannot describe"))
                #expect(result.standardError.contains("bit-exact yes"))
            }
            #expect(try server.wav("a.wav").channelMask == 0xB)
            #expect(try server.wav("b.wav").channelMask == 0)
            let opus = try await server.record(options + ["b.opus"], from: "desk.monitor", status: 1)
            #expect(opus.standardError.contains("--channel-map"), "\(opus.standardError)")
            #expect(!server.hasFile("b.opus"))
        }
    }

    private static func check(_ url: URL) async throws {
        // ffmpeg converts layouts with side speakers to its 5.1 with rear speakers.
        let decoded = try await ChildProcess.run(
            ["ffmpeg", "-v", "error", "-i", url.path, "-af", "aformat=channel_layouts=5.1", "-f", "f32le", "-"])
        #expect(decoded.end == .exit(0) && decoded.standardError.isEmpty, "\(decoded.standardError)")
        try check(Signal.float(decoded.standardOutput), expected, url.lastPathComponent)
    }

    /// Finds the tone in each of the six channels.
    private static func check(_ samples: [Float], _ tones: [Double], _ name: String) throws {
        try #require(samples.count >= 6 * 40_000, "\(name)")
        for (channel, tone) in tones.enumerated() {
            let part = stride(from: samples.count / 12 * 6 + channel, to: samples.count, by: 6).prefix(4_800)
            let levels = frequencies.map { frequency in
                var (real, imaginary) = (0.0, 0.0)
                for (index, place) in part.enumerated() {
                    let angle = 2 * Double.pi * frequency * Double(index) / 48_000
                    real += Double(samples[place]) * cos(angle)
                    imaginary += Double(samples[place]) * sin(angle)
                }
                return hypot(real, imaginary) / 2_400
            }
            let loudest = try #require(levels.indices.max { levels[$0] < levels[$1] })
            #expect(frequencies[loudest] == tone && levels[loudest] > 0.05, "\(name), channel \(channel): \(levels)")
        }
    }
}
