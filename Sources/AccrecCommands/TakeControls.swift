import ACCAudioRecorder
import Glibc

/// Steers a take by keys and signals, and shares the terminal with the shell.
actor TakeControls {
    private let recorder: ACCAudioRecorder
    private let view: TakeView
    private let link: FrontLink?
    private let readsKeys: Bool
    private var mode: TerminalMode?
    private var reading: Task<Void, Never>?
    private var isPresent = false
    private var isLeaving = false
    private var tasks: [Task<Void, Never>] = []

    /// How often it is seen whether a terminal that was left is ours again.
    private static let lookInterval = Duration.milliseconds(250)

    init(_ recorder: ACCAudioRecorder, view: TakeView, link: FrontLink?, readsKeys: Bool) {
        self.recorder = recorder
        self.view = view
        self.link = link
        self.readsKeys = readsKeys
    }

    /// Begins to show and to steer the take.
    ///
    /// - Parameter isEnding: Whether the take is to end at once.
    func begin(_ requests: AsyncStream<JobSignals.Request>, isEnding: Bool) async {
        tasks.append(
            Task { [weak self] in
                for await request in requests { await self?.obey(request) }
            })
        await takeTerminal()
        if isEnding { await finish() }
    }

    /// Leaves the terminal as it was.
    func end() async {
        for task in tasks { task.cancel() }
        await leaveTerminal()
    }

    private func obey(_ request: JobSignals.Request) async {
        switch request {
        case .finish: await finish()
        case .split: await recorder.startNewFiles()
        case .pauseOrResume: await pauseOrResume()
        case .quit(let number):
            await leaveTerminal()
            _exit(128 + number)
        case .leave:
            guard !isLeaving else { return }
            isLeaving = true
            await leaveTerminal()
            view.tell("the recording goes on meanwhile; 'fg' brings the meter back.")
            link?.letGoOfTerminal()
        case .comeBack:
            isLeaving = false
            await takeTerminal()
        case .windowChanged:
            view.redraw()
        }
    }

    /// Goes on without waiting for the end of the take, so that a second signal is seen.
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
    /// Draws and reads keys, as soon as the terminal is ours.
    private func takeTerminal() async {
        guard !isPresent, !isLeaving else { return }
        guard link == nil || TerminalMode.isForeground(readsKeys ? STDIN_FILENO : STDERR_FILENO) else {
            tasks.append(
                Task { [weak self] in
                    try? await Task.sleep(for: Self.lookInterval)
                    if !Task.isCancelled { await self?.takeTerminal() }
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

    private func leaveTerminal() async {
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
            guard key == .yes else { return view.tell("the take goes on.") }
            await recorder.discardRecording()
            return
        }
        switch key {
        case .finish:
            await finish()
        case .help:
            view.update { $0.prompt = $0.prompt == .help ? .details : .help }
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
        guard await recorder.isPausedState() else { return await recorder.pauseRecording() }
        do throws(ACCAudioRecorderError) {
            try await recorder.resumeRecording()
        } catch {
            view.tell("\(error)")
        }
    }
}
