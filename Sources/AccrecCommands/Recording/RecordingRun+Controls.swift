import ACCAudioRecorder

extension RecordingRun {
    /// Controls a recording by keys and signals.
    actor Controls {
        private let recorder: ACCAudioRecorder
        private let view: RecordingView
        private let job: JobControl
        private var isEnding = false
        /// The wait for the beginning of the recording.
        private var countdown: Task<Void, Never>?
        /// Whether the user has started a recording that waited.
        private var isStarted = false
        /// Whether a take is being completed, or the recorder is not armed for the next one yet.
        private var isBetweenTakes: Bool
        /// Those who wait for the start of a take, and are told why there is none.
        private var starters: [CheckedContinuation<String?, Never>] = []

        init(
            _ recorder: ACCAudioRecorder, view: RecordingView, by signals: JobSignals,
            link: TerminalSupervisor.JobLink?,
            readsKeys: Bool
        ) {
            self.recorder = recorder
            self.view = view
            isBetweenTakes = view.model.state.takes != nil
            job = JobControl(view, signals.requests, link: link, readsKeys: readsKeys) {
                // Of several recordings, whoever has the terminal says so.
                guard !view.isOneOfSeveral else { return nil }
                let isWaiting = if case .scheduled = view.model.state.phase { true } else { false }
                return "\(isWaiting ? "the wait" : "recording") goes on; 'fg' brings the meter back"
            }
        }

        /// Starts displaying and controlling the recording, if that has not happened yet.
        func begin() async {
            await job.begin { [weak self] in
                await self?.press($0)
            } obey: { [weak self] in
                await self?.obey($0)
            }
            await job.acquireTerminal()
        }

        /// Waits until some seconds before the recording begins, and shows how long that takes.
        ///
        /// - Returns: False if the user ended the wait.
        func wait(for appointment: Appointment, lead: Double) async -> Bool {
            await wait { [view] in await appointment.wait(lead: lead) { view.model.begins(in: $0) } }
        }

        /// Waits until the user starts the recording, which needs its source, or a sound does.
        ///
        /// - Parameter length: The length in seconds of the audio that is kept until then.
        /// - Returns: False if the user ended the wait.
        func waitForStart(keeping length: Double) async -> Bool {
            await wait { [view, recorder] in
                while await !recorder.hasSounded {
                    let hasSource = await recorder.isPrepared
                    view.model.update { $0.phase = .ready(keeping: length, hasSource: hasSource) }
                    // The recorder sends no events before the recording begins.
                    guard (try? await Task.sleep(for: Self.readinessInterval)) != nil else { return }
                }
            }
        }

        /// How often to look whether the source of a recording that waits is there, and has sounded.
        private static let readinessInterval = Duration.milliseconds(250)

        /// Runs a wait until it ends by itself, or the user starts the recording or ends it.
        private func wait(_ wait: @escaping @Sendable () async -> Void) async -> Bool {
            // Also where the next take was asked for before the wait.
            isBetweenTakes = false
            guard !isEnding, !isStarted else { return !isEnding }
            let countdown = Task { await wait() }
            self.countdown = countdown
            await countdown.value
            self.countdown = nil
            return !isEnding
        }

        /// Starts a recording that waits, or a take, which is waited for: until the one before is complete, and it has begun.
        ///
        /// - Returns: Why not; nil if it was started.
        func start() async -> String? {
            let isPrepared = await recorder.isPrepared
            guard !isEnding, countdown != nil || isBetweenTakes else { return "it has begun" }
            if countdown != nil, view.model.state.isReady, !isPrepared { return "its source is not there" }
            isStarted = true
            countdown?.cancel()
            guard hasTakes else { return nil }
            return await withCheckedContinuation { starters.append($0) }
        }

        /// Those who wait for the start of the take that begins now, each to be told why it does not; nil if it does.
        func takeStarters() -> [CheckedContinuation<String?, Never>] {
            defer { (starters, isStarted) = ([], false) }
            return starters
        }

        /// Whether there is a take that nobody has ended yet.
        var isTakeActive: Bool { countdown == nil && !isBetweenTakes && !isEnding }

        /// Notes that the take is complete.
        func didEndTake() { isBetweenTakes = true }

        /// Restores the terminal.
        func end() async {
            for starter in takeStarters() { starter.resume(returning: "it has ended") }
            await job.end()
        }

        private func obey(_ request: JobSignals.Request) async {
            switch request {
            case .finish: finish()
            case .split: await recorder.startNewFiles()
            case .mark: await recorder.mark()
            case .pauseOrResume where hasTakes && isTakeActive: finishTake()
            case .pauseOrResume where hasTakes || view.model.state.isReady: startByUser()
            case .pauseOrResume: await pauseOrResume()
            default: return
            }
        }

        /// Does not wait for the end of the recording, so that a second signal is handled.
        func finish() {
            isEnding = true
            countdown?.cancel()
            end { await $0.finishRecording() }
        }

        /// Ends a take, but not the program. Does not wait for the end.
        func finishTake() {
            guard isTakeActive else { return }
            isBetweenTakes = true
            end { await $0.finishTake() }
        }

        /// Ends a take and removes its files. Does not wait for the end.
        ///
        /// - Parameter isAll: Whether to remove the complete files as well.
        func discardTake(isAll: Bool) {
            guard isTakeActive else { return }
            isBetweenTakes = true
            end { await $0.discardTake(andCompleteFiles: isAll) }
        }

        private func end(_ end: @escaping @Sendable (ACCAudioRecorder) async -> Void) {
            view.model.update { $0.phase = .finishing }
            view.update { $0.prompt = .details }
            Task { [recorder, view] in
                let telling = Task {
                    // People wait by the clock, so that is what decides when to tell them; the end of the recording cancels
                    // it.
                    try await Task.sleep(for: Self.usualEnd)
                    if let rest = await recorder.unfinishedWork { view.tell("saving takes long: it waits for \(rest)") }
                }
                await end(recorder)
                telling.cancel()
            }
        }

        /// If it takes longer to end a recording, the user is told why.
        private static let usualEnd = Duration.seconds(2)
    }
}

