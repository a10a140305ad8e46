import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Recordings that are split automatically.
@Suite final class SplittingTests {
    private let feed = CounterFeed()
    private let directory = FileManager.default.temporaryDirectory.appending(path: "accrec-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// The report of a recording of this many frames, and the names of the removed files.
    ///
    /// - Parameter requested: Frames at which new files are requested.
    private func report(
        frames: Int, _ policy: SplittingPolicy, keeping retention: RetentionPolicy = .init(),
        to outputs: [RecordingOutput], requested: [Int] = []
    ) async throws -> (report: RecordingReport, removed: [String]) {
        try await report(
            Signal.counter(frames: frames, channels: 2), policy, keeping: retention, to: outputs, requested: requested)
    }

    /// The same of a recording of these samples of two channels.
    private func report(
        _ samples: [Int16], _ policy: SplittingPolicy, keeping retention: RetentionPolicy = .init(),
        to outputs: [RecordingOutput], requested: [Int] = []
    ) async throws -> (report: RecordingReport, removed: [String]) {
        var configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 2)
        (configuration.splitting, configuration.retention) = (policy, retention)
        try configuration.validate()
        let broadcast = RecordingBroadcast()
        let streams = broadcast.subscribe()
        let engine = feed.engine(
            configuration, broadcast, try outputs.map { try feed.writer($0, of: configuration, broadcast) })
        let begin: UInt64 = 1_000_000_000
        for frame in requested {
            // In the middle of the frame.
            engine.controls.requestNewFiles(at: begin + UInt64((Double(frame) + 0.5) / 48_000 * 1e9))
        }
        guard case .inputEnded = try await feed.record(samples, by: engine, at: begin) else {
            preconditionFailure("recording ended early")
        }
        let report = await engine.finish(.finished, source: feed.source)
        broadcast.finish()
        var removed: [String] = []
        for await event in streams.events {
            if case .fileRemoved(let path, .count) = event { removed.append(path) }
            if case .warning(let warning) = event { Issue.record("\(warning)") }
        }
        return (report, removed)
    }

    private func path(_ name: String) -> String { directory.appending(path: name).path }

