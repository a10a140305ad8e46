import ACCAudioRecorder
import Glibc

/// Controls a take by keys and signals, and manages the terminal together with the shell.
actor TakeControls {
    private let recorder: ACCAudioRecorder
    private let view: TakeView
    private let link: SupervisorLink?
    private let readsKeys: Bool
    private var mode: TerminalMode?
    private var reading: Task<Void, Never>?
    private var isPresent = false
    private var isLeaving = false
    private var tasks: [Task<Void, Never>] = []

    /// How often to check whether this job is in the terminal's foreground again.
    private static let pollInterval = Duration.milliseconds(250)

    init(_ recorder: ACCAudioRecorder, view: TakeView, link: SupervisorLink?, readsKeys: Bool) {
        self.recorder = recorder
        self.view = view
        self.link = link
        self.readsKeys = readsKeys
    }

    /// Starts displaying and controlling the take.
    func begin(_ requests: AsyncStream<JobSignals.Request>) async {
        tasks.append(
            Task { [weak self] in
                for await request in requests { await self?.obey(request) }
            })
        await acquireTerminal()
    }

    /// Restores the terminal.
    func end() async {
        for task in tasks { task.cancel() }
        await releaseTerminal()
    }

    private func obey(_ request: JobSignals.Request) async {
        switch request {
        case .finish: await finish()
        case .split: await recorder.startNewFiles()
        case .pauseOrResume: await pauseOrResume()
        case .quit(let number):
            await releaseTerminal()
            _exit(128 + number)
        case .leave:
            guard !isLeaving else { return }
            isLeaving = true
            await releaseTerminal()
            view.tell("recording goes on; 'fg' brings the meter back")
            StandardError.settle()
            link?.didReleaseTerminal()
        case .comeBack:
            isLeaving = false
            await acquireTerminal()
        case .windowChanged:
            view.redraw()
        }
    }

    /// Does not wait for the end of the take, so that a second signal is handled.
    private func finish() async {
        view.update { status in
            status.phase = .finishing
            status.prompt = .details
        }
        Task { [recorder] in await recorder.finishRecording() }
    }
}

// MARK: - The terminal

extension TakeControls {
    /// Draws and reads keys as soon as this job is in the terminal's foreground.
    private func acquireTerminal() async {
        guard !isPresent, !isLeaving else { return }
        guard link == nil || TerminalMode.isForeground(readsKeys ? STDIN_FILENO : STDERR_FILENO) else {
            tasks.append(
                Task { [weak self] in
                    try? await Task.sleep(for: Self.pollInterval)
                    if !Task.isCancelled { await self?.acquireTerminal() }
                })
            return
        }
        isPresent = true
        if readsKeys, let mode = TerminalMode.begin(on: STDIN_FILENO) {
            self.mode = consume mode
            reading = Task { [weak self] in
                for await bytes in IncomingBytes.of(STDIN_FILENO) {
                    for key in Key.keys(in: bytes) { await self?.press(key) }
                }
            }
        }
        let hasKeys = reading != nil
        view.update { $0.hasKeys = hasKeys }
        view.show()
    }

    private func releaseTerminal() async {
        guard isPresent else { return }
        isPresent = false
        reading?.cancel()
        reading = nil
        view.hide()
        mode = nil
    }
}

// MARK: - Keys

extension TakeControls {
    private func press(_ key: Key) async {
        let status = view.status
        if status.prompt == .discardQuestion {
            view.update { $0.prompt = .details }
            guard key == .yes else { return view.tell("recording goes on") }
            await recorder.discardRecording()
            return
        }
        switch key {
        case .finish:
            await finish()
        case .help:
            view.update { $0.prompt = $0.prompt == .help ? .details : .help }
        case .reset:
            view.resetPeaks()
        case _ where status.phase == .metering:
            return
        case .pause:
            await pauseOrResume()
        case .mark:
            await recorder.mark()
        case .split:
            await recorder.startNewFiles()
        case .discard:
            view.ask()
        case .yes, .other:
            return
        }
    }

    private func pauseOrResume() async {
        guard await recorder.isPausedByUser else { return await recorder.pauseRecording() }
        do throws(ACCAudioRecorderError) {
            try await recorder.resumeRecording()
        } catch {
            view.tell(ErrorText.line(error))
        }
    }
}
