import Foundation

/// Plays known samples into a sink, in the background, over and over, until its scope ends.
public struct Player: Sendable {
    private let pacat: ChildProcess

    /// Runs a body while samples are played, at full volume.
    ///
    /// Where the format is that of the sink, its monitor gives the samples bit by bit. They are played again from the
    /// beginning, without a gap, whenever they are over.
    ///
    /// - Parameters:
    ///   - samples: interleaved, in `format`; whole frames.
    ///   - latency: of the stream, in milliseconds: a null sink renders in blocks of about half of that. Less than the
    ///     default risks underruns on a busy machine.
    ///   - role: of the stream: `music`, `phone` …
    ///   - body: runs as soon as the server says that the playback has started.
    /// - Throws: `CommandFailure` if the sink cannot be played into; `DeadlineExceeded` if it has not started within
    ///   10 seconds; whatever the body throws.
    public static func with<Value>(
        _ samples: Data,
        _ format: PCMFormat = PCMFormat(),
        into sink: String,
        on server: PrivateServer,
        latency: Int = 100,
        role: String? = nil,
        _ body: (Player) async throws -> Value
    ) async throws -> Value {
        precondition(!samples.isEmpty && samples.count % format.frameSize == 0)
        let command =
            // Before other work of a busy machine, where that is allowed.
            [
                "nice", "-n", "-15", "pacat", "--playback", "--verbose", "--raw", "--device=\(sink)", "--volume=65536",
                "--no-remap",
            ]
            + ["--latency-msec=\(latency)"] + format.options
        let environment = server.environment.merging(role.map { ["PULSE_PROP_media.role": $0] } ?? [:]) { $1 }
        return try await ChildProcess.with(command, environment: environment, input: .pipe) { pacat in
            // Ends when pacat is killed at the end of the scope, for then nobody reads.
            Thread.detachNewThread {
                while pacat.write(samples) {}
            }
            try await pacat.waitForStandardError(containing: "Stream started.")
            return try await body(Player(pacat: pacat))
        }
    }

    /// How often the server had nothing to play because the player was late. A recording is not bit exact then, and
    /// it is not the recorder's fault.
    public var underruns: Int {
        pacat.standardError.components(separatedBy: "Stream underrun.").count - 1
    }
}
