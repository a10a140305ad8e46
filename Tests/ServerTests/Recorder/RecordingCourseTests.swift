import ACCAudioRecorder
import Foundation
import Synchronization
import TestSupport
import Testing

/// Pause, resume, limits, states, and endings.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RecordingCourseTests {
    @Test(
        "R-07, R-11: nothing of a pause is recorded, and nothing around it is missing", .tags(.undisturbed),
        arguments: ServerKind.allCases)
    func pausesWithoutStaleAudio(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let path = server.directory.appending(path: "take.wav")
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            let streams = try await recorder.startRecording(to: [RecordingOutput(path: path.path)])
            async let buffers = RecorderFixture.all(streams.buffers)
            async let events = RecorderFixture.all(streams.events)
            try await RecorderFixture.wait(for: 1, of: recorder)

            await recorder.pauseRecording()
            #expect(await recorder.isPausedState())
            let paused = try #require(await recorder.currentDuration())
            let duringPause = try await Self.halfSecondOfMonitor(server)
            #expect(await recorder.currentDuration() == paused)
            let resumed = Monotonic.now()
            try await recorder.resumeRecording()
            #expect(await !recorder.isPausedState())
            try await RecorderFixture.wait(for: paused + 1, of: recorder)
            let report = try #require(await recorder.finishRecording())

            let all = await buffers
            let numbers = all.flatMap(RecorderFixture.numbers)
            let pauseFrame = Int((paused * 48_000).rounded())
            // PipeWire begins a stream with silence.
            let before = numbers[..<pauseFrame]
            let after = numbers[pauseFrame...].drop { $0 == 0 }
            #expect(RecorderFixture.breaks(Array(before)).isEmpty)
            #expect(RecorderFixture.breaks(Array(after)).isEmpty)
            #expect(after.count > 24_000)
            let first = try #require(all.first { $0.timestamp >= paused })
            #expect(first.timestamp == paused)
            #expect(first.hostTime >= resumed)
            #expect(try #require(after.first) > #require(duringPause.last))

            let file = try PCMFile(wav: path)
            #expect(file.frames == report.frameCount)
            #expect(Signal.numbers(inCounter: file.int16, channels: 2).map(Int.init) == numbers)
            let seen = await events
            // Started, file created, first frame, paused, resumed, and finished.
            #expect(seen.count == 6)
            #expect(seen.dropFirst().first == .fileCreated(path: path.path))
            #expect(seen.dropFirst(3).first == .paused(frame: pauseFrame))
            #expect(seen.last == .finished(report))
        }
    }

    /// What another program hears of the counter.
    private static func halfSecondOfMonitor(_ server: PrivateServer) async throws -> [Int] {
        let parec = "parec --raw --device=room.monitor --latency-msec=20 \(PCMFormat().options.joined(separator: " "))"
        let heard = try await ChildProcess.run(
            ["sh", "-c", "\(parec) | head -c \(24_000 * 4)"], environment: server.environment)
        let samples = heard.standardOutput.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        return Signal.numbers(inCounter: samples, channels: 2).map(Int.init)
    }

    @Test("R-08: the limit is exact, also across a pause", arguments: ServerKind.allCases)
    func theLimitIsExact(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let configuration = RecorderFixture.configuration(server, rate: 44_100, channels: 1)
            let recorder = ACCAudioRecorder(configuration: configuration)
            let streamsEnded = Mutex(false)
            let endedBeforeHandler = Mutex<Bool?>(nil)
            await recorder.setTimeLimit(maxDuration: 2.5) {
                // The streams are still open, and the recording is complete.
                #expect(await recorder.currentDuration() == 2.5)
                #expect(await recorder.getCurrentStreams() != nil)
                endedBeforeHandler.withLock { $0 = streamsEnded.withLock { $0 } }
            }
            let streams = try await recorder.startRecording()
            async let events = RecorderFixture.all(streams.events)
            let frames = Task {
                let frames = await RecorderFixture.all(streams.buffers).reduce(0) { $0 + Int($1.frameLength) }
                streamsEnded.withLock { $0 = true }
                return frames
            }
            try await RecorderFixture.wait(for: 1, of: recorder)
            await recorder.pauseRecording()
            try await recorder.resumeRecording()
            #expect(await frames.value == 110_250)
            #expect(endedBeforeHandler.withLock { $0 } == false)
            #expect(await events.suffix(2).first == .limitReached)
            try await eventually("the end") { await recorder.getCurrentStreams() == nil }
        }
    }

    @Test("R-08: setting, changing or clearing a limit during a recording takes effect at once")
    func theLimitActsAtOnce() async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            await recorder.setTimeLimit(maxDuration: 0.5)
            var streams = try await recorder.startRecording()
            await recorder.clearTimeLimit()
            try await RecorderFixture.wait(for: 0.7, of: recorder)
            await recorder.setTimeLimit(maxDuration: 1)
            #expect(try await report(streams).frameCount == 48_000)

            // The limit stays for the next recording, and a recording that is already longer ends at once.
            streams = try await recorder.startRecording()
            #expect(try await report(streams).ending == .limitReached)
            await recorder.clearTimeLimit()
            streams = try await recorder.startRecording()
            try await RecorderFixture.wait(for: 0.5, of: recorder)
            await recorder.pauseRecording()
            let paused = try #require(await recorder.currentDuration())
            await recorder.setTimeLimit(maxDuration: 0.1)
            let report = try await report(streams)
            #expect(report.ending == .limitReached)
            #expect(report.duration == paused)
        }
    }

    @Test("R-06: the last state always arrives", arguments: [100])
    func theLastStateArrives(times: Int) async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server, bufferSize: 64))
            for _ in 0..<times {
                let streams = try await recorder.startRecording()
                var states = streams.state.makeAsyncIterator()
                let first = try #require(await states.next())
                #expect(first.isRecording && !first.isPaused && first.currentDuration != nil)
                await recorder.finishRecording()
                var last: RecordingState?
                while let state = await states.next() { last = state }
                #expect(last?.isRecording == false)
                #expect(last?.currentDuration == nil)
            }
        }
    }

    @Test("R-10: a discarded recording leaves no file")
    func discardRemovesTheFiles() async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            let path = server.directory.appending(path: "take.flac").path
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            _ = try await recorder.startRecording(to: [RecordingOutput(path: path)])
            try await RecorderFixture.wait(for: 0.3, of: recorder)
            #expect(FileManager.default.fileExists(atPath: path))
            let report = await recorder.discardRecording()
            #expect(report?.ending == .discarded)
            #expect(!FileManager.default.fileExists(atPath: path))
            await #expect(throws: ACCAudioRecorderError.noActiveRecording) { try await recorder.resumeRecording() }
        }
    }

    @Test("Several outputs, each in its own format, begin and end together")
    func outputsHaveTheirOwnForms() async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            let paths = ["a.wav", "b.flac", "c.wav"].map { server.directory.appending(path: $0) }
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            await recorder.setTimeLimit(maxDuration: 1.25)
            let streams = try await recorder.startRecording(to: [
                RecordingOutput(path: paths[0].path),
                RecordingOutput(path: paths[1].path, encoding: .s24, sampleRate: 44_100),
                RecordingOutput(path: paths[2].path, encoding: .f32, sampleRate: 16_000, channelCount: 1),
            ])
            let report = try await report(streams)
            #expect(report.outputs.map(\.frameCount) == [60_000, 55_125, 20_000])
            #expect(report.outputs.allSatisfy { $0.failure == nil })
            let files = [try PCMFile(wav: paths[0]), try await PCMFile(flac: paths[1]), try PCMFile(wav: paths[2])]
            #expect(files.map(\.frames) == [60_000, 55_125, 20_000])
            #expect(files.map(\.rate) == [48_000, 44_100, 16_000])
            #expect(files.map(\.channels) == [2, 2, 1])
            #expect(files.map(\.bits) == [16, 24, 32])
        }
    }

    @Test("F-10: the failure of one output does not stop the others")
    func aFailedOutputIsReported() async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            let path = server.directory.appending(path: "take.wav")
            let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
            defer { close(full) }
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            await recorder.setTimeLimit(maxDuration: 0.5)
            let streams = try await recorder.startRecording(to: [
                RecordingOutput(.descriptor(full), container: .raw), RecordingOutput(path: path.path),
            ])
            let report = try await report(streams)
            #expect(report.ending == .limitReached)
            #expect(report.outputs[0].failure?.failure?.reason == .diskFull)
            #expect(report.outputs[1].failure == nil)
            #expect(try PCMFile(wav: path).frames == 24_000)
        }
    }

    @Test("D-08: loss and return of a device are reported", arguments: ServerKind.allCases)
    func lostDevicesAreTold(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("other")
            let room = try await server.loadNullSink("room")
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            let streams = try await recorder.startRecording()
            var events = streams.events.makeAsyncIterator()
            guard case .started(let source, _) = await events.next() else {
                Issue.record("no start")
                return
            }
            try await server.unloadModule(room)
            // The stream may be seen on another source before the device is known to be lost.
            var seen: [RecordingEvent] = []
            while !seen.contains(where: { $0.isLoss(of: source) }), let event = await events.next() {
                seen.append(event)
            }
            #expect(seen.contains { $0.isLoss(of: source) })
            try await server.loadNullSink("room")
            var resumed: AudioSource?
            while resumed == nil, let event = await events.next() {
                if case .resumed(let source) = event { resumed = source }
            }
            #expect(resumed?.name == source.name && resumed?.id != source.id)
            await recorder.discardRecording()
        }
    }

    @Test("D-03: that another device goes and comes back does nothing to a recording", arguments: ServerKind.allCases)
    func otherDevicesAreIgnored(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let recorder = ACCAudioRecorder(
                configuration: RecorderFixture.configuration(server, interruptions: .init(onDisconnect: .stop)))
            let streams = try await recorder.startRecording()
            async let events = RecorderFixture.all(streams.events)
            async let buffers = RecorderFixture.all(streams.buffers)
            try await RecorderFixture.wait(for: 0.3, of: recorder)
            for _ in 0..<3 {
                let other = try await server.loadNullSink("other")
                let frames = try #require(await recorder.currentDuration())
                try await server.unloadModule(other)
                try await RecorderFixture.wait(for: frames + 0.2, of: recorder)
            }
            let report = try #require(await recorder.finishRecording())
            #expect(report.ending == .finished && report.framesLost == 0)
            // Started, first frame and finished.
            #expect(await events.count == 3)
            #expect(RecorderFixture.breaks(await buffers.flatMap(RecorderFixture.numbers)).isEmpty)
        }
    }

    @Test("A prepared recording begins when it is started, not before", arguments: ServerKind.allCases)
    func preparedRecordingsBeginAtTheStart(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            try await recorder.prepareRecording()
            #expect(try await server.pactl("list", "short", "source-outputs").split(separator: "\n").count == 1)
            let waiting = ContinuousClock.now
            try await eventually("half a second") { ContinuousClock.now - waiting > .milliseconds(500) }
            let started = Monotonic.now()
            let streams = try await recorder.startRecording()
            async let buffers = RecorderFixture.all(streams.buffers)
            try await RecorderFixture.wait(for: 0.5, of: recorder)
            await recorder.finishRecording()
            let all = await buffers
            // The server's latency is an estimate.
            #expect(try #require(all.first).hostTime + 50_000_000 >= started)
            #expect(RecorderFixture.breaks(all.flatMap(RecorderFixture.numbers)).isEmpty)

            try await recorder.prepareRecording()
            await recorder.discardRecording()
            try await eventually("the source let go of") {
                try await server.pactl("list", "short", "source-outputs").isEmpty
            }
        }
    }

    /// The report at the end of a recording's events.
    private func report(_ streams: RecordingStreams) async throws -> RecordingReport {
        let last = await RecorderFixture.all(streams.events).last
        guard case .finished(let report) = try #require(last) else { throw Unreported(last: last) }
        return report
    }

    private struct Unreported: Error {
        let last: RecordingEvent?
    }
}

extension RecordingEvent {
    /// Whether this source's device was lost, ignoring the state of the source.
    fileprivate func isLoss(of source: AudioSource) -> Bool {
        if case .deviceLost(let lost) = self { lost.id == source.id } else { false }
    }
}
