import ACCAudioRecorder
import Foundation
import Synchronization
import Testing

@testable import Meeting

/// A meeting is tested without a sound server. A synthetic source is one input, so the two tracks are its two channels. The lines
/// about one input alone are tested by values.
@Suite(.timeLimit(.minutes(1)))
struct MeetingTests {
    /// The sample of a track, which tells its frame and its channel.
    private static func sample(_ frame: Int, _ channel: Int) -> Int16 {
        Int16(frame % 8_000) + (channel == 0 ? 100 : -20_000)
    }

    @Test("Two tracks are one file, in which what both lack is silent, and told")
    func aGap() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).flac").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = try SyntheticSource(
            samples: (0..<192_000).flatMap { frame in [Self.sample(frame, 0), Self.sample(frame, 1)] },
            sampleRate: 48_000, channelCount: 2, faults: [.init(.dropped(frames: 24_000), atFrame: 72_000)])
        let recorder = ACCAudioRecorder(
            configuration: .init(sampleRate: 48_000, channelCount: 2, interruptions: .init(fillsGaps: true)),
            source: source)
        await recorder.setTimeLimit(.seconds(3))
        let meeting = Meeting(recorder: recorder, output: try RecordingOutput(path: path), tell: { _ in })
        let report = try await meeting.run(marking: AsyncStream { $0.finish() })

        #expect(report.ending == .limit && report.frameCount == 144_000)
        #expect(
            Minutes.lines(for: report) == [
                "\(path): 0:03.0, 2 tracks", "both tracks: 0.5 s missing at 0:01.5: \(RecordingGap.Cause.dropped)",
            ])
        let samples = try Self.samples(of: path)
        let isMissing = { (frame: Int) in (72_000..<96_000).contains(frame) }
        let expected = (0..<144_000).flatMap { frame in
            (0..<2).map { isMissing(frame) ? 0 : Self.sample(frame, $0) }
        }
        #expect(samples == expected)
    }

    @Test("Enter sets a marker, with the text that was typed")
    func markers() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).flac").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let clock = SyntheticClock()
        let source = try SyntheticSource(sampleRate: 48_000, channelCount: 2, pace: .clock(clock)) { _, _ in 0.1 }
        let recorder = ACCAudioRecorder(configuration: .init(sampleRate: 48_000, channelCount: 2), source: source)
        // Somebody types after a second, and after another one. A marker is told once the clock has moved on.
        let typed = Mutex(["", "budget"][...])
        let labels = AsyncStream {
            clock.advance(by: .seconds(1))
            return typed.withLock { $0.popFirst() }
        }
        let (lines, told) = AsyncStream.makeStream(of: String.self)
        let meeting = Meeting(recorder: recorder, output: try RecordingOutput(path: path)) { told.yield($0) }
        async let report = meeting.run(marking: labels)
        var shown = lines.makeAsyncIterator()
        #expect(await shown.next() == "recording synthetic")
        #expect(await shown.next() == "marker 1 at 0:01.0")
        #expect(await shown.next() == "marker budget at 0:02.0")
        await recorder.finishRecording()
        #expect(try await report.frameCount == 144_000)
        let reader = try SoundFileReader(path: path)
        #expect(reader.markers(ofFileAt: path).map(\.label) == ["1", "budget"])
    }

    @Test("What one input lacks is told with its name")
    func gapOfAnInput() {
        let gap = RecordingGap(
            position: 4_000_000, offset: .seconds(83.33), framesLost: 96_000, length: .seconds(2),
            cause: .interruption(.deviceLost), isFilled: true, input: "desktop")
        let line = "desktop: 2.0 s missing at 1:23.3: \(RecordingInterruption.deviceLost)"
        #expect(Meeting.line(for: .gap(gap)) == line)
    }

    private static func samples(of path: String) throws -> [Int16] {
        var reader = try SoundFileReader(path: path)
        var samples: [Int16] = []
        _ = reader.readBlocks(of: 4_096) { block in samples += block.map { Int16($0 * 32_768) } }
        return samples
    }
}
