import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Losses just before a recording ends or pauses, where no later fragment shows them.
@Suite(.timeLimit(.minutes(1)))
struct LossAtTheEndTests {
    private static let rate = 48_000

    private static func frames(_ seconds: Double) -> Int { Int((seconds * Double(rate)).rounded()) }

    /// The report of a recording of a source with a loss, until the clock shows a time.
    ///
    /// - Parameters:
    ///   - lost: The length of the loss in seconds.
    ///   - start: The audio before the loss, in seconds.
    ///   - end: The time in seconds.
    ///   - late: When the audio from 5 s on arrives, in seconds; nil if it arrives in time.
    private static func report(
        lost: Double, after start: Double, until end: Double, late: Double? = nil, pauses: Bool
    ) async throws -> RecordingReport {
        let clock = SyntheticClock()
        var source = try SyntheticSource(
            sampleRate: Double(rate), channelCount: 1, pace: .clock(clock),
            faults: [.init(.lost(frames: frames(lost)), atFrame: frames(start))]
        ) { _, _ in 0.5 }
        if let late {
            source.restamp = { frames, stamp in
                guard frames.lowerBound >= Self.frames(5) else { return }
                let delay = UInt64(max(late - Double(frames.upperBound) / Double(rate), 0) * 1e9)
                (stamp.arrivalTime, stamp.hostTime) = (stamp.arrivalTime + delay, stamp.hostTime + delay)
            }
        }
        let recorder = ACCAudioRecorder(
            configuration: .init(sampleRate: Double(rate), channelCount: 1, bufferSize: 480), source: source)
        try await recorder.startRecording()
        clock.advance(by: .seconds(end))
        if pauses {
            await recorder.pauseRecording()
            clock.advance(by: .seconds(7))
        }
        return try #require(await recorder.finishRecording())
    }

    @Test(
        "C-02: what is lost shortly before the end, or before a pause, is reported",
        arguments: [(1.2, 0.02), (1.2, 0.9), (3, 0.3), (20, 0.02), (20, 0.9)], [false, true])
    func beforeTheLastFrames(length: (lost: Double, delivered: Double), pauses: Bool) async throws {
        let end = 5 + length.lost + length.delivered
        let report = try await Self.report(lost: length.lost, after: 5, until: end, pauses: pauses)
        #expect(report.frameCount == Self.frames(5 + length.delivered))
        #expect(report.gaps.map(\.cause) == [.dropped])
        #expect(abs(report.framesLost - Self.frames(length.lost)) <= 480)
    }

    // As a server does that kept half a second for a program that was stopped.
    @Test(
        "C-02: what is lost at the end, or before a pause, is reported though earlier frames have just arrived",
        arguments: [1.2, 3, 20], [false, true])
    func afterABacklog(lost: Double, pauses: Bool) async throws {
        let end = 5.5 + lost
        let report = try await Self.report(lost: lost, after: 5.5, until: end, late: end, pauses: pauses)
        #expect(report.frameCount == Self.frames(5.5))
        #expect(report.gaps.map(\.cause) == [.dropped])
        #expect(abs(report.framesLost - Self.frames(lost)) <= 480)
    }
}
