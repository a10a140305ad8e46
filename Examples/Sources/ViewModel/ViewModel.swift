// A view model on the main actor, as an app has it. It follows its recording in tasks, and leaves none behind.

import ACCAudioRecorder
import ArgumentParser
import Foundation
import Observation

/// Stands for the view: shows what the model has, and presses its buttons.
@main
struct ViewModel: AsyncParsableCommand {
    @Argument(help: "How long to record.") var seconds = 5.0
    @Argument(help: "The file to write: .wav, .flac or .raw.") var path = "take.wav"

    @MainActor func run() async throws {
        let model = RecordingViewModel()
        // The first take is a false start, of which nothing stays: the second has the same name.
        try await model.startRecording(to: path)
        try await show(model, until: seconds / 2)
        await model.discardRecording()

        try await model.startRecording(to: path)
        try await show(model, until: seconds)
        await model.stopRecording()
        print("\(path): \(model.report?.frameCount ?? 0) frames")
    }

    @MainActor private func show(_ model: RecordingViewModel, until seconds: TimeInterval) async throws {
        for await (duration, level, failure) in Observations({ (model.duration, model.level, model.failure) }) {
            if let failure { throw failure }
            print(String(format: "%.1f s: %.1f dBFS", duration, level))
            if duration >= seconds { return }
        }
    }
}

/// What a view shows of a recording, and what its buttons do.
@MainActor @Observable
final class RecordingViewModel {
    private(set) var isRecording = false
    private(set) var duration: TimeInterval = 0
    private(set) var level: Float = -160
    /// What became of the recording; nil while it runs, and where it was discarded.
    private(set) var report: RecordingReport?
    /// Why the recording broke off by itself, if it did.
    private(set) var failure: ACCAudioRecorderError?

    /// Somebody looks on, so a device or a server that has gone is not waited for as long as it is by default.
    @ObservationIgnored private let recorder = ACCAudioRecorder(
        configuration: .init(interruptions: .init(timeout: 2)))
    @ObservationIgnored private var tasks: [Task<Void, Never>] = []

    /// A model that nobody holds stops following. Its recorder goes with it, and finishes what it records.
    deinit {
        for task in tasks { task.cancel() }
    }

    func startRecording(to path: String) async throws {
        await recorder.setOnUnrecoverableInterruption { [weak self] in await self?.breakOff() }
        let streams = try await recorder.startRecording(to: [RecordingOutput(path: path)])
        (isRecording, duration, level, report, failure) = (true, 0, -160, nil, nil)
        // Each task holds one stream, and none holds the model, which could not be let go of otherwise.
        tasks = [
            Task { [weak self, states = streams.state] in
                for await state in states {
                    self?.isRecording = state.isRecording
                    self?.duration = state.currentDuration ?? self?.duration ?? 0
                }
            },
            Task { [weak self, histories = streams.audioLevelHistory] in
                for await history in histories { self?.level = history.last ?? -160 }
            },
            Task { [weak self, events = streams.events] in
                for await case .finished(let report) in events { self?.report = report }
            },
        ]
    }

    func stopRecording() async {
        await recorder.finishRecording()
        await finishFollowing()
    }

    func discardRecording() async {
        for task in tasks { task.cancel() }
        await finishFollowing()
        await recorder.discardRecording()
        isRecording = false
    }

    private func breakOff() async {
        await finishFollowing()
        if case .failed(let error) = report?.ending { failure = error }
    }

    /// Waits for the tasks, which end when their streams have ended and the last value is taken in, or when cancelled.
    private func finishFollowing() async {
        for task in tasks { await task.value }
        tasks = []
    }
}
