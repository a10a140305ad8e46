import ACCAudioRecorder
import ServiceLifecycle

/// A recording without a file, for as long as the service runs.
struct Recording: Service {
    let recorder: ACCAudioRecorder
    /// Shows a line to the user.
    let tell: @Sendable (String) -> Void

    /// Runs until a graceful shutdown.
    ///
    /// - Throws: The error that has ended the recording.
    func run() async throws {
        try await withGracefulShutdownHandler {
            let (_, report) = try await recorder.withRecording { streams in
                for await event in streams.events { tell(event) }
            }
            if case .failed(let error) = report.ending { throw error }
        } onGracefulShutdown: {
            Task { await recorder.finishRecording() }
        }
    }

    private func tell(_ event: RecordingEvent) {
        switch event {
        case .opened(let source, format: _): tell("listening to \(source.description)")
        case .interrupted(let cause): tell("interrupted: \(cause)")
        case .resumed(let source): tell("listening to \(source.description) again")
        case .warning(let warning): tell("warning: \(warning)")
        default: break
        }
    }
}
