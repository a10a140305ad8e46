import ACCAudioRecorder

extension RecordingRun {
    /// The recorder of a run, and what displays and controls it.
    struct Parts {
        let recorder: ACCAudioRecorder
        let view: RecordingView
        let controls: Controls
        let remote: RemoteControl
        /// Passes on what events of levels are made from; nil without events.
        let levels: LevelRelay?
        /// Ends the run by the clock; to be cancelled at its end.
        let ending: Task<Void, Never>
    }

    func parts(behind link: TerminalSupervisor.JobLink?, by signals: JobSignals) async -> Parts {
        let recorder = ACCAudioRecorder(configuration: configuration)
        if let limit { await recorder.setTimeLimit(maxDuration: limit) }
        let model = RecordingModel(
            RecordingProgress(
                outputs: outputs, longestWait: configuration.interruptions.timeout,
                alignsSources: configuration.inputs.count > 1, hasTakes: hasTakes))
        let view = RecordingView(
            of: model, limit: limit, mode: mode, style: style, outputs: outputs, label: label,
            row: row,
            graph: graph, showsLoudness: showsLoudness)
        if let activation = configuration.soundActivation, activation.startsRecording {
            view.update { $0.soundLevel = activation.openingLevel }
        }
        let levels = events.map { _ in LevelRelay() }
        if let levels {
            let interval = levelInterval ?? EventRecord.LevelSeries.clippedInterval
            await view.follow(recorder, passing: { levels.pass($0) }, every: interval)
        } else {
            await view.follow(recorder)
        }
        let controls = Controls(recorder, view: view, by: signals, link: link, readsKeys: readsKeys)
        let ending = Task { [end] in
            guard let end else { return }
            await end.wait()
            if !Task.isCancelled { await controls.finish() }
        }
        let takes = RemoteControl.Takes(
            isActive: { await controls.isTakeActive }, finish: { await controls.finishTake() },
            discard: { await controls.discardTake(isAll: $0) })
        let remote = RemoteControl(
            recorder, model, outputs: outputs, isStrict: isStrict, execQueue: execQueue, tell: { view.tell($0) },
            start: { await controls.start() }, takes: hasTakes ? takes : nil
        ) {
            await controls.finish()
        }
        return Parts(
            recorder: recorder, view: view, controls: controls, remote: remote, levels: levels, ending: ending)
    }
}
