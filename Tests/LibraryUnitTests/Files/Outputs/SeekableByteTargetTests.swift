import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// When a file gets what libsndfile passes on in small pieces.
struct SeekableByteTargetTests {
    private static func withTarget(_ body: (SeekableByteTarget, FileDescriptor) throws -> Void) async throws {
        try await TemporaryDirectory.with { directory in
            let file = try FileDescriptor.open(
                directory.appending(path: "take.wav").path, .readWrite, options: [.create, .exclusiveCreate],
                permissions: .ownerReadWrite)
            defer { try? file.close() }
            let form = StreamFormat(sampleRate: 8_000, channelMap: .standard(channelCount: 1))
            try body(
                SeekableByteTarget(
                    file, container: .caf, layout: ChannelLayout(of: form.channelMap, in: .caf, encoding: .s16)), file)
        }
    }

    private static func receive(_ byte: UInt8, count: Int, at offset: Int, _ target: SeekableByteTarget) {
        [UInt8](repeating: byte, count: count).withUnsafeBytes { target.receive($0, at: offset) }
    }

    private static func size(_ file: FileDescriptor) throws -> Int64 { try file.seek(offset: 0, from: .end) }

    @Test("Samples are gathered until they are flushed, or a header that counts them is written")
    func gathered() async throws {
        try await Self.withTarget { target, file in
            Self.receive(1, count: 100, at: 0, target)
            #expect(try Self.size(file) == 100)
            for piece in 0..<3 { Self.receive(2, count: 8_192, at: 100 + piece * 8_192, target) }
            #expect(try Self.size(file) == 100)
            #expect(target.byteCount == 100 + 3 * 8_192 && target.length == target.byteCount)
            target.flush()
            #expect(try Self.size(file) == 100 + 3 * 8_192)
            Self.receive(3, count: 8_192, at: target.byteCount, target)
            Self.receive(4, count: 100, at: 0, target)
            #expect(try Self.size(file) == 100 + 4 * 8_192 && target.failure == nil)
            var bytes = [UInt8](repeating: 0, count: 100 + 4 * 8_192)
            let count = try bytes.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: 0, into: $0) }
            let expected = [(4, 100), (2, 3 * 8_192), (3, 8_192)].flatMap {
                [UInt8](repeating: UInt8($0.0), count: $0.1)
            }
            #expect(count == expected.count && bytes == expected)
        }
    }

    @Test("No more is gathered than a bound")
    func bound() async throws {
        try await Self.withTarget { target, file in
            Self.receive(1, count: 100, at: 0, target)
            for piece in 0..<1_000 { Self.receive(2, count: 8_192, at: 100 + piece * 8_192, target) }
            let size = try Self.size(file)
            #expect(size > 100 + 1_000 * 8_192 - (1 << 20))
        }
    }

    @Test("What a WAV gets at once is one write of its samples, and one of its header")
    func writesOfWAV() async throws {
        try await TemporaryDirectory.with { directory in
            let output = try RecordingOutput(path: directory.appending(path: "take.wav").path, encoding: .s16)
            let source = AudioSource.made("microphone")
            let form = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 2))
            let resolved = ResolvedOutput(output, from: form, source.sampleSpec.format)
            let info = try #require(Container.wav.soundFileInfo(encoding: .s16, form: form))
            let context = OutputContext(of: source, recordedAs: form, by: ACCAudioRecorder.Configuration())
            let encoder = try SoundFileEncoder(
                path: directory.appending(path: "take.wav").path, info, output: resolved.output,
                metadata: FileMetadata(resolved, context: context), firstFrame: 0, isSynced: false)
            let start = WallClock(hostTime: MonotonicClock.now())
            encoder.begin(start: start, ownStart: start)
            // As the engine passes on: 0.64 s.
            let samples = [Int32](repeating: 1 << 24, count: 2 * 30_720)
            let counts = try (0..<3).map { _ in
                let before = try Self.writeCount
                try samples.withUnsafeBufferPointer {
                    try encoder.write(EncodedFrames(samples: .integers($0), channelCount: 2))
                }
                return try Self.writeCount - before
            }
            // The first one has no samples before it, but its header may be of another length.
            #expect(counts.dropFirst() == [2, 2])
            encoder.discard()
        }
    }

    /// How many writes this thread has asked the kernel for.
    private static var writeCount: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
            return try #require(text.firstMatch(of: /syscw: (\d+)/).flatMap { Int($0.1) })
        }
    }
}
