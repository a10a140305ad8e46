import Foundation
import TestSupport
import Testing

/// Channel selection and mixing, and the channel layout stored in the file.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ChannelTests {
    private static let surround = PCMFormat(
        channels: 6, encoding: .f32, channelMap: "front-left,front-right,front-center,lfe,rear-left,rear-right")

    /// A speaker layout, and the gains for mixing each of its channels to other layouts.
    struct Mix: Sendable, CustomTestStringConvertible {
        let format: PCMFormat
        /// By target channel count, one row per target channel.
        let gains: [Int: [[Double]]]

        var testDescription: String { "\(format.channels) channels" }
    }

    private static let mixes = [
        Mix(
            format: surround,
            gains: [
                1: [[0.2071, 0.2071, 0.2929, 0, 0.1464, 0.1464]],
                2: [[0.4142, 0, 0.2929, 0, 0.2929, 0], [0, 0.4142, 0.2929, 0, 0, 0.2929]],
                4: [
                    [0.5858, 0, 0.4142, 0, 0, 0], [0, 0.5858, 0.4142, 0, 0, 0],
                    [0, 0, 0, 0, 0.5858, 0], [0, 0, 0, 0, 0, 0.5858],
                ],
                8: [
                    [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0],
                    [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0],
                ],
            ]),
        Mix(
            format: PCMFormat(
                channels: 8, encoding: .f32,
                channelMap: "front-left,front-right,front-center,lfe,rear-left,rear-right,side-left,side-right"),
            gains: [
                1: [[0.1602, 0.1602, 0.2265, 0, 0.1133, 0.1133, 0.1133, 0.1133]],
                2: [
                    [0.3204, 0, 0.2265, 0, 0.2265, 0, 0.2265, 0], [0, 0.3204, 0.2265, 0, 0, 0.2265, 0, 0.2265],
                ],
                4: [
                    [0.5858, 0, 0.4142, 0, 0, 0, 0, 0], [0, 0.5858, 0.4142, 0, 0, 0, 0, 0],
                    [0, 0, 0, 0, 0.5858, 0, 0.4142, 0], [0, 0, 0, 0, 0, 0.5858, 0, 0.4142],
                ],
                6: [
                    [0.5858, 0, 0, 0, 0, 0, 0, 0], [0, 0.5858, 0, 0, 0, 0, 0, 0],
                    [0, 0, 0.5858, 0, 0, 0, 0, 0], [0, 0, 0, 0.5858, 0, 0, 0, 0],
                    [0, 0, 0, 0, 0.5858, 0, 0.4142, 0], [0, 0, 0, 0, 0, 0.5858, 0, 0.4142],
                ],
            ]),
    ]

    /// One second of a different tone in each channel: 1 kHz in the first, 2 kHz in the second, and so on.
    private static func tones(_ count: Int) -> [Float] {
        let channels = (1...count).map {
            Signal.sine(frequency: 1_000 * Double($0), peak: -20, rate: 48_000, channels: 1, frames: 48_000)
        }
        return (0..<48_000).flatMap { frame in channels.map { $0[frame] } }
    }

    /// The gain at which each tone arrived in a channel, measured over the clearest tenth of its last second: a server on
    /// a busy machine leaves out cycles.
    private static func gains(of count: Int, in channel: [Float]) -> [Double] {
        let tenths = stride(from: channel.count - 48_000, to: channel.count, by: 4_800).map { start in
            let part = channel[start..<start + 4_800]
            let gains = (1...count).map { Self.amplitude(of: 1_000 * $0, in: part) }
            let rest = part.reduce(0) { $0 + Double($1 * $1) } / 4_800 - gains.reduce(0) { $0 + $1 * $1 / 2 }
            return (gains, rest)
        }
        return tenths.min { $0.1 < $1.1 }!.0.map { $0 / pow(10, -20 / 20) }
    }

    /// The amplitude of a frequency in Hz, of which the part has whole periods.
    private static func amplitude(of frequency: Int, in part: ArraySlice<Float>) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in part.enumerated() {
            let angle = 2 * .pi * Double((frequency * index) % 48_000) / 48_000
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return hypot(real, imaginary) * 2 / Double(part.count)
    }

    @Test("Each single channel is mixed with the documented gain", arguments: ServerKind.allCases, mixes)
    func mixesWithTheDocumentedGains(kind: ServerKind, mix: Mix) async throws {
        let count = mix.format.channels
        let signal = Player.Signal.samples(Signal.data(Self.tones(count)))
        try await PrivateServer.withRoom(kind, mix.format, playing: signal) { server in
            try await mix.gains.concurrentForEach { channels, rows in
                try await server.record([
                    "-o", "\(channels).wav", "-r", "48000", "--max", "2", "-c", "\(channels)", "--encoding", "f32",
                ])
                let file = try server.wav("\(channels).wav")
                #expect(file.channels == rows.count)
                for (channel, row) in rows.enumerated() {
                    for (measured, gain) in zip(Self.gains(of: count, in: file.channel(channel)), row) {
                        #expect(abs(measured - gain) < 2e-4, "\(channels), channel \(channel)")
                    }
                }
            }
        }
    }

    @Test("--select selects and orders channels bit for bit", arguments: ServerKind.allCases)
    func selectsBitForBit(kind: ServerKind) async throws {
        let format = PCMFormat(channels: 4, channelMap: "front-left,front-right,rear-left,rear-right")
        let noise = Signal.noise(seed: 11, samples: 3 * 48_000 * 4)
        let selected = PlayedLoop(
            stride(from: 0, to: noise.count, by: 4).flatMap { [noise[$0 + 3], noise[$0 + 1]] }, channels: 2)
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room", format)
            try await Player.with(Signal.data(noise), format, into: "room", on: server) { player in
                let result = try await server.record(["-o", "take.wav", "-r", "48000", "--max", "2", "--select", "4,2"])
                #expect(result.standardError.contains("2 channels (RR, R)"))
                let recorded = try server.wav().values
                #expect(recorded.count == 2 * 96_000)
                let fault = selected.fault(
                    in: recorded, silence: Tolerance.linking, mayBreak: kind == .pipeWire || player.underruns > 0)
                #expect(fault == nil)
            }
        }
    }

    @Test("The file states its channel layout", arguments: ServerKind.allCases)
    func filesNameTheirChannels(kind: ServerKind) async throws {
        let recordings: [(name: String, arguments: [String], mask: Int?, comment: String?)] = [
            ("surround.wav", ["-c", "native"], 0x3F, nil),
            ("surround.flac", ["-c", "native", "--encoding", "s24"], nil, nil),
            ("stereo.wav", ["-c", "2"], nil, nil),
            ("swapped.wav", ["--select", "2,1,3"], nil, "Channels: front-right,front-left,front-center"),
            ("numbered.flac", ["--select", "1-3", "--channel-map", "aux0,aux1,aux2"], nil, "Channels: aux0,aux1,aux2"),
            (
                "named.wav", ["--select", "1-4", "--channel-map", "front-left,front-right,side-left,side-right"], 0x603,
                nil
            ),
        ]
        try await PrivateServer.withRoom(kind, Self.surround) { server in
            for recording in recordings {
                try await server.record(["-o", recording.name, "--max", "0.1"] + recording.arguments)
                let bytes = try Data(contentsOf: server.file(recording.name))
                #expect(
                    (bytes.range(of: Data("Channels: ".utf8)) != nil) == (recording.comment != nil), "\(recording.name)"
                )
                if let comment = recording.comment {
                    #expect(bytes.range(of: Data(comment.utf8)) != nil, "\(recording.name)")
                }
                if recording.name.hasSuffix(".wav") {
                    #expect(try server.wav(recording.name).channelMask == recording.mask, "\(recording.name)")
                }
            }
        }
    }

    @Test("Missing channels are rejected, and nothing is written", arguments: ServerKind.allCases)
    func refusesMissingChannels(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            let wrong = [
                (["--select", "3"], "channel 3 of 'room.monitor': it has only 2 channels ("),
                (["--channel-map", "mono"], "the map has 1 position"),
            ]
            for (arguments, message) in wrong {
                let result = try await server.record(["-o", "take.wav"] + arguments, status: 64)
                #expect(result.standardError.contains(message), "\(result.standardError)")
                #expect(!server.hasFile("take.wav"))
            }
        }
    }
}
