import ACCAudioRecorder

/// One attempt at a take of a batch, from its start to what became of it.
struct TakeAttempt {
    let take: BatchTake
    let recorder: ACCAudioRecorder
    /// Whether it may find what another attempt has left.
    let replaces: Bool
    /// Shows it; nil where it is one of many, and a line at its end is all.
    var view: TakeView?

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - isEnding: Whether the batch is to end. It is asked after the start, and at the end.
    ///   - tell: Told at once what goes wrong.
    func run(
        isEnding: @Sendable () async -> Bool, tell: @Sendable (String) async -> Void
    ) async -> TakeOutcome {
        do {
            if let duration = take.duration { await recorder.setTimeLimit(maxDuration: duration) }
            await view?.follow(recorder)
            let events = try await recorder.startRecording(to: take.outputs(replacing: replaces)).events
            // Without waiting for it: that is what the events tell of.
            if await isEnding() { Task { [recorder] in await recorder.finishRecording() } }
            let report = await follow(events, tell)
            return outcome(of: report, isEnding: await isEnding())
        } catch {
            return TakeOutcome(status: await isEnding() ? .interrupted : .failed, message: "\(error)")
        }
    }

    private func follow(_ events: AsyncStream<RecordingEvent>, _ tell: @Sendable (String) async -> Void) async
        -> RecordingReport?
    {
        for await event in events {
            if case .started(let source) = event {
                view?.note(
                    FormatText(configuration: take.configuration, output: take.outputs.first, source: source))
            }
            let told = EventText(event: event)
            if let notice = told.text, !told.isRoutine { await tell(notice) }
            view?.take(event)
            if case .finished(let report) = event { return report }
        }
        return nil
    }

    private func outcome(of report: RecordingReport?, isEnding: Bool) -> TakeOutcome {
        guard let report else { return TakeOutcome(status: isEnding ? .interrupted : .failed) }
        if report.failures.isEmpty, TakeCompleteness(take: take, told: ToldResult(report, of: take)).isComplete {
            guard ExitStatus(report, isStrict: take.isStrict) == .notPerfect else {
                return TakeOutcome(status: .recorded, report: report)
            }
            let message = "frames are missing or samples clipped, which --strict does not let pass."
            return TakeOutcome(status: .failed, message: message, report: report)
        }
        guard !isEnding else { return TakeOutcome(status: .interrupted, report: report) }
        let cause = report.failures.last.map { "\($0)" }
        return TakeOutcome(
            status: .failed, message: cause ?? "the take ended before its time. See what was told of it.",
            report: report)
    }
}
