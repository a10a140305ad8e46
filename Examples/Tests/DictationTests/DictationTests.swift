import ACCAudioRecorder
import Foundation
import Synchronization
import Testing

@testable import Dictation

/// A dictation is tested without a sound server: its recorder records what the test makes up, as fast as it can.
@Suite(.timeLimit(.minutes(1)))
struct DictationTests {
    /// Where the scene speaks, in frames at 16 kHz. The microphone is unplugged between the two for two seconds, which are the
    /// frames from 48,000 to 80,000.
    private static let utterances = [16_000..<32_000, 96_000..<112_000]

    /// A buzz far above the noise of the room, in which no two parts of an utterance are alike.
    private static let scene: [Int16] = (0..<240_000).map { frame in
        let noise = Int16(frame * 7_919 % 17)
        return utterances.contains { $0.contains(frame) } ? Int16(frame % 2 == 0 ? 8_000 : -8_000) + noise : noise
    }

    private static func recorder(_ faults: [SyntheticSource.Fault]) throws -> ACCAudioRecorder {
        ACCAudioRecorder(
            configuration: .init(audioSessionMode: .voiceChat),
            source: try SyntheticSource(samples: scene, sampleRate: 16_000, channelCount: 1, faults: faults))
    }

    /// An utterance as it should be in its file: with 0.3 seconds before it, and its hold time without the buffer in which that
    /// is over.
    private static func expected(_ utterance: Range<Int>) -> [Int16] {
        Array(scene[utterance.lowerBound - 4_800..<utterance.upperBound + 9_600 - 320])
    }

    @Test("Two utterances are two files, sample for sample, though the microphone was unplugged between them")
    func twoUtterances() async throws {
        try await withTemporaryDirectory { directory in
            let lines = Lines()
            let dictation = Dictation(
                recorder: try Self.recorder([.init(.removed(.seconds(2)), atFrame: 48_000)]),
                pattern: try FilePattern("\(directory.path)/{n}.wav"), silenceLimit: .seconds(5), tell: lines.add)
            let report = try await dictation.run()
            #expect(try Self.files(in: directory) == Self.utterances.map(Self.expected))
            #expect(report.framesLost == 32_000)
            #expect(lines.all.contains("interrupted: \(RecordingInterruption.deviceLost)"))
            #expect(lines.all.contains("listening to synthetic again"))
        }
    }

    @Test("An utterance that is interrupted is two files")
    func interruptedUtterance() async throws {
        try await withTemporaryDirectory { directory in
            let dictation = Dictation(
                recorder: try Self.recorder([.init(.removed(.milliseconds(250)), atFrame: 24_000)]),
                pattern: try FilePattern("\(directory.path)/{n}.wav"), silenceLimit: .seconds(3), tell: { _ in })
            _ = try await dictation.run()
            let files = try Self.files(in: directory)
            #expect(files.count == 2)
            #expect(files.first == Array(Self.scene[16_000 - 4_800..<24_000]))
            #expect(files.last?.first == Self.scene[28_000])
        }
    }

    @Test("A dictation that is finished keeps the utterance that was being spoken")
    func finishedWhileSpeaking() async throws {
        try await withTemporaryDirectory { directory in
            let clock = SyntheticClock()
            let source = try SyntheticSource(
                samples: Self.scene, sampleRate: 16_000, channelCount: 1, pace: .clock(clock))
            let recorder = ACCAudioRecorder(configuration: .init(audioSessionMode: .voiceChat), source: source)
            let (lines, told) = AsyncStream.makeStream(of: String.self)
            let dictation = Dictation(
                recorder: recorder, pattern: try FilePattern("\(directory.path)/{n}.wav"), silenceLimit: .seconds(30)
            ) { told.yield($0) }
            async let report = dictation.run()
            #expect(await lines.first { _ in true } == "listening to synthetic")
            clock.advance(by: .milliseconds(1_500))
            await recorder.finishRecording()
            #expect(try await report.frameCount == 24_000)
            #expect(try Self.files(in: directory) == [Array(Self.scene[16_000 - 4_800..<24_000])])
        }
    }

    /// The samples of all files in the order of their names.
    private static func files(in directory: URL) throws -> [[Int16]] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        return try names.map { name in
            var reader = try SoundFileReader(path: directory.appending(path: name).path)
            var samples: [Int16] = []
            _ = reader.readBlocks(of: 4_096) { block in samples += block.map { Int16($0 * 32_768) } }
            return samples
        }
    }
}

/// The lines that a user would see.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

private func withTemporaryDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
}
