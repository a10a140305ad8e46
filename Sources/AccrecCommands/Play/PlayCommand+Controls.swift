import ACCAudioRecorder

extension PlayCommand {
    /// Controls a playback by keys and signals.
    actor Controls {
        private let player: AudioPlayer
        private let view: RecordingView
        private let signals: JobSignals
        private let job: JobControl
        private var isPlaying = false
        private var isOver = false
        /// Whether the user ended the playback.
        private(set) var wasStopped = false

        init(_ player: AudioPlayer, view: RecordingView, link: TerminalSupervisor.Link?, readsKeys: Bool) {
            (self.player, self.view) = (player, view)
            signals = JobSignals(link: link, endsOnHangUp: true)
            job = JobControl(view, signals.requests, link: link, readsKeys: readsKeys) {
                "the file goes on playing; 'fg' brings the meter back"
            }
        }

        /// Starts to respond to signals.
        func begin() async {
            await job.begin { [weak self] in
                await self?.press($0)
            } obey: { [weak self] in
                await self?.obey($0)
            }
        }

        /// Starts displaying and controlling the playback, unless it is over already.
        func didStart() async {
            guard !isOver else { return }
            isPlaying = true
            await job.acquireTerminal()
        }

        /// Restores the terminal. A signal ends the program at once from now on.
        func end() async {
            isOver = true
            await job.releaseTerminal()
        }

        private func obey(_ request: JobSignals.Request) {
            switch request {
            case .finish(let number):
                guard isPlaying, !isOver else { ProgramEnd.leave(128 + number) }
                stop()
            case .pauseOrResume: pauseOrResume()
            default: return
            }
        }

        private func press(_ key: KeyPress) {
            switch view.status.keys[key] {
            case .pauseOrResume: pauseOrResume()
            case .finish: stop()
            case .help: view.toggleHelp()
            case .resetPeaks: view.resetPeaks()
            case .go(let place): player.go(to: place)
            default: return
            }
        }

        private func stop() {
            wasStopped = true
            player.stop()
        }

        private func pauseOrResume() {
            let isPaused = player.pauseOrResume()
            view.model.update { $0.phase = isPaused ? .playbackPaused : .playing }
        }
    }
}
