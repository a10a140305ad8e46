import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Takes from a source that stays open between them, by a clock that the test moves.
@Suite(.timeLimit(.minutes(1)))
struct TakesTests {
    /// Ends a take, while the source delivers what follows.
    ///
    /// - Parameter end: Ends it.
    private func finish(
        _ recorder: ACCAudioRecorder, of server: MemoryServer,
        _ end: @escaping @Sendable (ACCAudioRecorder) async -> RecordingReport? = { await $0.finishTake() }
    ) async throws -> RecordingReport {
        let timesAsked = server.timesAsked
        let report = Task { await end(recorder) }
        try await eventually("the time of the end") { server.timesAsked > timesAsked }
        // The frame at which it ends is in a fragment that has not arrived.
        try await eventually("the end of a take") {
            try await server.advance(by: .milliseconds(10))
            return await recorder.currentFrameCount() == nil
        }
        return try #require(await report.value)
    }

    @Test("Each take begins its pre-roll before its start, but never before the end of the take before it")
    func takesShareNoFrame() async throws {
        let server = MemoryServer("near")
        let recorder = server.recorder(of: "near")
        try await recorder.prepareTakes(keeping: .milliseconds(250))
        try await server.advance(by: .milliseconds(1_000))
        var last = 0
        // The time until each start, in milliseconds.
        for pause in [0, 500, 0, 100, 200, 300, 5] {
            try await server.advance(by: .milliseconds(pause))
            let recording = try await MemoryRecording(of: recorder, from: server)
            try await server.advance(by: .milliseconds(103))
            let trigger = Int(server.clock.now.elapsed / .milliseconds(1)) - 113
            let end = trigger + 113
            _ = try await finish(recorder, of: server)
            #expect(server.streamCount == 1)
            let runs = await recording.runs
            #expect(
                runs.count == 1 && runs[0].frames.lowerBound == max(last, (trigger - 250) * 48), "\(pause) ms: \(runs)")
            // Capture times are whole nanoseconds, so that it may end one frame later.
            last = runs[0].frames.upperBound
            #expect([0, 1].contains(last - end * 48), "\(pause) ms: \(runs)")
        }
        await recorder.finishRecording()
        #expect(server.streamCount == 0)
    }

    @Test(
        "A limit ends a take at its frame, and the next one goes on with the following frame",
        arguments: [48_000, 16_000])
    func limitsEndTakes(rate: Int) async throws {
        let server = MemoryServer("near")
        let recorder = server.recorder(of: "near") { $0.sampleRate = Double(rate) }
        await recorder.setTimeLimit(maxDuration: 0.5)
        try await recorder.prepareTakes(keeping: .milliseconds(400))
        try await server.advance(by: .milliseconds(1_000))
        var starts: [Double] = []
        for _ in 0..<4 {
            let streams = try await recorder.startRecording()
            try await eventually("the end of a take") {
                try await server.advance(by: .milliseconds(10))
                return await recorder.currentFrameCount() == nil
            }
            for await event in streams.events {
                if case .started(let hostTime) = event { starts.append(Double(hostTime) * 1e-9) }
                guard case .finished(let report) = event else { continue }
                #expect(report.ending == .limit && report.frameCount == rate / 2)
            }
        }
        for (start, next) in zip(starts, starts.dropFirst()) {
            #expect(abs(next - start - 0.5) < 2e-3, "\(starts)")
        }
        await recorder.finishRecording()
    }

    @Test("A take that is discarded, or whose source was paused or lost, is followed by others from where it ended")
    func takesEndInManyWays() async throws {
        let server = MemoryServer("near")
        let recorder = server.recorder(of: "near", .init(onDisconnect: .stop))
        try await recorder.prepareTakes(keeping: .milliseconds(250))
        try await server.advance(by: .milliseconds(1_000))
        var runs: [MemoryRecording.Run] = []
        func take(_ end: () async throws -> Void) async throws {
            try await eventually("an open source") { await recorder.isPrepared }
            try await server.advance(by: .milliseconds(50))
            let recording = try await MemoryRecording(of: recorder, from: server)
            try await server.advance(by: .milliseconds(103))
            try await end()
            runs += await recording.runs
        }
        try await take { _ = try await finish(recorder, of: server) { await $0.discardTake() } }
        try await take { _ = try await finish(recorder, of: server) { await $0.discardTake(andCompleteFiles: false) } }
        try await take {
            _ = try await finish(recorder, of: server) { recorder in
                await recorder.pauseRecording()
                return await recorder.finishTake()
            }
        }
        try await take {
            // The loss ends it.
            server.unplug("near")
            try await eventually("the end of a take") { await recorder.currentFrameCount() == nil }
        }
        server.plugIn("near")
        try await take { _ = try await finish(recorder, of: server) }
        #expect(runs.count == 5)
        for (run, next) in zip(runs, runs.dropFirst()) {
            #expect(run.frames.upperBound <= next.frames.lowerBound, "\(runs)")
        }
        await recorder.finishRecording()
        #expect(server.streamCount == 0)
    }

    @Test("A source that has stalled delays the end of a take by no more than a stop")
    func stalledSourcesEndTakes() async throws {
        let server = MemoryServer("near")
        let recorder = server.recorder(of: "near")
        try await recorder.prepareTakes()
        try await server.advance(by: .milliseconds(1_000))
        var recording = try await MemoryRecording(of: recorder, from: server)
        try await server.advance(by: .milliseconds(100))
        await recorder.finishTake()
        #expect(try await recording.report().frameCount == 110 * 48)
        try await server.advance(by: .milliseconds(40))
        recording = try await MemoryRecording(of: recorder, from: server)
        try await server.advance(by: .milliseconds(90))
        await recorder.finishTake()
        #expect(await recording.runs == [.init(0, 1_150 * 48..<1_250 * 48)])
        await recorder.finishRecording()
    }

    @Test("The numbers of files differ for each take, also where files were moved away")
    func numbersDiffer() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "accrec-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = MemoryServer("near")
        let recorder = server.recorder(of: "near")
        let pattern = try FilePattern(directory.appending(path: "note-{n}.wav").path)
        var paths: [String] = []
        try await recorder.withTakes {
            for _ in 0..<3 {
                try await server.advance(by: .milliseconds(100))
                try await recorder.startRecording(to: [RecordingOutput(.pattern(pattern), container: .wav)])
                try await server.advance(by: .milliseconds(100))
                let report = try await finish(recorder, of: server)
                paths += report.outputs.compactMap(\.path)
                for path in report.outputs.compactMap(\.path) { try FileManager.default.removeItem(atPath: path) }
            }
        }
        #expect(paths.map { URL(filePath: $0).lastPathComponent } == ["note-001.wav", "note-002.wav", "note-003.wav"])
        #expect(server.streamCount == 0)
    }

    @Test("A start that fails keeps nothing of the source, which is opened again for the next take")
    func failedStartsAreFollowedByTakes() async throws {
        let server = MemoryServer("near")
        let recorder = server.recorder(of: "near")
        try await recorder.prepareTakes(keeping: .milliseconds(100))
        try await server.advance(by: .milliseconds(1_000))
        await #expect(throws: ACCAudioRecorderError.self) {
            try await recorder.startRecording(to: [RecordingOutput(path: "/nowhere/take.wav")])
        }
        try await eventually("an open source") { await recorder.isPrepared }
        try await server.advance(by: .milliseconds(200))
        let recording = try await MemoryRecording(of: recorder, from: server)
        _ = try await finish(recorder, of: server)
        #expect(await recording.runs.first?.frames.lowerBound == 1_100 * 48)
        await recorder.finishRecording()
    }
}
