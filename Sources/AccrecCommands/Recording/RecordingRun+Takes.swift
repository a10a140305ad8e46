import ACCAudioRecorder

extension RecordingRun {
    /// Records one take after another from a source that stays open, until the user ends it.
    ///
    /// - Parameters:
    ///   - link: The link to the supervisor, if there is one.
    ///   - conclude: Reports the result of a take and returns its status.
    /// - Returns: The first failure, or success.
    func runTakes(
        behind link: TerminalSupervisor.JobLink?, by signals: JobSignals,
        conclude: (RecordingReport, LevelOverview) -> ExitStatus
    ) async throws -> ExitStatus {
        let parts = await parts(behind: link, by: signals)
        defer { parts.ending.cancel() }
        let (recorder, view, controls, remote) = (parts.recorder, parts.view, parts.controls, parts.remote)
        health?.follow(recorder, view.model, waitsForApplication: configuration.recordsApplication)
        defer { health?.rest() }
        let leave = { @Sendable in
            await remote.end(nil)
            await controls.end()
        }
        let preRoll = preRoll ?? 0
        await controls.begin()
        await remote.begin()
        do {
            try await exitingIfEnded(parts, by: signals, leave) {
                try await recorder.prepareTakes(keeping: .seconds(preRoll))
            }
        } catch {
            await leave()
            throw error
        }
        if isVerbose { view.tell(armedMessage(keeping: preRoll)) }
        var failure: ExitStatus?
        while true {
            let meter = view.showsUnrecordedLevels ? SourceMeter(configuration, in: view) : nil
            guard await controls.waitForStart(keeping: preRoll) else { break }
            view.model.update { $0.start() }
            _ = consume meter
            do {
                let report = try await recordTake(with: parts) {
                    try await exitingIfEnded(parts, by: signals, leave) { try await start(parts) }
                }
                if let report {
                    view.yield {
                        let status = conclude(report, view.overview)
                        if status != .success { failure = failure ?? status }
                    }
                }
                view.model.update { $0.endTake(of: report?.length.seconds ?? 0) }
                await remote.endTake(report)
            } catch let error as ACCAudioRecorderError {
                // The recorder is armed again.
                view.tell(ErrorText.line(error))
                failure = failure ?? ExitStatus(error)
                view.model.update { $0.endTake(of: nil) }
                await remote.endTake(nil)
                await controls.didEndTake()
            }
            view.beginNextTake()
        }
        await recorder.finishRecording()
        await leave()
        return failure ?? .success
    }

    /// Records a take to its end.
    ///
    /// - Throws: What the start throws.
    private func recordTake(
        with parts: Parts,
        start: () async throws -> Streams
    ) async throws -> RecordingReport? {
        let (view, number) = (parts.view, parts.view.model.state.takes?.number ?? 0)
        var starters = await parts.controls.takeStarters()
        func answerStarters(_ refusal: String? = nil) {
            for starter in starters { starter.resume(returning: refusal) }
            starters = []
        }
        await parts.remote.beginTake(number)
        let (levels, events, listening): Streams
        do {
            (levels, events, listening) = try await start()
        } catch {
            answerStarters(ErrorText.line(error))
            throw error
        }
        // Not earlier, because nothing may delay the first frame.
        let inhibitor = SleepInhibitor.begin(inhibitsSleep) { view.tell($0) }
        let telling = Task { await tell(levels, take: number) }
        let report = await follow(events, of: parts.recorder, view, parts.remote, parts.levels, telling) {
            answerStarters()
        }
        answerStarters()
        // The report comes before the source is ready for the next take, for which this waits.
        await parts.recorder.finishTake()
        await parts.controls.didEndTake()
        _ = consume inhibitor
        await listening?.value
        return report
    }

    private func exitingIfEnded<Value>(
        _ parts: Parts, by signals: JobSignals, _ leave: @escaping @Sendable () async -> Void,
        _ begin: () async throws -> Value
    ) async throws -> Value {
        try await signals.exitingIfEnded(abandon: { await parts.recorder.abandonStart() }, leave: leave, begin)
    }

    private func armedMessage(keeping preRoll: Double) -> String {
        let sound = configuration.soundActivation?.startsRecording == true ? "a sound, " : ""
        return "armed, keeps the last \(TimeText.length(preRoll)); \(sound)space, SIGUSR2 or 'accrec ctl start' "
            + "begins a take, Ctrl-C ends"
    }
}
