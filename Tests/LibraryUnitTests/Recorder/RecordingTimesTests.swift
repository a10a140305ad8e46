import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// When the frames of a recording were captured, by its report.
@Suite(.timeLimit(.minutes(1)))
struct RecordingTimesTests {
    private static let rate = 48_000

    private static func recorder(_ clock: SyntheticClock, losing frames: Int = 0, at place: Int = 0) throws
        -> ACCAudioRecorder
    {
        ACCAudioRecorder(
            configuration: .init(sampleRate: Double(rate), channelCount: 1, bufferSize: 4_800),
            source: try SyntheticSource(
                sampleRate: Double(rate), channelCount: 1, pace: .clock(clock),
                faults: frames > 0 ? [.init(.lost(frames: frames), atFrame: place)] : []
            ) { frame, _ in Float(frame) * 0x1p-24 })
    }

    /// When a frame was captured, in seconds, as somebody finds it who has the report only.
    private static func time(of frame: Int, by report: RecordingReport) throws -> Double {
        Double(try #require(report.hostTime(ofFrame: frame))) * 1e-9
    }

    @Test("Each frame has its capture time, whatever was lost or left out by pauses", arguments: [0, 24_000])
    func everyFrame(lost: Int) async throws {
        let clock = SyntheticClock()
        let recorder = try Self.recorder(clock, losing: lost, at: 6 * Self.rate)
        let streams = try await recorder.startRecording()
        clock.advance(by: .seconds(25))
        await recorder.pauseRecording()
        clock.advance(by: .seconds(7))
        try await recorder.resumeRecording()
        clock.advance(by: .seconds(2))
        let report = try #require(await recorder.finishRecording())
        var (captured, first): ([Int], Double?) = ([], nil)
        for await buffer in streams.buffers {
            first = first ?? Double(buffer.hostTime) * 1e-9
            captured += buffer.withSamples { $0.map { Int($0 * 0x1p24) } }
        }
        // Each sample is the number of its frame at the source.
        let begin = try Self.time(of: 0, by: report)
        #expect(abs(begin - (first ?? 0)) < 0.005)
        for frame in stride(from: 0, to: captured.count, by: 480) {
            // The place of a loss is known to a fragment.
            if let gap = report.gaps.first, abs(frame - gap.position) <= 4_800 { continue }
            let expected = Double(captured[frame] - captured[0]) / Double(Self.rate)
            let time = try Self.time(of: frame, by: report)
            #expect(abs(time - begin - expected) < 0.005, "\(frame)")
            let found = try #require(report.frame(capturedAt: UInt64(time * 1e9) + 1_000))
            #expect(abs(found - frame) <= 1)
        }
        #expect(
            report.times.points.map(\.isFirst) == (lost > 0 ? [true, true, false, true] : [true, false, false, true]),
            "\(report.times)")
        let decoded = try JSONDecoder().decode(RecordingReport.self, from: JSONEncoder().encode(report))
        #expect(
            zip(decoded.times.points, report.times.points).allSatisfy {
                abs(Int64($0.hostTime) - Int64($1.hostTime)) < 2_000
            })
    }

    @Test("No frame was captured before the beginning, after the end, in a loss and in a pause")
    func timesWithoutAFrame() async throws {
        let clock = SyntheticClock()
        let recorder = try Self.recorder(clock, losing: 48_000, at: 6 * Self.rate)
        try await recorder.startRecording()
        clock.advance(by: .seconds(15))
        await recorder.pauseRecording()
        clock.advance(by: .seconds(7))
        try await recorder.resumeRecording()
        clock.advance(by: .seconds(5))
        let report = try #require(await recorder.finishRecording())
        let begin = try #require(report.hostTime(ofFrame: 0))
        for (second, isRecorded) in [
            (-1, false), (3, true), (6.5, false), (10, true), (18, false), (25, true), (28, false),
        ] {
            let time = UInt64(Double(begin) + second * 1e9)
            #expect((report.frame(capturedAt: time) != nil) == isRecorded, "\(second) s")
        }
        #expect(report.hostTime(ofFrame: -1) == nil && report.hostTime(ofFrame: report.frameCount) == nil)
    }

    @Test("The clock of a source is estimated by the longest stretch", arguments: [-500, 0, 120] as [Double])
    func clock(drift: Double) throws {
        var times = RecordingTimes()
        for second in 0..<3_600 {
            if second == 600 { times.breakOff(sampleRate: 48_000) }
            let error = second.isMultiple(of: 2) ? 0.0015 : -0.0015
            let captured = Double(second) / (1 + drift * 1e-6) + error + 1_000
            times.note(second * 48_000, at: UInt64(captured * 1e9), sampleRate: 48_000)
        }
        let report = RecordingReport(
            source: .made("mic"), sampleRate: 48_000, channelCount: 1, frameCount: 3_600 * 48_000,
            times: times.ended(sampleRate: 48_000))
        let clock = try #require(report.clock)
        #expect(abs(clock.drift - drift) <= clock.uncertainty && clock.uncertainty < 2)
    }

    @Test("A year has at most 512 points, about equally far apart")
    func aYear() {
        var times = RecordingTimes()
        let seconds = 365 * 24 * 3_600
        for second in stride(from: 0, to: seconds, by: 5) {
            times.note(second * 8_000, at: UInt64(second) * 1_000_000_000, sampleRate: 8_000)
        }
        let points = times.ended(sampleRate: 8_000).points
        #expect((256...512).contains(points.count) && points[0].frame == 0)
        #expect(points.filter(\.isFirst).map(\.frame) == [0])
        #expect(zip(points, points.dropFirst()).allSatisfy { $1.frame - $0.frame <= seconds / 200 * 8_000 })
    }

    @Test("No pause lies between two points of one stretch, however many points were left out", arguments: [1, 7, 95])
    func pauses(distance: Int) {
        var times = RecordingTimes()
        var begins: [Int] = []
        for second in 0..<40_000 {
            if second.isMultiple(of: distance) {
                times.breakOff(sampleRate: 8_000)
                begins.append(second * 8_000)
            }
            times.note(second * 8_000, at: UInt64(second) * 3_000_000_000, sampleRate: 8_000)
        }
        let points = times.ended(sampleRate: 8_000).points
        #expect((128...512).contains(points.count))
        for (point, next) in zip(points, points.dropFirst()) where !next.isFirst {
            #expect(!begins.contains { point.frame < $0 && $0 <= next.frame }, "\(point.frame) to \(next.frame)")
        }
    }
}
