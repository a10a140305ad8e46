import ACCAudioRecorder
import FoundationEssentials
import Synchronization

/// Tells by which `--delay` several sources are exactly together, from a sound that has reached all of them.
final class Calibration: Sendable {
    /// How long it listens at most, in seconds.
    static let longest = 30.0

    /// Interleaved, of all sources.
    private let samples = Mutex<(all: [Float], sampleRate: Double, channelCount: Int)>(([], 0, 0))

    /// Keeps a buffer.
    func hear(_ buffer: AudioBufferData) {
        samples.withLock { samples in
            (samples.sampleRate, samples.channelCount) = (buffer.sampleRate, Int(buffer.channelCount))
            buffer.data.withUnsafeBytes { samples.all += $0.bindMemory(to: Float.self) }
        }
    }

    /// The options, `--delay lark=-12.31ms`, one for each source that is not the first.
    ///
    /// - Throws: `RunFailure` if a source did not hear what the first one did.
    func options(for inputs: [RecordedInput]) throws -> [String] {
        let heard = samples.withLock { $0 }
        let tracks = inputs.map { input -> [Float] in
            let channels = input.channels.map { $0 - 1 }
            return stride(from: 0, to: heard.all.count, by: max(heard.channelCount, 1)).map { frame in
                channels.reduce(0) { $0 + heard.all[frame + $1] }
            }
        }
        return try zip(inputs, tracks).compactMap { input, track throws(RunFailure) -> String? in
            if input.name == inputs[0].name { return input.delay == 0 ? nil : Self.option(input, input.delay) }
            guard
                let offset = SoundOffset.seconds(of: track, behind: tracks[0], sampleRate: heard.sampleRate)
            else {
                throw RunFailure(
                    "cannot tell the delay of '\(input.name)'", "it has not heard what '\(inputs[0].name)' has",
                    "Make a sound that reaches all sources, such as a clap.")
            }
            return Self.option(input, input.delay - offset)
        }
    }

    private static func option(_ input: RecordedInput, _ delay: Double) -> String {
        // Hundredths of a millisecond.
        "--delay \(input.name)=\((delay * 1e5).rounded() / 100)ms"
    }
}
