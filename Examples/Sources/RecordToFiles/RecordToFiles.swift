// Records to several files, each in its own format. They begin and end at the same frames.

import ACCAudioRecorder
import ArgumentParser

@main
struct RecordToFiles: AsyncParsableCommand {
    @Argument(help: "How long to record.") var seconds = 5.0
    @Argument(help: "The directory to write to.") var directory = "."

    func run() async throws {
        let recorder = ACCAudioRecorder(configuration: .init(audioSessionMode: .measurement))
        await recorder.setTimeLimit(maxDuration: seconds)
        let streams = try await recorder.startRecording(to: [
            RecordingOutput(path: "\(directory)/master.flac", encoding: .s24),
            RecordingOutput(path: "\(directory)/disc.wav", encoding: .s16, sampleRate: 44_100),
            RecordingOutput(path: "\(directory)/speech.raw", encoding: .f32, sampleRate: 16_000, channelCount: 1),
        ])

        for await case .finished(let report) in streams.events {
            if case .failed(let error) = report.ending { throw error }
            for output in report.outputs {
                // One output that fails does not stop the others.
                if let failure = output.failure { throw failure }
                guard case .file(let path) = output.output.destination else { continue }
                print(
                    "\(path): \(output.frameCount) frames, \(Int(output.sampleRate)) Hz, \(output.channelCount) channels"
                )
            }
        }
    }
}
