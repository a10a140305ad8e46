import ACCAudioRecorder

/// Listens until nobody speaks any more, and writes what was said to files of 16 kHz mono, as recognisers take it.
struct Dictation {
    let recorder: ACCAudioRecorder
    /// The files to write, of which `{n}` is the number.
    let pattern: FilePattern
    /// The silence that ends the dictation.
    let silenceLimit: Duration
    /// Shows a line to the user.
    var tell: @Sendable (String) -> Void = { print($0) }

    /// Runs until the silence, or until the recorder is finished, whose last utterance is kept.
    func run() async throws -> RecordingReport {
        // Before the start, so that no word is missed.
        let audio = try recorder.buffers(format: UtteranceFiles.format)
        let (_, report) = try await recorder.withRecording { streams in
            async let told: Void = tellEvents(streams.events)
            try await write(audio)
            await recorder.finishRecording()
            await told
        }
        if case .failed(let error) = report.ending { throw error }
        return report
    }

    /// Writes the utterances of one recording.
    private func write(_ audio: Subscription<RecordedAudio>) async throws {
        var files = UtteranceFiles(pattern)
        listening: for await part in audio {
            switch part {
            case .buffer(let buffer):
                if let report = try await files.take(buffer) { tell(report) }
                if files.silence >= silenceLimit { break listening }
            case .gap:
                // What is said after it is another utterance.
                if let report = try await files.endUtterance() { tell(report) }
            case .dropped(let frameCount):
                tell("\(frameCount) frames were dropped, because files were written too slowly")
            case .ended:
                break listening
            @unknown default:
                break
            }
        }
        if let report = try await files.endUtterance() { tell(report) }
    }

    private func tell(_ report: OutputReport) {
        tell("\(report.path ?? ""): \(report.frameCount) frames")
    }

    /// Tells what happens to the microphone, until the recording ends.
    private func tellEvents(_ events: AsyncStream<RecordingEvent>) async {
        for await event in events {
            switch event {
            case .opened(let source, format: _): tell("listening to \(source.description)")
            case .interrupted(let cause): tell("interrupted: \(cause)")
            case .resumed(let source): tell("listening to \(source.description) again")
            case .warning(let warning): tell("warning: \(warning)")
            default: break
            }
        }
    }
}
