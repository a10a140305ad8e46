import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// C-03: the channel order in each container, and how the container describes it.
@Suite(.timeLimit(.minutes(1)), .tags(.skipsThreadSanitizer))
struct ChannelLayoutTests {
    /// PulseAudio's `surround-40` and the like, and some that no container with a fixed order supports.
    private static let maps = [
        "surround-21", "front-left,front-right,front-center", "surround-40", "surround-41", "surround-50",
        "surround-51",
        "front-left,front-right,side-left,side-right,front-center,lfe", "surround-71",
        "lfe,front-center,rear-center,side-right,side-left,front-right,front-left", "rear-right,lfe,top-center",
    ]

    private func layout(
        _ names: String, _ container: Container, _ encoding: SampleEncoding = .s16, keepsOrder: Bool = false
    ) throws -> ChannelLayout {
        ChannelLayout(
            of: try #require(ChannelMap(names: names)), in: container, encoding: encoding, keepsOrder: keepsOrder)
    }

    @Test func supportedOrderIsWritten() throws {
        for container in [Container.wav, .rf64, .w64, .aiff, .caf] {
            let surround = try layout("surround-51", container)
            #expect(surround.order == [0, 1, 4, 5, 2, 3] && surround.marking == .mask(0x3F), "\(container)")
            #expect("\(surround.map)" == "front-left,front-right,front-center,lfe,rear-left,rear-right")
            #expect(try layout("surround-21", container).marking == .mask(0xB))
        }
        #expect(try layout("surround-51", .flac).order == [0, 1, 4, 5, 2, 3])
        #expect(try layout("surround-51", .flac).marking == .implied)
        for container in [Container.vorbis, .opus] {
            #expect(try layout("surround-51", container).order == [0, 4, 1, 2, 3, 5])
            #expect(try layout("surround-71", container).order == [0, 4, 1, 6, 7, 2, 3, 5])
        }
        #expect(try layout("surround-51", .raw).order == nil)
    }

    @Test("Mono and stereo use the plainest form")
    func monoAndStereo() throws {
        for container in Container.allCases {
            for map in ["mono", "front-center", "front-left,front-right"] {
                let layout = try layout(map, container)
                #expect(layout.order == nil && layout.marking == .implied, "\(container), \(map)")
            }
            let swapped = try layout("front-right,front-left", container)
            #expect(container == .raw ? swapped.order == nil : swapped.order == [1, 0])
        }
        let other = try layout("rear-left,lfe", .wav)
        #expect(other.order == nil && other.marking == .unknown && !other.isMisplaced)
    }

    @Test("Channels that the container cannot describe keep their order")
    func unknown() throws {
        for (map, container, encoding) in [
            ("surround-21", Container.flac, SampleEncoding.s16), ("surround-41", .flac, .s16),
            ("surround-41", .opus, .f32), ("aux0,aux1,aux2,aux3", .vorbis, .f32),
            ("front-left,front-left,front-right", .wav, .s16), ("surround-21", .w64, .f32),
        ] {
            let layout = try layout(map, container, encoding)
            #expect(layout.order == nil && layout.marking == .unknown && layout.isMisplaced, "\(map) in \(container)")
        }
    }

    @Test("Channels without a position follow the others in a mask, and are named in CAF and AIFF")
    func auxiliaryChannels() throws {
        let mixed = try layout("aux3,front-right,front-left", .wav)
        #expect(mixed.order == [2, 1, 0] && mixed.marking == .mask(3))
        #expect(try layout("aux0,aux1,aux2", .wav).marking == .mask(0))
        for container in [Container.aiff, .caf] {
            let named = try layout("aux3,front-right,front-left", container)
            #expect(named.order == nil && named.marking == .named && !named.isMisplaced)
            let label = { (number: UInt8) in [0, number >> 7, 0, number & 0x7F] + [UInt8](repeating: 0, count: 16) }
            let content = named.coreAudioContent
            #expect(content == [UInt8](repeating: 0, count: 11) + [3] + label(0x83) + label(2) + label(1))
        }
    }

    @Test("A selected order is kept, and CAF describes it")
    func selectedOrder() throws {
        let map = "front-right,front-left,front-center"
        #expect(try layout(map, .wav, keepsOrder: true).marking == .unknown)
        #expect(try layout(map, .flac, keepsOrder: true).isMisplaced)
        let caf = try layout(map, .caf, keepsOrder: true)
        #expect(caf.order == nil && caf.marking == .named)
        #expect(try layout("surround-51", .wav, keepsOrder: true).order == nil)
        #expect(try layout("front-left,front-right,front-center", .wav, keepsOrder: true).marking == .mask(7))
    }

    @Test(
        "ffmpeg assigns each channel to its speaker, with unchanged samples",
        arguments: [Container.wav, .rf64, .w64, .aiff, .caf])
    func ffmpegAgrees(container: Container) async throws {
        try await TemporaryDirectory.with { directory in
            var files: [(url: URL, map: ChannelMap, report: OutputReport)] = []
            for (index, names) in Self.maps.enumerated() {
                let map = try #require(ChannelMap(names: names))
                let url = directory.appending(path: "\(index).\(container.rawValue)")
                let encoding = [SampleEncoding.u8, .s16, .s24, .s32][index % 4]
                let report = try await write(map, to: url, container, encoding)
                #expect(report.failure == nil && report.processingSteps.isEmpty)
                files.append((url, map, report))
            }
            for ((_, map, report), decoded) in zip(files, try await Self.decode(files.map(\.url))) {
                #expect(decoded.speakers.count == map.count, "\(map)")
                for (speaker, value) in zip(decoded.speakers, decoded.values) {
                    let position = try #require(map.positions.firstIndex { Self.names[$0.rawValue] == speaker })
                    #expect(value == Float(position + 1) / 128, "\(map): \(speaker) in \(container)")
                }
                #expect(report.channelMap.positions.map { Self.names[$0.rawValue] } == decoded.speakers)
            }
        }
    }

    /// Writes an odd number of frames, with 1/128 in the first channel, 2/128 in the second and so on.
    private func write(
        _ map: ChannelMap, to url: URL, _ container: Container, _ encoding: SampleEncoding
    ) async throws -> OutputReport {
        let writer = try OutputWriter(
            try RecordingOutput(path: url.path, container: container, encoding: encoding), for: .made("microphone"),
            form: StreamFormat(sampleRate: 48_000, channelMap: map), broadcast: RecordingBroadcast())
        writer.begin(hostTime: MonotonicClock.now())
        let frame = map.positions.indices.map { Float($0 + 1) / 128 }
        withBlock((0..<4_801).flatMap { _ in frame }, channels: map.count) { writer.write($0) }
        return try #require(await writer.finish(serverProcessing: []).value.first)
    }

    /// The speakers of each file and a sample of each speaker, according to ffmpeg.
    private static func decode(_ urls: [URL]) async throws -> [(speakers: [String], values: [Float])] {
        // One process for all files, because most of its time goes into its start.
        let inputs = urls.flatMap { ["-i", $0.path] }
        let outputs = urls.indices.flatMap {
            ["-map", "\($0):a", "-f", "f32le", "-c:a", "pcm_f32le", "\(urls[$0].path).raw"]
        }
        let ffmpeg = try await ChildProcess.run(["ffmpeg", "-hide_banner", "-v", "level+info"] + inputs + outputs)
        #expect(ffmpeg.end == .exit(0) && !ffmpeg.standardError.contains("[error]"), "\(ffmpeg.standardError)")
        // The inputs come before what is made of them.
        let streams = ffmpeg.standardError.split(separator: "\n").filter {
            $0.contains("Audio:") && $0.contains(" Hz, ")
        }
        #expect(streams.count == 2 * urls.count, "\(ffmpeg.standardError)")
        return try zip(urls, streams).map { url, stream in
            let speakers = try speakers(of: String(stream.split(separator: " Hz, ")[1]))
            let samples = Signal.float(try Data(contentsOf: URL(filePath: "\(url.path).raw")))
            #expect(samples.count == 4_801 * speakers.count)
            return (speakers, Array(samples.prefix(speakers.count)))
        }
    }

    /// The speakers of a layout as ffmpeg names it.
    private static func speakers(of layout: String) throws -> [String] {
        if let opening = layout.firstIndex(of: "("), layout.contains("channels (") {
            return layout[layout.index(after: opening)...].prefix { $0 != ")" }.split(separator: "+").map(String.init)
        }
        return try #require(layouts[String(layout.prefix { $0 != "," })], "\(layout)")
    }

    private static let layouts = [
        "2.1": ["FL", "FR", "LFE"], "3.0": ["FL", "FR", "FC"], "quad": ["FL", "FR", "BL", "BR"],
        "5.0": ["FL", "FR", "FC", "BL", "BR"], "5.1": ["FL", "FR", "FC", "LFE", "BL", "BR"],
        "5.1(side)": ["FL", "FR", "FC", "LFE", "SL", "SR"],
        "6.1": ["FL", "FR", "FC", "LFE", "BC", "SL", "SR"],
        "7.1": ["FL", "FR", "FC", "LFE", "BL", "BR", "SL", "SR"],
    ]

    private static let names = [
        "front-left": "FL", "front-right": "FR", "front-center": "FC", "lfe": "LFE", "rear-left": "BL",
        "rear-right": "BR", "rear-center": "BC", "side-left": "SL", "side-right": "SR", "top-center": "TC",
    ]
}
