import ACCAudioRecorder

/// Records both sides of a meeting to one file: the microphone in the first track, what the others say in the second.
struct Meeting {
    let recorder: ACCAudioRecorder
    let output: RecordingOutput
    /// Shows a line to the user.
    var tell: @Sendable (String) -> Void = { print($0) }

    /// The microphone and what the desktop plays, each in mono.
    static var configuration: ACCAudioRecorder.Configuration {
        var configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 1)
        configuration.inputs = [.source(nil), .desktop]
        // Both tracks keep to the time of the meeting.
        configuration.interruptions.fillsGaps = true
        return configuration
    }

    /// Runs until the recorder is finished or has reached its limit.
    ///
    /// - Parameter labels: Each sets a marker; an empty one has its number as text.
    /// - Returns: The report, also of a meeting that broke off.
    func run(marking labels: AsyncStream<String>) async throws -> RecordingReport {
        let (_, report) = try await recorder.withRecording(to: [output]) { streams in
            let marking = Task {
                for await label in labels { await recorder.mark(label.isEmpty ? nil : label) }
            }
            defer { marking.cancel() }
            for await event in streams.events {
                if let line = Self.line(for: event) { tell(line) }
            }
        }
        return report
    }

    /// What the user is told while the meeting goes on; nil for nothing.
    static func line(for event: RecordingEvent) -> String? {
        switch event {
        case .opened(let source, format: _): "recording \(source.description)"
        case .gap(let gap): Minutes.line(for: gap)
        case .marker(let marker): "marker \(marker.label) at \(Minutes.time(marker.offset))"
        // One input, while the other one goes on.
        case .deviceLost(let source): "\(source.description) is gone"
        case .deviceReturned(let source): "\(source.description) is back"
        // All of them.
        case .interrupted(let cause): "interrupted: \(cause)"
        case .outputEnded(_, let error): "\(error)"
        case .warning(let warning): "warning: \(warning)"
        case .limit: "the time is over"
        default: nil
        }
    }
}
