import ACCAudioRecorder
import Glibc

/// Controls a playback by keys and signals, and manages the terminal together with the shell.
actor PlayControls {
    private let player: AudioPlayer
    private let view: TakeView
    private let link: SupervisorLink?
    private let signals: JobSignals
    private let keyboard: Keyboard
    private var reading: Task<Void, Never>?
    private var isPlaying = false
    private var isOver = false
    /// Whether the user ended the playback.
    private(set) var wasStopped = false
    /// Whether other jobs use the terminal.
    private var isAway = false

    init(_ player: AudioPlayer, view: TakeView, link: SupervisorLink?, readsKeys: Bool) {
        (self.player, self.view, self.link) = (player, view, link)
        signals = JobSignals(link: link, endsOnHangUp: true)
        keyboard = Keyboard(readsKeys: readsKeys, hasJobControl: link != nil)
    }

    /// Starts to respond to signals.
    func begin() {
        let requests = signals.requests
        Task { [weak self] in
            for await request in requests { await self?.obey(request) }
        }
    }

    /// Starts displaying and controlling the playback, unless it is over already.
    func didStart() async {
        guard !isOver else { return }
        isPlaying = true
        reading = Task { [weak self, keyboard] in
            for await key in keyboard.keys { await self?.press(key) }
        }
        await acquireTerminal()
    }

    /// Restores the terminal. A signal ends the program at once from now on.
    func end() async {
        isOver = true
        reading?.cancel()
        await releaseTerminal()
    }

    private func obey(_ request: JobSignals.Request) async {
        switch request {
        case .finish(let number):
            guard isPlaying, !isOver else { ProgramEnd.leave(128 + number) }
            stop()
        case .pauseOrResume: pauseOrResume()
        case .quit(let number):
            await releaseTerminal()
            _exit(128 + number)
        case .leave:
            isAway = true
            await releaseTerminal()
            view.tell("the file goes on playing; 'fg' brings the meter back")
            StandardError.settle()
            link?.didReleaseTerminal()
        case .comeBack:
            isAway = false
            await acquireTerminal()
        case .windowChanged: view.redraw()
        case .split: return
        }
    }

    private func acquireTerminal() async {
        guard isPlaying, !isAway, !isOver else { return }
        await keyboard.begin { [view] hasKeys in
            view.update { $0.hasKeys = hasKeys }
            view.show()
        }
    }

    private func releaseTerminal() async {
        await keyboard.release()
        view.hide()
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