// MARK: - Keys

extension RecordingRun.Controls {
    private func press(_ key: KeyPress) async {
        let status = view.status
        if status.prompt == .discardQuestion { view.update { $0.prompt = .details } }
        switch status.keys[key] {
        case .start: startByUser()
        case .pauseOrResume: await pauseOrResume()
        case .mark: await recorder.mark()
        case .split: await recorder.startNewFiles()
        case .finish: finish()
        case .finishTake: finishTake()
        case .help: view.toggleHelp()
        case .resetPeaks: view.resetPeaks()
        case .loudness: view.toggleLoudness()
        case .ask: view.ask()
        case .discard where hasTakes: discardTake(isAll: true)
        case .discardCurrent where hasTakes: discardTake(isAll: false)
        case .discard: await recorder.discardRecording()
        case .discardCurrent: await recorder.discardCurrentFiles()
        case .keep: view.tell("recording goes on")
        case .go, nil: return
        }
    }

    /// Does not wait for the start, so that signals and keys are handled meanwhile.
    private func startByUser() {
        Task { [view] in
            if let refusal = await start() { view.tell("cannot start: \(refusal)") }
        }
    }

    private var hasTakes: Bool { view.model.state.takes != nil }

    private func pauseOrResume() async {
        guard await recorder.isPausedByUser else { return await recorder.pauseRecording() }
        do throws(ACCAudioRecorderError) {
            try await recorder.resumeRecording()
        } catch {
            view.tell(ErrorText.line(error))
        }
    }
}

extension RecordingView: JobControl.Screen {
    func show(hasKeys: Bool) {
        update { $0.hasKeys = hasKeys }
        show()
    }

    /// Shows the loudness, or hides it. The keys would cover it.
    func toggleLoudness() {
        update { status in
            status.showsLoudness.toggle()
            if status.prompt == .help { status.prompt = .details }
        }
    }

    /// Shows the keys, or hides them.
    func toggleHelp() {
        update { $0.prompt = $0.prompt == .help ? .details : .help }
    }
}
