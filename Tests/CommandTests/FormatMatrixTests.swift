import Foundation
import TestSupport
import Testing

/// Every sample format, channel count and rate, from source to file.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FormatMatrixTests {
    /// One format on one server.
    private struct Cell: CustomStringConvertible {
        let kind: ServerKind
        let format: PCMFormat

        var description: String {
            "\(kind.rawValue)-\(format.encoding)-\(format.channels)-\(format.rate)"
        }

        /// Why a requirement cannot be met, or nil if it must be.
        func obstacle(to wish: Wish) -> String? {
            impossible.first { $0.wish == wish && $0.kinds.contains(kind) && $0.encodings.contains(format.encoding) }?
                .reason
        }

        /// The encoding of the source.
        var sourceEncoding: PCMFormat.Encoding {
            obstacle(to: .sourceFormat) == nil ? format.encoding : .f32
        }

        /// The encoding for FLAC: the source's own if FLAC supports it, otherwise one that can hold the samples.
        var flacEncoding: String {
            switch format.encoding {
            case .u8: "s16"
            case .s16 where sourceEncoding == .f32: "s16"
            case .s24 where sourceEncoding == .f32, .s24In32 where sourceEncoding == .f32: "s24"
            default: "native"
            }
        }
    }

    /// A requirement on a cell.
    private enum Wish {
        /// The source has the cell's sample format.
        case sourceFormat
        /// The file contains the played samples, with all bits.
        case allBits
        /// So does a FLAC file.
        case flac
    }

    /// Limitations of servers and containers, at all rates and channel counts. Each cell checks that its limitation
    /// still exists, and fails otherwise.
    private static let impossible:
        [(wish: Wish, kinds: [ServerKind], encodings: [PCMFormat.Encoding], reason: String)] = [
            (
                .sourceFormat, [.pipeWire], [.u8, .s16, .s24, .s24In32, .s32],
                "PipeWire's graph knows float32le only, and so all of its sources are of that: players are converted to it"
            ),
            (
                .allBits, [.pipeWire], [.s32],
                "a float holds 24 bits, and PipeWire drops the rest before the recorder sees it"
            ),
            (
                .flac, [.pulseAudio, .pipeWire], [.s32, .f32, .s32BigEndian, .f32BigEndian],
                "libsndfile writes integers of up to 24 bits to FLAC, and FLAC has no floats"
            ),
        ]

    /// The usual channel maps, given explicitly so that server and player use the same ones.
    private static let channelMaps = [
        1: "mono",
        2: "front-left,front-right",
        6: "front-left,front-right,front-center,lfe,rear-left,rear-right",
        8: "front-left,front-right,front-center,lfe,rear-left,rear-right,side-left,side-right",
    ]

    // Several tests, which run at once.

    @Test("F-01: WAV and FLAC contain what a PulseAudio source delivers", arguments: [16_000, 44_100, 48_000])
    func pulseAudioAtLowRates(rate: Int) async throws { try await Self.lookAtAll(on: .pulseAudio, rate) }

    @Test("F-01: WAV and FLAC contain what a PulseAudio source delivers at high rates", arguments: [96_000, 192_000])
    func pulseAudioAtHighRates(rate: Int) async throws { try await Self.lookAtAll(on: .pulseAudio, rate) }

    @Test("F-01: WAV and FLAC contain what a PipeWire source delivers at low rates", arguments: [16_000, 44_100])
    func pipeWireAtLowRates(rate: Int) async throws { try await Self.lookAtAll(on: .pipeWire, rate) }

    @Test("F-01: WAV and FLAC contain what a PipeWire source delivers at high rates", arguments: [48_000, 96_000])
    func pipeWireAtHighRates(rate: Int) async throws { try await Self.lookAtAll(on: .pipeWire, rate) }

    @Test("F-01: WAV and FLAC contain what a PipeWire source delivers at 192 kHz")
    func pipeWireAtTheHighestRate() async throws { try await Self.lookAtAll(on: .pipeWire, 192_000) }

    /// Tries six sample formats, with 1, 2, 6 and 8 channels each.
    private static func lookAtAll(on kind: ServerKind, _ rate: Int) async throws {
        let encodings: [PCMFormat.Encoding] = [.u8, .s16, .s24, .s24In32, .s32, .f32]
        let cells = encodings.flatMap { encoding in
            channelMaps.map { channels, map in
                Cell(kind: kind, format: PCMFormat(rate: rate, channels: channels, encoding: encoding, channelMap: map))
            }
        }
        #expect(cells.count == 24)
        try await PrivateServer.with(kind) { server in
            if kind == .pipeWire { try await server.forceRate(rate) }
            try await look(at: cells, on: server)
        }
    }

    @Test("F-01: WAV and FLAC contain what was played: the sample formats that only PulseAudio sources have")
    func holdsWhatWasPlayedInRarerFormats() async throws {
        let encodings: [PCMFormat.Encoding] = [
            .s16BigEndian, .s24BigEndian, .s24In32BigEndian, .s32BigEndian, .f32BigEndian, .aLaw, .uLaw,
        ]
        let cells = encodings.map { encoding in
            Cell(kind: .pulseAudio, format: PCMFormat(encoding: encoding, channelMap: Self.channelMaps[2]))
        }
        try await PrivateServer.with(.pulseAudio) { server in
            try await Self.look(at: cells, on: server)
        }
    }

    /// Tries cells, four at once, which two processors can handle. At least half of them must have no break: those of a
    /// recorder that lost frames would all have one.
    private static func look(at cells: [Cell], on server: PrivateServer) async throws {
        let broken = try await withThrowingTaskGroup(of: Bool.self) { group in
            var broken = 0
            for (index, cell) in cells.enumerated() {
                if index >= 4, try await group.next() == true { broken += 1 }
                group.addTask { try await hasBreak(cell, on: server) }
            }
            for try await hasBreak in group where hasBreak { broken += 1 }
            return broken
        }
        #expect(broken <= cells.count / 2)
    }

    /// Tries a cell.
    ///
    /// - Returns: Whether the server has left out something.
    private static func hasBreak(_ cell: Cell, on server: PrivateServer) async throws -> Bool {
        let format = cell.format
        let sink = "\(cell)"
        try await server.loadNullSink(sink, format)
        let spec = "\(cell.sourceEncoding.rawValue) \(format.channels)ch \(format.rate)Hz"
        try await eventually("\(spec) in \(cell), as should be: \(cell.obstacle(to: .sourceFormat) ?? "its own")") {
            try await server.sampleSpec(of: "\(sink).monitor") == spec
        }

        let words = Signal.words(seed: 5, samples: format.rate * 2 / 5 * format.channels)
        let played = PlayedLoop(format.encoding.values(words), channels: format.channels)
        let obstacle = cell.obstacle(to: .allBits)
        return try await Player.with(format.encoding.data(words), format, into: sink, on: server) {
            player in
            let files = try await record(cell, from: "\(sink).monitor", on: server)
            // Otherwise the 24 bits that a float holds. On PulseAudio only zeros in the noise itself look like silence.
            let tolerance = obstacle == nil ? 0 : 0x1p-23
            let silence = cell.kind == .pipeWire ? Tolerance.frames(Tolerance.linking, at: format.rate) : 16
            let mayBreak = cell.kind == .pipeWire || player.underruns > 0
            let faults = { (mayBreak: Bool) in
                files.enumerated().compactMap { index, file in
                    let isRounded = index == 1 && cell.obstacle(to: .flac) != nil
                    return played.fault(
                        in: file.values, tolerance: isRounded ? 0x1p-23 : tolerance, silence: silence,
                        mayBreak: mayBreak)
                }
            }
            #expect(faults(mayBreak).isEmpty, "\(cell)")
            if let obstacle {
                let fault = played.fault(in: files[0].values, silence: silence, mayBreak: false)
                #expect(fault != nil, "\(cell): not so: \(obstacle)")
            }
            return !faults(false).isEmpty
        }
    }

    /// A fifth of a second of a source, in WAV and FLAC.
    private static func record(_ cell: Cell, from source: String, on server: PrivateServer) async throws -> [PCMFile] {
        let (wav, flac) = ("\(cell).wav", "\(cell).flac")
        let options = ["--rate", "native", "--channels", "native", "--max", "0.2", "--encoding"]
        let (obstacle, flacEncoding) = (cell.obstacle(to: .flac), cell.flacEncoding)
        async let wavResult = server.record(options + ["native", "-o", wav], from: source)
        async let flacResult = server.record(options + [flacEncoding, "-o", flac], from: source)
        let (_, flacEnd) = try await (wavResult, flacResult)

        var files = [try server.wav(wav)]
        #expect(files[0].bits == cell.sourceEncoding.integerBits ?? 32, "\(cell)")
        #expect(files[0].isFloat == (cell.sourceEncoding.integerBits == nil), "\(cell)")
        files.append(try await PCMFile(flac: server.file(flac)))
        if let obstacle {
            // The nearest that the container has, which is said.
            #expect(files[1].bits == 24 && flacEnd.standardError.contains(" → s24"), "\(cell): not so: \(obstacle)")
        }
        for file in files {
            #expect(file.rate == cell.format.rate && file.channels == cell.format.channels, "\(cell)")
            #expect(file.frames == cell.format.rate / 5, "\(cell)")
        }
        return files
    }
}
