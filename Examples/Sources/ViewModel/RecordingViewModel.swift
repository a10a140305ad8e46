// A view model on the main actor, as in an app. It follows its recording in tasks, and ends all of them.

import ACCAudioRecorder
import Foundation
import Observation

/// The state that a view shows of a recording, and the actions of its buttons.
@MainActor @Observable
final class RecordingViewModel {
    private(set) var isRecording = false
    private(set) var duration: TimeInterval = 0
    private(set) var level: Float = -160
    /// The report of the recording; nil while it runs, and if it was discarded.
    private(set) var report: RecordingReport?
    /// Why the recording failed, if it did.
    private(set) var failure: ACCAudioRecorderError?

    @ObservationIgnored private let recorder: ACCAudioRecorder
    @ObservationIgnored private var tasks: [Task<Void, Never>] = []

    /// - Parameter recorder: By default one with a short timeout, because a user is watching: a lost device or server is
    ///   otherwise waited for longer. A test gives one that needs no sound server.
    init(recorder: ACCAudioRecorder = .init(configuration: .init(interruptions: .init(timeout: .seconds(2))))) {
        self.recorder = recorder
    }

    /// Stops following when the model is released. Its recorder is released with it and finishes its recording.
    deinit {
        for task in tasks { task.cancel() }
    }

    func startRecording(to path: String) async throws {
        await recorder.setOnUnrecoverableInterruption { [weak self] in await self?.breakOff() }
        let streams = try await recorder.startRecording(to: [RecordingOutput(path: path)])
        (isRecording, duration, level, report, failure) = (true, 0, -160, nil, nil)
        // Each task holds one stream and none holds the model, which could not be released otherwise.
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

    /// Waits for the tasks, which end after the last value of their streams or when cancelled.
    private func finishFollowing() async {
        for task in tasks { await task.value }
        tasks = []
    }
}
