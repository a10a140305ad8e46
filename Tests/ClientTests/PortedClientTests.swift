import ACCAudioRecorder
import Foundation
import Synchronization
import TestSupport
import Testing

/// code from an iOS app, unchanged: default configuration, Foundation, and tasks that read streams. The
/// tests check what such an app would show or save. The first one uses both kinds of server,
/// whose differences are the library's matter.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PortedClientTests {
    @Test("Quick start: three tasks on one recording", arguments: ServerKind.allCases)
    func quickStart(kind: ServerKind) async throws {
        try await ClientServer.with(kind) { _ in
            let recorder = ACCAudioRecorder()
            let streams = try await recorder.startRecording()

            let frames = Task {
                var frames = 0
                for await buffer in streams.buffers { frames += Int(buffer.frameLength) }
                return frames
            }
            let loudest = Task {
                var loudest: Float = -160
                for await history in streams.audioLevelHistory { loudest = max(loudest, history.last ?? -160.0) }
                return loudest
            }
            let states = Task {
                var seen: [(isRecording: Bool, isPaused: Bool, duration: TimeInterval)] = []
                for await state in streams.state {
                    seen.append((state.isRecording, state.isPaused, state.currentDuration ?? 0))
                }
                return seen
            }
            try await eventually("a second of recording") { await recorder.currentDuration() ?? 0 > 1 }
            await recorder.finishRecording()

            #expect(await frames.value >= 44_100)
            // A sine with a peak of -12 dBFS, with tolerance for the edges of the first buffer.
            #expect(abs(await loudest.value + 15) < 0.5)
            let seen = await states.value
            #expect(seen.count > 5)
            #expect(seen.first?.isRecording == true)
            #expect(seen.last?.isRecording == false)
            #expect(seen.allSatisfy { !$0.isPaused })
        }
    }

    @Test("Two views of one recording")
    func twoViews() async throws {
        try await ClientServer.with(.pulseAudio) { _ in
            let model = Model()
            _ = try await model.recorder.startRecording()
            let waveform = Task {
                var longest = 0
                if let streams = await model.recorder.getCurrentStreams() {
                    for await history in streams.audioLevelHistory { longest = max(longest, history.count) }
                }
                return longest
            }
            let timer = Timer()
            let timing = Task {
                if let streams = await model.recorder.getCurrentStreams() {
                    for await state in streams.state { await timer.show(state.currentDuration ?? 0) }
                }
            }
            try await eventually("two seconds", within: 20) { await model.recorder.currentDuration() ?? 0 > 2 }
            try await eventually("two seconds on the timer", within: 20) { await timer.seconds >= 2 }
            await model.recorder.finishRecording()
            #expect(await waveform.value >= 20)
            await timing.value
        }
    }

    /// The duration that a view shows.
    private actor Timer {
        private(set) var seconds: TimeInterval = 0

        func show(_ seconds: TimeInterval) { self.seconds = max(self.seconds, seconds) }
    }

    private final class Model: Sendable {
        let recorder = ACCAudioRecorder()
    }

    @Test("Configurations and session modes as written on iOS")
    func configurations() async throws {
        let config = ACCAudioRecorder.Configuration(
            sampleRate: 44100,
            channelCount: 1,
            bufferSize: 4096,
            audioSessionMode: .default
        )
        #expect(config == ACCAudioRecorder.Configuration())
        let voice = ACCAudioRecorder.Configuration(audioSessionMode: .voiceChat)
        let music = ACCAudioRecorder.Configuration(sampleRate: 48000, audioSessionMode: .measurement)
        #expect(voice.sampleRate != music.sampleRate)
        let recorder = ACCAudioRecorder(configuration: config)
        #expect(await recorder.currentDuration() == nil)
        #expect(await recorder.isPausedState() == false)
    }

    @Test("Pause, resume, time limit with a trailing closure, discard")
    func control() async throws {
        try await ClientServer.with(.pulseAudio) { _ in
            let recorder = ACCAudioRecorder()
            let reached = Mutex(false)
            await recorder.setTimeLimit(maxDuration: 1) {
                reached.withLock { $0 = true }
            }
            let streams = try await recorder.startRecording()
            await recorder.pauseRecording()
            #expect(await recorder.isPausedState())
            try await recorder.resumeRecording()
            var frames = 0
            for await buffer in streams.buffers { frames += Int(buffer.frameLength) }
            #expect(frames == 44_100)
            #expect(reached.withLock { $0 })

            await recorder.clearTimeLimit()
            try await eventually("an idle recorder") { await recorder.getCurrentStreams() == nil }
            _ = try await recorder.startRecording()
            await recorder.discardRecording()
            #expect(await recorder.getCurrentStreams() == nil)
        }
    }

    @Test("Errors can be distinguished")
    func errors() async throws {
        try await ClientServer.with(.pulseAudio) { _ in
            let recorder = ACCAudioRecorder()
            _ = try await recorder.startRecording()
            var message = ""
            do {
                _ = try await recorder.startRecording()
            } catch ACCAudioRecorderError.recordingAlreadyInProgress {
                message = "already"
            } catch {
                message = "Error: \(error.localizedDescription)"
            }
            #expect(message == "already")
            await recorder.finishRecording()

            do {
                try await recorder.resumeRecording()
                Issue.record("resumed nothing")
            } catch ACCAudioRecorderError.noActiveRecording {
            } catch ACCAudioRecorderError.audioFormatCreationFailed {
                Issue.record("another error")
            } catch ACCAudioRecorderError.audioEngineStartFailed {
                Issue.record("another error")
            }
        }
    }

    @Test("A file writer and a transcriber share one recording")
    func writerAndTranscriber() async throws {
        try await ClientServer.with(.pulseAudio) { server in
            let recorder = ACCAudioRecorder()
            let streams = try await recorder.startRecording()
            let second = try #require(await recorder.getCurrentStreams())
            let writer = FileWriter()
            let saving = Task {
                for await buffer in streams.buffers { await writer.write(buffer) }
            }
            let transcriber = Transcriber()
            let transcribing = Task {
                for await buffer in second.buffers { await transcriber.process(buffer) }
            }
            try await eventually("a second of recording") { await recorder.currentDuration() ?? 0 > 1 }
            await recorder.finishRecording()
            await saving.value
            await transcribing.value

            let path = server.directory.appending(path: "saved.wav")
            try PCMFile(rate: 44_100, channels: 1, await writer.samples).write(wav: path)
            let tone = Tone(in: try PCMFile(wav: path).floats.suffix(22_050).map(\.self), rate: 44_100, near: 1_000)
            #expect(abs(tone.frequency - 1_000) < 0.1)
            #expect(await transcriber.seconds >= 0.9)
        }
    }

    private actor FileWriter {
        private(set) var samples: [Float] = []

        func write(_ buffer: AudioBufferData) {
            samples += buffer.toFloatArray() ?? []
        }
    }

    private actor Transcriber {
        private(set) var seconds = 0.0

        func process(_ buffer: AudioBufferData) {
            #expect(buffer.timestamp >= 0 && buffer.hostTime > 0)
            seconds += Double(buffer.frameLength) / buffer.sampleRate
        }
    }

    @Test("A view model is cancelled and cleans up")
    func viewModel() async throws {
        try await ClientServer.with(.pulseAudio) { server in
            let model = RecordingViewModel()
            try await model.startRecording()
            try await eventually("a level") { await model.audioLevel > -30 }
            try await eventually("a duration") { await model.duration > 0.3 }
            #expect(await model.isRecording)
            await model.stopRecording()
            try await eventually("the last state") { await !model.isRecording }

            try await model.startRecording()
            try await eventually("a state") { await model.isRecording }
            try await server.kill()
            try await eventually("the interruption") { await model.wasInterrupted }
            #expect(await !model.isRecording)
        }
    }

    @MainActor
    private final class RecordingViewModel {
        private(set) var isRecording = false
        private(set) var wasInterrupted = false
        private(set) var duration: TimeInterval = 0
        private(set) var audioLevel: Float = -160
        // The default time to wait for a lost server is a minute.
        private let recorder = ACCAudioRecorder(configuration: .init(interruptions: .init(timeout: .milliseconds(500))))
        private var historyTask: Task<Void, Never>?
        private var stateTask: Task<Void, Never>?

        func startRecording() async throws {
            await recorder.setOnUnrecoverableInterruption { [weak self] in
                await MainActor.run {
                    self?.isRecording = false
                    self?.wasInterrupted = true
                }
            }
            let streams = try await recorder.startRecording()
            historyTask = Task {
                for await history in streams.audioLevelHistory { audioLevel = history.last ?? -160.0 }
            }
            stateTask = Task {
                for await state in streams.state {
                    isRecording = state.isRecording
                    duration = state.currentDuration ?? duration
                }
            }
        }

        func stopRecording() async {
            await recorder.finishRecording()
            await stateTask?.value
            historyTask?.cancel()
            stateTask?.cancel()
        }

        deinit {
            historyTask?.cancel()
            stateTask?.cancel()
        }
    }
}
