import Foundation

/// Plays samples into a sink in a loop, until its scope ends.
public struct Player: Sendable {
    /// Samples to play.
    public enum Signal: Sendable {
        /// A minute of a counter in two channels of 16 bits that begins with 1, so that 0 is silence.
        case counter
        /// A sine in all channels of 16 bits, with a frequency of whole Hz and a peak in dBFS.
        case tone(_ frequency: Double = 1_000, peak: Double)
        /// These, interleaved.
        case samples(Data)

        fileprivate func data(_ format: PCMFormat) -> Data {
            typealias Signal = TestSupport.Signal
            switch self {
            case .counter:
                precondition(format.encoding == .s16)
                return Signal.data(Signal.counter(from: 1, frames: 60 * format.rate, channels: format.channels))
            case .tone(let frequency, let peak):
                precondition(format.encoding == .s16)
                let sine = Signal.sine(
                    frequency: frequency, peak: peak, rate: format.rate, channels: format.channels, frames: format.rate)
                return Signal.data(Signal.int16(sine))
            case .samples(let data):
                return data
            }
        }
    }

    /// How much the server has of the samples before it plays them, in milliseconds: enough for a busy machine.
    public static let latency = 1_000

    private let pacat: ChildProcess

    /// Runs a body while samples play in a loop without gaps, at full volume.
    ///
    /// If the format is that of the sink, the sink's monitor delivers the samples bit for bit.
    ///
    /// - Parameters:
    ///   - samples: Interleaved samples in `format`; whole frames.
    ///   - latency: How much the server has of the samples before it plays them, in milliseconds.
    ///   - role: The media role of the stream: `music`, `phone` and so on.
    ///   - body: Runs once the server reports that the playback has started.
    /// - Throws: `CommandFailure` if the sink cannot be played into; `DeadlineExceeded` if playback has not started
    ///   within 10 seconds; errors of the body.
    public static func with<Value>(
        _ samples: Data,
        _ format: PCMFormat = PCMFormat(),
        into sink: String,
        on server: PrivateServer,
        latency: Int = latency,
        role: String? = nil,
        _ body: (Player) async throws -> Value
    ) async throws -> Value {
        precondition(!samples.isEmpty && samples.count % format.frameSize == 0)
        let command =
            Urgency.command
            + [
                "pacat", "--playback", "--verbose", "--raw", "--device=\(sink)", "--volume=65536",
                "--no-remap",
            ]
            + ["--latency-msec=\(latency)"] + format.options
        let environment = server.environment.merging(role.map { ["PULSE_PROP_media.role": $0] } ?? [:]) { $1 }
        return try await ChildProcess.with(command, environment: environment, input: .pipe) { pacat in
            // Ends when pacat is killed at the end of the scope and the pipe closes.
            Thread.detachNewThread {
                while pacat.write(samples) {}
            }
            try await pacat.waitForStandardError(containing: "Stream started.")
            return try await body(Player(pacat: pacat))
        }
    }

    /// Runs a body while a signal plays in a loop, like the other method.
    public static func with<Value>(
        _ signal: Signal, _ format: PCMFormat = PCMFormat(), into sink: String, on server: PrivateServer,
        _ body: (Player) async throws -> Value
    ) async throws -> Value {
        try await with(signal.data(format), format, into: sink, on: server, body)
    }

    /// How often the server had nothing to play because the player was late. The recording is not bit-exact then, which
    /// is not the recorder's fault.
    public var underruns: Int {
        pacat.standardError.components(separatedBy: "Stream underrun.").count - 1
    }
}
