import ACCAudioRecorder
import ArgumentParser
import Glibc

/// `accrec record`: one take, from a source to a file or to standard output.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a take to a file or to standard output.",
        discussion: """
            The take ends at --max, or cleanly with Ctrl-C or SIGTERM; either way every frame until then is in it. \
            The source is captured in its own format and converted afterwards, once. Where rate, channels and \
            encoding are the source's own, the file holds its samples bit for bit.

            Without --device the source is what PULSE_SOURCE names, or else the server's default, unless that is a \
            monitor, Bluetooth, or not plugged in; then the best of the others, which 'accrec devices' shows. \
            PULSE_SERVER says where the server is.
            """)

    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Format") var format: FormatOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup(title: "On trouble") var trouble: TroubleOptions
    @OptionGroup(title: "Display") var display: DisplayOptions

    func run() async throws {
        let output = try output.recordingOutput(in: format)
        let recorder = ACCAudioRecorder(
            configuration: .init(source: source, format: format, trouble: trouble))
        if let longest = limits.longest { await recorder.setTimeLimit(maxDuration: longest.seconds) }
        let signals = TerminationSignals()

        let (levels, events) = try await start(recorder, output)
        // Only now, for the first frame waits for nothing.
        let inhibitor = holdOffSleep()
        let ending = Task { await endOnSignal(signals, recorder) }
        let meter = Task { await levels.map { LevelMeterView(levels: $0) }?.run() }
        let report = await report(from: events)
        _ = consume inhibitor
        await meter.value
        ending.cancel()

        try conclude(report)
    }
}

// MARK: - The course of the take

extension RecordCommand {
    /// Starts, and keeps of the first subscription just what is looked at: a stream that nobody holds is not
    /// fed.
    private func start(
        _ recorder: ACCAudioRecorder, _ output: RecordingOutput
    ) async throws -> (levels: AsyncStream<RecordingLevels>?, events: AsyncStream<RecordingEvent>) {
        let streams = try await recorder.startRecording(to: [output])
        return (display.quiet || !StandardError.isTerminal ? nil : streams.levels, streams.events)
    }

    /// Holds off idle sleep; tells that it cannot only where that was asked for.
    private func holdOffSleep() -> SleepInhibitor? {
        guard trouble.inhibitSleep != false else { return nil }
        let isAskedFor = trouble.inhibitSleep == true
        let tellFailure = { @Sendable (cause: String) in
            guard isAskedFor else { return }
            StandardError.notice(
                "cannot keep the machine awake: systemd-inhibit: \(cause). The take goes on; see that nothing lets the "
                    + "machine fall asleep.")
        }
        do {
            return try SleepInhibitor(reportFailure: tellFailure)
        } catch {
            tellFailure("\(error)")
            return nil
        }
    }

    /// Finishes the take on the first signal; a second one ends the program at once.
    private func endOnSignal(_ signals: TerminationSignals, _ recorder: ACCAudioRecorder) async {
        var isFinishing = false
        for await number in signals.arrivals {
            if isFinishing { _exit(128 + number) }
            isFinishing = true
            Task { await recorder.finishRecording() }
        }
    }

    /// Follows the take to its end, telling at once what is lost.
    private func report(from events: AsyncStream<RecordingEvent>) async -> RecordingReport? {
        for await event in events {
            switch event {
            case .started(let source):
                tell("recording from '\(source.description)' (\(source.sampleSpec)). Ctrl-C ends the take.")
            case .finished(let report):
                return report
            default:
                if let notice = EventText(event: event).text { StandardError.notice(notice) }
            }
        }
        return nil
    }

    private func conclude(_ report: RecordingReport?) throws {
        guard let report else { return }
        let text = ReportText(report: report)
        if !display.quiet, report.frameCount > 0 {
            StandardError.write(text.text)
        } else {
            StandardError.write(text.losses.map { "accrec: \($0)\n" }.joined())
        }
        var failures = report.outputs.compactMap(\.failure)
        if case .failed(let error) = report.ending, !failures.contains(error) { failures.append(error) }
        for failure in failures { StandardError.write("accrec: \(failure)\n") }
        if let failure = failures.last { throw ExitCode(failure) }
    }

    private func tell(_ message: String) {
        if !display.quiet { StandardError.write("accrec: \(message)\n") }
    }
}
