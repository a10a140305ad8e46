import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The names of channels in files of recordings of several inputs.
@Suite(.timeLimit(.minutes(1)))
struct TrackListTests {
    /// Everything that XML and the comment separate with, and a combining mark behind it.
    private static let hostile = "a<\u{301}b>&\"c'd, e; f]]>"

    /// A file with channels of these names, as it is before it is completed.
    private func withGrowingFile(
        _ container: Container, named names: [String], _ body: (URL, OutputWriter) async throws -> Void
    ) async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "take.\(container.fileExtensions[0])")
            var source = AudioSource.made("microphone")
            source.channelNames = names
            let form = StreamFormat(
                sampleRate: 48_000, channelMap: .standard(channelCount: UInt32(max(names.count, 2))))
            let output = try RecordingOutput(path: file.path, container: container)
            let writer = try OutputWriter(
                output, for: source, form: form, broadcast: RecordingBroadcast())
            writer.begin(hostTime: MonotonicClock.now())
            withBlock([Float](repeating: 0.25, count: 48_000 * form.channelCount), channels: form.channelCount) {
                writer.write($0)
            }
            writer.flush()
            try await writer.waitUntilWritten()
            try await body(file, writer)
        }
    }

    private func names(in file: URL) throws -> [String] {
        let channels = try SoundFileReader(path: file.path).namedChannels
        #expect(channels.map(\.number) == Array(channels.indices.map { $0 + 1 }))
        return channels.map(\.name)
    }

    @Test(
        "Names stand in a file of each container that can hold them, already while it grows",
        arguments: Container.allCases)
    func files(container: Container) async throws {
        try await withGrowingFile(container, named: ["mic", Self.hostile]) { file, writer in
            let hasNames = !container.tags.isEmpty
            var expected = container.hasBroadcastInfo ? Self.hostile : "a<\u{301}b>&\"c'd  e  f]]>"
            if container == .mp3 { expected = "a<?b>&\"c'd  e  f]]>" }
            func check(_ file: URL) throws {
                #expect(try names(in: file) == (hasNames ? ["mic", expected] : []))
            }
            if container != .raw, container != .mp3 { try check(file) }
            #expect(await writer.finish(serverProcessing: []).value.first?.failure == nil)
            if container != .raw { try check(file) }
        }
    }

    @Test("The chunk of a WAV file is XML, with a track for each channel", arguments: [Container.wav, .rf64])
    func chunkIsXML(container: Container) async throws {
        try await withGrowingFile(container, named: ["mic", Self.hostile]) { file, writer in
            _ = await writer.finish(serverProcessing: []).value
            let script = """
                import sys, xml.etree.ElementTree as tree
                data = open(sys.argv[1], 'rb').read()
                start = data.index(b'iXML')
                assert start < data.index(b'data')
                size = int.from_bytes(data[start + 4:start + 8], 'little')
                tracks = tree.fromstring(data[start + 8:start + 8 + size].decode()).find('TRACK_LIST')
                print(tracks.find('TRACK_COUNT').text)
                for track in tracks.iter('TRACK'):
                    print(*[track.find(key).text for key in ('CHANNEL_INDEX', 'INTERLEAVE_INDEX', 'NAME')])
                """
            let python = try await ChildProcess.run(["python3", "-c", script, file.path])
            #expect(python.text == "2\n1 1 mic\n2 2 \(Self.hostile)\n", "\(python.standardError)")
        }
    }

    @Test("A file of one input has no names", arguments: [Container.wav, .flac])
    func oneInput(container: Container) async throws {
        try await withGrowingFile(container, named: []) { file, writer in
            _ = await writer.finish(serverProcessing: []).value
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            #expect(!text.contains("iXML") && !text.contains("Tracks"))
            #expect(try names(in: file).isEmpty)
        }
    }

    @Test("A repair keeps the names", arguments: [Container.wav, .rf64, .flac, .caf, .aiff])
    func repair(container: Container) async throws {
        try await withGrowingFile(container, named: ["mic", "desktop"]) { file, writer in
            let left = file.deletingLastPathComponent().appending(path: "left.\(file.pathExtension)")
            try Data(contentsOf: file).dropLast(3).write(to: left)
            let repair = try AudioFileRepair(path: left.path)
            try repair.write(to: repair.suggestedPath, replacesExisting: false)
            #expect(try names(in: URL(filePath: repair.suggestedPath)) == ["mic", "desktop"])
            _ = await writer.discard().value
        }
    }

    @Test(
        "The longest names of all channels fit, or are left out, and count towards the size of the file",
        arguments: [Container.wav, .rf64, .aiff, .caf, .flac, .vorbis, .opus])
    func longestNames(container: Container) async throws {
        let count = container.traits.channelCounts.upperBound
        let letters = String(repeating: container.hasBroadcastInfo ? "\"" : "🎤", count: 100)
        let all = (0..<count).map { ChannelMap.standard(channelCount: 1).names(ofTrack: "\($0)\(letters)")[0] }
        try await withGrowingFile(container, named: all) { file, writer in
            _ = await writer.finish(serverProcessing: []).value
            // Ogg has another order of channels.
            #expect(try names(in: file).sorted() == (container == .aiff ? [] : all.sorted()))
            guard container.hasBroadcastInfo else { return }
            let form = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: UInt32(count)))
            let output = try RecordingOutput(path: file.path, encoding: .s16, channelCount: UInt32(count))
            let bound = FileSizeBound(ResolvedOutput(output, from: form, .s16LE, channelNames: all))
            let samples = bound.framesFitting(in: 1 << 20, nil, frameCount: 0) * 2 * count
            let header = try #require(try Data(contentsOf: file).firstRange(of: Data("data".utf8))).upperBound + 4
            #expect(header > 8_192 && header + samples <= 1 << 20, "\(header) bytes")
        }
    }

    @Test("A track's file has its names in the order of the file, with their numbers in the recording")
    func trackOfItsOwn() throws {
        let map = ChannelMap(names: "surround-51")!
        let track = TrackChannels(numbers: Array(2...7), map: map)
        var output = try RecordingOutput(path: "/tmp/take.wav")
        output.input = "desk"
        func channels(_ count: UInt32?) -> [NamedChannel] {
            output.format.channelCount = .init(count)
            let captured = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 7))
            return ResolvedOutput(output, from: captured, .s16LE, track: track, channelNames: ["x"]).namedChannels
        }
        #expect(channels(nil).map(\.name) == ["L", "R", "RL", "RR", "FC", "LFE"].map { "desk \($0)" })
        #expect(channels(nil).map(\.number) == Array(2...7))
        #expect(channels(1) == [NamedChannel(number: 2, name: "desk")])
        let order = ChannelLayout(of: map, in: .wav, encoding: .s16).order
        let text = try #require(TrackList(channels(nil), order: order)?.text)
        #expect(text == "Tracks: desk L, desk R, desk FC, desk LFE, desk RL, desk RR")
    }

    @Test("Names from outside are printable and short")
    func namesFromOutside() {
        let stereo = ChannelMap.standard(channelCount: 2)
        #expect(stereo.names(ofTrack: "a\u{7}\u{1B}[2J\u{202E}b\u{FFFE}") == ["a[2Jb L", "a[2Jb R"])
        #expect(ChannelMap.standard(channelCount: 1).names(ofTrack: "mic") == ["mic"])
        #expect(stereo.names(ofTrack: String(repeating: "ä", count: 100_000)).map(\.count) == [66, 66])
    }

    @Test("Names for which the tags leave no room are left out")
    func noRoom() async throws {
        var source = AudioSource.made("microphone")
        source.channelNames = ["mic", "desktop"]
        var output = try RecordingOutput(path: "/tmp/take.aiff", channelCount: 2)
        for (length, isWritten) in [(10, true), (7_100, false)] {
            output.tags = [.title: String(repeating: "t", count: length)]
            let form = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 2))
            let resolved = ACCAudioRecorder.Configuration().resolve(output, from: form, of: source)
            let metadata = FileMetadata(
                resolved, context: OutputContext(of: source, recordedAs: form, by: ACCAudioRecorder.Configuration()))
            let comment = try #require(
                metadata.tags(start: WallClock(hostTime: MonotonicClock.now()), firstFrame: 0)[.comment])
            #expect(comment.hasSuffix("; Tracks: mic, desktop") == isWritten, "\(comment)")
        }
    }
}