    /// The numbers of a file's frames.
    private func numbers(_ report: OutputReport) async throws -> [Int] {
        let url = URL(filePath: try #require(report.path))
        let file = report.output.container == .flac ? try await PCMFile(flac: url) : try PCMFile(wav: url)
        #expect(file.frames == report.frameCount)
        return Signal.numbers(inCounter: file.int16, channels: 2).map { Int($0) }
    }

    @Test("F-08: requests between which an output would have no frame make one split, in all outputs")
    func requestsAlmostAtOnce() async throws {
        let (report, _) = try await report(
            frames: 48_000, SplittingPolicy(),
            to: [
                try RecordingOutput(path: path("take.wav")),
                try RecordingOutput(path: path("speech.wav"), sampleRate: 16_000, channelCount: 1),
            ], requested: [20_000, 30_000, 30_001, 40_001, 40_002, 40_003])
        #expect(report.outputs.filter { $0.sampleRate == 48_000 }.map(\.firstFrame) == [0, 20_000, 30_000, 40_001])
        #expect(report.outputs.filter { $0.sampleRate == 16_000 }.map(\.firstFrame) == [0, 6_667, 10_000, 13_334])
    }

    // What the sanitisers can find in these three is in the other tests as well, and each takes them up to half a minute.
    @Test(
        "F-08: a hundred splits by length are exact to the frame: none is lost or duplicated",
        .tags(.skipsThreadSanitizer, .skipsAddressSanitizer))
    func cutsByLength() async throws {
        let interval = 1.00013
        let frames = 101 * 48_000
        let speech = try RecordingOutput(path: path("speech.wav"), sampleRate: 16_000, channelCount: 1)
        let (report, _) = try await report(
            frames: frames, SplittingPolicy(interval: .seconds(interval)),
            to: [try RecordingOutput(path: path("take.wav")), speech])
        let (music, mono) = (
            report.outputs.filter { $0.sampleRate == 48_000 }, report.outputs.filter { $0.sampleRate == 16_000 }
        )
        #expect(music.count == 101 && mono.count == 101)
        #expect(music.last?.path == path("take-101.wav"))
        var next = 0
        for (index, piece) in music.enumerated() {
            #expect(piece.firstFrame == Int((Double(index) * interval * 48_000).rounded()))
            let numbers = try await numbers(piece)
            #expect(numbers.first == next && numbers.last == next + numbers.count - 1)
            next += numbers.count
            // The other output is split at the same time.
            #expect(abs(mono[index].firstFrame * 3 - piece.firstFrame) <= 2)
        }
        #expect(next == frames)
        #expect(mono.reduce(0) { $0 + $1.frameCount } == frames / 3)
        for (piece, following) in zip(mono, mono.dropFirst()) {
            #expect(piece.firstFrame + piece.frameCount == following.firstFrame)
        }
    }

    @Test(
        "F-08: a hundred splits by size, none of which exceeds it",
        .tags(.skipsThreadSanitizer, .skipsAddressSanitizer), arguments: ["wav", "flac"])
    func cutsBySize(container: String) async throws {
        let size = SplittingPolicy.smallestFile
        let frames = container == "wav" ? 1_700_000 : 4_000_000
        var output = try RecordingOutput(path: path("take.\(container)"))
        // Frames arrive faster than they can be compressed.
        output.longestDelay = .seconds(600)
        let (report, _) = try await report(frames: frames, SplittingPolicy(fileSize: size), to: [output])
        #expect(report.outputs.count > (container == "wav" ? 100 : 10))
        var next = 0
        for piece in report.outputs {
            #expect(piece.byteCount <= size)
            if container == "wav", piece != report.outputs.last { #expect(piece.byteCount > size - 8_192) }
            let numbers = try await numbers(piece)
            #expect(numbers.first == next && numbers.last == next + numbers.count - 1)
            next += numbers.count
        }
        #expect(next == frames)
    }

    @Test(
        "Lossy files do not exceed their size either, whatever the encoder makes of noise",
        .tags(.skipsThreadSanitizer, .skipsAddressSanitizer), arguments: ["opus", "ogg", "mp3"])
    func cutsLossyFilesBySize(container: String) async throws {
        let size = SplittingPolicy.smallestFile
        var output = try RecordingOutput(path: path("take.\(container)"))
        output.longestDelay = .seconds(600)
        let frames = 1_500_000
        let noise = Signal.noise(seed: 1, samples: frames * 2)
        let (report, _) = try await report(noise, SplittingPolicy(fileSize: size), to: [output])
        #expect(report.outputs.count > 5 && report.outputs.allSatisfy { $0.byteCount <= size })
        #expect(report.outputs.reduce(0) { $0 + $1.frameCount } == frames)
    }

    @Test("A padding byte counts as a part of a file's size", arguments: 65_536...65_541)
    func cutsBeforePadding(size: Int) async throws {
        var output = try RecordingOutput(path: path("take.wav"), channelCount: 1)
        output.format.encoding = .given(.s24)
        let (report, _) = try await report(frames: 100_000, SplittingPolicy(fileSize: size), to: [output])
        #expect(report.outputs.count > 3 && report.outputs.allSatisfy { $0.byteCount <= size })
    }

    @Test(
        "Files reach 95 % of their size, however large their tags are",
        arguments: ["wav", "rf64", "aiff", "caf"])
    func cutsJustBelowTheSize(container: String) async throws {
        let size = 100_000
        var output = try RecordingOutput(path: path("take.\(container)"))
        output.tags[.comment] = String(repeating: "c", count: 7_000)
        let (report, _) = try await report(frames: 400_000, SplittingPolicy(fileSize: size), to: [output])
        #expect(report.outputs.count > 15 && report.outputs.allSatisfy { $0.byteCount <= size })
        for piece in report.outputs.dropLast() { #expect(piece.byteCount > size * 95 / 100, "\(piece.byteCount)") }
        #expect(report.outputs.reduce(0) { $0 + $1.frameCount } == 400_000)
    }

    @Test("Tags that leave no room for samples are rejected")
    func refusesTagsAsLargeAsTheFiles() throws {
        var output = try RecordingOutput(path: path("take.flac"))
        output.tags[.comment] = String(repeating: "c", count: 60_000)
        let configuration = ACCAudioRecorder.Configuration().with { $0.splitting.fileSize = 65_536 }
        #expect(throws: ACCAudioRecorderError.self) { try configuration.validate(outputs: [output]) }
        try configuration.with { $0.splitting.fileSize = 1 << 20 }.validate(outputs: [output])
    }

    @Test("Only the last files are kept, and removals are reported")
    func keepsTheLast() async throws {
        let (report, removed) = try await report(
            frames: 10 * 48_000 + 1, SplittingPolicy(interval: .seconds(1)), keeping: RetentionPolicy(fileCount: 3),
            to: [RecordingOutput(.pattern(try FilePattern(path("log-{n}.wav"))), container: .wav)])
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { !$0.hasPrefix(".accrec-files-") }.sorted()
        #expect(files == ["log-009.wav", "log-010.wav", "log-011.wav"])
        #expect(report.outputs.map(\.path) == files.map { path($0) })
        #expect(removed == (1...8).map { path("log-00\($0).wav") })
        #expect(report.outputs.map(\.frameCount) == [48_000, 48_000, 1])
    }

    @Test func rejectsValuesOutOfRange() {
        for policy in [
            SplittingPolicy(interval: .seconds(0.5)), SplittingPolicy(interval: .seconds(-1)),
            SplittingPolicy(isByClock: true),
            SplittingPolicy(fileSize: 65_535),
        ] {
            #expect(throws: ACCAudioRecorderError.self) { try policy.validate() }
        }
    }

    @Test("With splitting by the clock, files begin at the first frame after each multiple since midnight")
    func cutsByTheClock() throws {
        let policy = SplittingPolicy(interval: .seconds(600), isByClock: true)
        var schedule = try #require(CutSchedule(policy, sampleRate: 48_000))
        let start = WallClock.nextMultiple(of: 600, after: MonotonicClock.now()) + 100_000_000_000
        var cuts: [Int] = []
        let block = 4_800_000
        for first in stride(from: 0, to: 48_000 * 3_600, by: block) {
            let time = start + UInt64(first) * 1_000_000 / 48
            while let cut = schedule.nextCut(in: first..<first + block, hostTime: time) { cuts.append(cut) }
        }
        #expect(cuts.count == 6)
        for cut in cuts {
            // The two clocks are not read at exactly the same time, so allow half a frame.
            let halfFrame: UInt64 = 10_417
            let time = WallClock(hostTime: start + UInt64(cut) * 1_000_000 / 48 + halfFrame)
            #expect(time.formatted("%M:%S").hasSuffix("0:00") && time.nanoseconds < 4 * halfFrame)
        }
    }

    @Test("A recording that begins just before a multiple goes on past it, because its file may have that name already")
    func beginsJustBeforeACut() throws {
        let policy = SplittingPolicy(interval: .seconds(600), isByClock: true)
        let multiple = WallClock.nextMultiple(of: 600, after: MonotonicClock.now())
        for (before, cutAfter) in [(20_000_000, 600.02), (700_000_000, 0.7)] as [(UInt64, Double)] {
            var schedule = try #require(CutSchedule(policy, sampleRate: 48_000))
            let cut = schedule.nextCut(in: 0..<48_000 * 900, hostTime: multiple - before)
            let frame = try #require(cut)
            #expect(abs(Double(frame) / 48_000 - cutAfter) < 0.001)
        }
    }
}
