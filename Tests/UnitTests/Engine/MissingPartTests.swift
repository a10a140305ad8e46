import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

/// The engine with an application of which one stream is missing for a while.
@Suite struct MissingPartTests {
    private static let fragmentFrames = 480

    private enum Item {
        /// This many fragments.
        case fragments(Int)
        case partMissing(frames: Int, end: Int)
    }

    /// Records fragments of half a full scale.
    ///
    /// - Parameters:
    ///   - cut: The frame at which a new file is requested, if any.
    ///   - limit: In frames.
    private func report(
        _ items: [Item], in directory: URL, cut: Int? = nil, limit: Int? = nil
    ) async throws -> RecordingReport {
        let feed = CounterFeed()
        let configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 2)
        let broadcast = RecordingBroadcast(bufferCapacity: 1)
        let output = try RecordingOutput(path: directory.appending(path: "take.wav").path)
        let engine = feed.engine(
            configuration, broadcast, [try feed.writer(output, of: configuration, broadcast)])
        let start: UInt64 = 1_000_000_000
        if let cut { engine.requestNewFiles(at: start + UInt64((Double(cut) + 0.5) / 48_000 * 1e9)) }
        if let limit { engine.setLimit(Double(limit) / 48_000) }
        let ring = try CaptureRing(
            slotBytes: Self.fragmentFrames * feed.source.sampleSpec.bytesPerFrame, waitingSlots: 400)
        var time = start
        for item in items {
            switch item {
            case .partMissing(let frames, let end): #expect(ring.append(.partMissing(frames: frames, end: end)))
            case .fragments(let count):
                for _ in 0..<count {
                    ring.nextFreeSlot()?.initializeMemory(as: Int16.self, repeating: 16_384)
                    ring.append(
                        FragmentStamp(byteCount: ring.slotBytes, hostTime: time, arrivalTime: time + 10_000_000))
                    time += 10_000_000
                }
            }
        }
        ring.close(.stopped)
        _ = engine.record(ring, from: feed.source, as: feed.source.form)
        return await engine.finish(.finished, source: feed.source)
    }

    @Test("A take of which one stream was missing is not whole: not for --strict, a batch or its report")
    func isNotWhole() async throws {
        try await TemporaryDirectory.with { directory in
            let whole = try await report([.fragments(100)], in: directory)
            #expect(!whole.hasLosses && whole.outputs.allSatisfy(\.isBitExact))
            #expect(ExitStatus(whole, isStrict: true) == .success)
        }
        try await TemporaryDirectory.with { directory in
            let report = try await report(
                [.fragments(20), .partMissing(frames: 1_024, end: 2_000), .fragments(80)], in: directory)
            let gap = RecordingGap(
                position: 9_600 + 2_000, framesLost: 1_024, sampleRate: 48_000, cause: .streamMissing)
            #expect(report.streamGaps == [gap] && report.hasLosses)
            // Nothing is missing from the length of the recording.
            #expect(report.framesLost == 0 && report.gaps.isEmpty && report.frameCount == 48_000)
            #expect(report.outputs.map(\.processingSteps) == [[.streamMissing]])
            #expect(ExitStatus(report, isStrict: true) == .notPerfect)
            #expect(ExitStatus(report, isStrict: false) == .success)

            let text = ReportText(report: report, glyphs: .ascii).lines
            #expect(text.first == "LOST      21 ms of one stream (1024 frames): before 0:00.241")
            #expect(text.contains("bit-exact no: one stream of the application missing for a while"))
            #expect(!text.contains { $0.contains("bit-exact yes") || $0.contains("lost ") })

            let take = BatchTake(
                line: 1, repetition: 1, configuration: .init(), outputs: [], duration: nil, endsByKey: false,
                prompt: nil)
            var tally = BatchTally()
            tally.record(TakeOutcome(status: .recorded, report: report), of: take)
            #expect(tally.text(of: 1) == "1 take: 1 recorded, 1 of them with frames LOST")
        }
    }

    /// The missing part ends where the second file begins, or a frame later.
    @Test("Of several files, the one with the end of the missing part is not bit-exact", arguments: [0, 1])
    func onlyItsFile(framesInSecond: Int) async throws {
        try await TemporaryDirectory.with { directory in
            let report = try await report(
                [.fragments(20), .partMissing(frames: 480, end: 2_000 + framesInSecond), .fragments(80)], in: directory,
                cut: 9_600 + 2_000)
            #expect(report.outputs.map(\.isBitExact) == [framesInSecond == 1, framesInSecond == 0])
        }
    }

    @Test("What is missing only after the end of a recording is not missing from it")
    func afterTheLimit() async throws {
        try await TemporaryDirectory.with { directory in
            let report = try await report(
                [.fragments(20), .partMissing(frames: 480, end: 960), .fragments(80)], in: directory, limit: 9_600 + 480
            )
            #expect(report.frameCount == 9_600 + 480 && !report.hasLosses)
        }
    }
}
