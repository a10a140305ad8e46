import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

/// What is said of a take of which one stream was missing for a while.
@Suite struct MissingPartTests {
    private static let gap = RecordingGap(
        position: 11_600, offset: .frames(11_600, at: 48_000), framesLost: 1_024, length: .frames(1_024, at: 48_000),
        cause: .streamMissing)
    private static let report = RecordingReport(
        source: .made("player"), sampleRate: 48_000, channelCount: 2, frameCount: 48_000, streamGaps: [gap],
        outputs: [
            OutputReport(
                output: RecordingOutput(.file(path: "take.wav"), container: .wav), sampleRate: 48_000,
                channelMap: .standard(channelCount: 2), firstFrame: 0, frameCount: 48_000, byteCount: 192_044,
                processingSteps: [.streamMissing])
        ])

    @Test("It is not whole for --strict")
    func status() {
        #expect(ExitStatus(Self.report, isStrict: true) == .notPerfect)
        #expect(ExitStatus(Self.report, isStrict: false) == .success)
    }

    @Test("The report says how much is missing and where, and calls no file bit-exact")
    func text() {
        let report = ReportText(report: Self.report, glyphs: .ascii)
        let text = report.problems + report.facts
        #expect(text.first == "LOST      21 ms of one stream (1024 frames): before 0:00.241")
        #expect(text.contains("bit-exact no: one stream of the application missing for a while"))
        #expect(!text.contains { $0.contains("bit-exact yes") || $0.contains("lost ") })
    }

    @Test("A batch counts it")
    func batch() {
        let take = BatchTake(
            line: 1, repetition: 1, settings: .init(.init(), outputs: []), outputs: [], duration: nil, endsByKey: false,
            prompt: nil)
        var tally = BatchLog.Tally()
        tally.record(BatchTake.Outcome(status: .recorded, report: Self.report), of: take)
        #expect(tally.text(of: 1) == "1 take: 1 recorded, 1 of them with frames LOST")
    }
}
