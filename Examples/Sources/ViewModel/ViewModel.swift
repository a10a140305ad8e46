// A command that stands for the view of `RecordingViewModel`.

import ACCAudioRecorder
import ArgumentParser
import Foundation
import Observation

/// Stands for the view: shows the model's state, and presses its buttons.
@main
struct ViewModel: AsyncParsableCommand {
    @Argument(help: "How long to record.") var seconds = 5.0
    @Argument(help: "The file to write: .wav, .flac or .raw.") var path = "take.wav"

    @MainActor func run() async throws {
        let model = RecordingViewModel()
        // The first recording is discarded and leaves no file, so the second can have the same name.
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
