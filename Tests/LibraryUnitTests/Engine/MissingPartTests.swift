import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The engine with an application of which one stream is missing for a while.
@Suite struct MissingPartTests {
    private static let fragmentFrames = 480

    private enum Item {
        /// This many fragments.
        case fragments(Int)
        case silentFragments(Int)
        case partMissing(frames: Int, end: Int)
    }

    /// Records fragments of half a full scale.
    ///
    /// - Parameters:
    ///   - cut: The frame at which a new file is requested, if any.
    ///   - limit: In frames.
    private func report(
        _ items: [Item], in directory: URL, cut: Int? = nil, limit: Int? = nil, sound: SoundActivation? = nil
    ) async throws -> RecordingReport {
        let feed = CounterFeed()
        var configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 2)
        configuration.soundActivation = sound
        let broadcast = RecordingBroadcast()
        let output = try RecordingOutput(path: directory.appending(path: "take.wav").path)
        let engine = feed.engine(
            configuration, broadcast, [try feed.writer(output, of: configuration, broadcast)])
        let start: UInt64 = 1_000_000_000
        if let cut { engine.controls.requestNewFiles(at: start + UInt64((Double(cut) + 0.5) / 48_000 * 1e9)) }
        if let limit { engine.controls.limit = Double(limit) / 48_000 }
        let ring = try CaptureRing(
            slotBytes: Self.fragmentFrames * feed.source.sampleSpec.bytesPerFrame, waitingSlots: 400,
            keptBytes: 48_000 * feed.source.sampleSpec.bytesPerFrame)
        var time = start
        func append(_ count: Int, of sample: Int16) {
            for _ in 0..<count {
                ring.nextFreeSlot()?.initializeMemory(as: Int16.self, repeating: sample)
                ring.append(FragmentStamp(byteCount: ring.slotBytes, hostTime: time, arrivalTime: time + 10_000_000))
                time += 10_000_000
            }
        }
        for item in items {
            switch item {
            case .partMissing(let frames, let end): #expect(ring.append(.partMissing(frames: frames, end: end)))
            case .fragments(let count): append(count, of: 16_384)
            case .silentFragments(let count): append(count, of: 0)
            }
        }
        ring.close(.stopped)
        _ = engine.record(ring, from: feed.source, as: feed.source.form)
        return await engine.finish(.finished, source: feed.source)
    }

    @Test("A recording of which one stream was missing is not whole")
    func isNotWhole() async throws {
        try await TemporaryDirectory.with { directory in
            let whole = try await report([.fragments(100)], in: directory)
            #expect(!whole.hasLosses && whole.outputs.allSatisfy(\.isBitExact))
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

    /// The gate is open for 9,600 frames, then from 4,800 frames before the sound on, and closed in between.
    @Test(
        "With a noise gate, the missing part ends at the frame of the file that follows it",
        arguments: [(2_000, 9_600 + 4_800 + 2_000), (-1_000, 9_600 + 4_800 - 1_000), (-20_000, 9_600)])
    func gatedPart(end: Int, position: Int) async throws {
        try await TemporaryDirectory.with { directory in
            // Reported 2,400 frames before it goes on.
            let (before, rest) = (48_000 + end - 2_400).quotientAndRemainder(dividingBy: Self.fragmentFrames)
            let report = try await report(
                [
                    .silentFragments(before), .partMissing(frames: 480, end: 2_400 + rest),
                    .silentFragments(100 - before),
                    .fragments(100),
                ], in: directory,
                sound: SoundActivation(openingLevel: -40, hold: .seconds(0.2), preRoll: .seconds(0.1), pauses: .join))
            #expect(report.streamGaps.map(\.position) == [position])
            #expect(report.frameCount == 9_600 + 4_800 + 48_000 && report.framesLost == 0)
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
