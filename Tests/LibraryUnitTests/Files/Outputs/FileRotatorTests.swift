import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// An output that continues in new files.
@Suite(.timeLimit(.minutes(1)))
struct FileRotatorTests {
    private static let form = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 1))

    /// Collects what an output reports, as short texts.
    private final class Notices: Sendable {
        private let texts = Mutex<[String]>([])

        var all: [String] { texts.withLock { $0 } }

        func receive(_ notice: OutputWriter.Notice) {
            let text: String? =
                switch notice {
                case .fileOpened(let path, nil): "created \(URL(filePath: path).lastPathComponent)"
                case .fileClosed(let report): "completed \(report.frameCount)"
                case .fileRemoved(let path, _): "removed \(URL(filePath: path).lastPathComponent)"
                case .lost(_, let loss, _): "lost \(loss.frameCount) before \(loss.position): \(loss.cause)"
                case .warning: "warning"
                case .ended: "ended"
                default: nil
                }
            if let text { texts.withLock { $0.append(text) } }
        }
    }

    /// An output in a directory that goes and comes back.
    private struct Fixture {
        let directory: URL
        let rotator: FileRotator
        let notices = Notices()
        private let chunk: EncodedFrames.Chunk

        init(in parent: URL, filesKept: Int? = nil) throws {
            directory = parent.appending(path: "recordings")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            let resolved = ResolvedOutput(
                try RecordingOutput(path: directory.appending(path: "take.wav").path, encoding: .s16),
                from: FileRotatorTests.form, .s16LE)
            let output = resolved.output
            let context = OutputContext(
                sourceName: "source", sourceDescription: "Source",
                sourceSpec: SampleSpec(format: .s16LE, sampleRate: 48_000, channelCount: 1),
                policies: RecordingPolicies(program: .init(name: "accrec")))
            rotator = try FileRotator(
                output, names: FileNames(output, sourceName: "source", modeName: "measurement"), encoding: .s16,
                metadata: FileMetadata(resolved, context: context),
                splitting: SplittingPolicy(), retention: RetentionPolicy(fileCount: filesKept), startTime: nil,
                notify: { [notices] in notices.receive($0) })
            chunk = EncodedFrames.Chunk(EncodedFrames.Form(.s16, channelCount: 1), capacity: 4_800)
            chunk.fillWithSilence()
            rotator.begin(hostTime: 1_000_000_000)
        }

        func write(_ frames: Int) {
            rotator.write(chunk.frames.prefix(frames))
        }

        func beginSound() {
            rotator.startNewFile(hostTime: 5_000_000_000, serverProcessing: [])
        }

        func endSound() {
            rotator.endFile(serverProcessing: [])
        }

        func removeDirectory() throws {
            try FileManager.default.removeItem(at: directory)
        }

        func restoreDirectory() throws {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        }
    }

    @Test("What changes samples is said of the current file, and of later ones where it lasts, beside their conversion")
    func processingSteps() async throws {
        try await TemporaryDirectory.with { directory in
            let fixture = try Fixture(in: directory)
            let conversion = ProcessingStep.resampled(from: 44_100, to: 48_000)
            fixture.rotator.record([conversion])
            fixture.write(480)
            fixture.rotator.record(.streamMissing, inLaterFiles: false)
            fixture.rotator.record(.nonFiniteReplaced, inLaterFiles: true)
            fixture.rotator.startNewFile(hostTime: 2_000_000_000, serverProcessing: [])
            fixture.write(480)
            let reports = fixture.rotator.finish(serverProcessing: [])
            #expect(
                reports.map(\.processingSteps) == [
                    [conversion, .streamMissing, .nonFiniteReplaced], [conversion, .nonFiniteReplaced],
                ])
        }
    }

    @Test("A file that cannot be created when a sound begins costs only what comes until it can")
    func fileIsTriedAgain() async throws {
        try await TemporaryDirectory.with { parent in
            let fixture = try Fixture(in: parent)
            fixture.write(100)
            fixture.endSound()
            try fixture.removeDirectory()
            // One sound is lost, and the beginning of the next one.
            fixture.beginSound()
            fixture.write(1_000)
            fixture.rotator.mark("never", at: 500)
            fixture.endSound()
            fixture.beginSound()
            fixture.write(200)
            fixture.write(300)
            try fixture.restoreDirectory()
            fixture.write(400)
            fixture.rotator.mark("here", at: 1_650)
            fixture.endSound()
            fixture.beginSound()
            fixture.write(50)

            let reports = fixture.rotator.finish(serverProcessing: [])
            #expect(fixture.rotator.failure == nil)
            #expect(reports.map(\.frameCount) == [100, 400, 50] && reports.map(\.firstFrame) == [0, 100, 500])
            #expect(reports.map { $0.gaps.map(\.framesLost) } == [[], [1_500], []])
            #expect(reports[1].gaps.first?.cause == .noFile)
            #expect(
                fixture.notices.all == [
                    "completed 100", "warning", "created take-003.wav",
                    "lost 1500 before 0: the file could not be created", "completed 400", "created take-004.wav",
                ])
            let markers = try WAVMarker.all(in: URL(filePath: try #require(reports[1].path)))
            #expect(
                markers == [
                    WAVMarker(frame: 0, label: "gap 0.031 s: the file could not be created"),
                    WAVMarker(frame: 50, label: "here"),
                ])
        }
    }

    @Test(
        "A marker after a loss is at its frame, whether silence replaces what is lost or not", arguments: [false, true])
    func markerAfterALoss(isFilled: Bool) async throws {
        try await TemporaryDirectory.with { parent in
            let fixture = try Fixture(in: parent)
            fixture.write(100)
            fixture.rotator.recordLoss(of: 50, isFilled: isFilled)
            fixture.write(100)
            // The recording has the lost frames.
            fixture.rotator.mark("here", at: 200)
            let report = try #require(fixture.rotator.finish(serverProcessing: []).first)
            #expect(report.frameCount == (isFilled ? 250 : 200))
            let markers = try WAVMarker.all(in: URL(filePath: try #require(report.path)))
            #expect(markers.map(\.frame) == [100, isFilled ? 200 : 150] && markers.last?.label == "here")
        }
    }

    @Test("What no file has at the end is in the report of the last one, which is kept")
    func lossAtTheEnd() async throws {
        try await TemporaryDirectory.with { parent in
            let fixture = try Fixture(in: parent, filesKept: 1)
            fixture.write(100)
            fixture.endSound()
            try fixture.removeDirectory()
            fixture.beginSound()
            fixture.write(1_000)
            fixture.rotator.recordLoss(of: 10, isFilled: true)

            let reports = fixture.rotator.finish(serverProcessing: [])
            #expect(reports.map { $0.gaps.map(\.framesLost) } == [[1_010]])
            #expect(reports.first?.gaps.first?.position == 100)
            #expect(
                fixture.notices.all == [
                    "completed 100", "warning", "lost 1010 before 100: the file could not be created",
                ])
        }
    }
}
