// Two consumers of one recording: a file for people to listen to, and a transcriber that needs 16 kHz mono. The
// recording has the transcriber's format, and the file its own.

import ACCAudioRecorder
import ArgumentParser
import Foundation

@main
struct SecondConsumer: AsyncParsableCommand {
    @Argument(help: "How long to record.") var seconds = 5.0
    @Argument(help: "The file to write: .wav, .flac or .raw.") var path = "take.wav"

    func run() async throws {
        let recorder = ACCAudioRecorder(configuration: .init(sampleRate: 16_000, channelCount: 1))
        await recorder.setTimeLimit(maxDuration: seconds)
        let streams = try await recorder.startRecording(to: [
            RecordingOutput(path: path, sampleRate: 48_000, channelCount: 2)
        ])

        var transcriber = Transcriber()
        for await buffer in streams.buffers {
            transcriber.process(buffer)
        }

        for await case .finished(let report) in streams.events {
            if case .failed(let error) = report.ending { throw error }
            print("\(path): \(report.outputs[0].frameCount) frames")
            print("transcriber: \(transcriber.frameCount) frames")
        }
    }
}

/// Stands for a speech recogniser: processes half a second at a time, and prints its time and level.
struct Transcriber {
    private static let windowLength = 8_000
    private var window: [Float] = []
    private(set) var frameCount = 0

    /// Processes the next buffer, whatever its length.
    mutating func process(_ buffer: AudioBufferData) {
        frameCount += Int(buffer.frameLength)
        window += buffer.toFloatArray() ?? []
        while window.count >= Self.windowLength {
            let begin = Double(frameCount - window.count) / buffer.sampleRate
            print(String(format: "%.1f s: %.1f dBFS", begin, Self.level(of: window.prefix(Self.windowLength))))
            window.removeFirst(Self.windowLength)
        }
    }

    /// The root mean square in dBFS.
    private static func level(of samples: ArraySlice<Float>) -> Float {
        10 * log10(samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count))
    }
}
