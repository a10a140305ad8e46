import Glibc

/// A job's share of the terminal: its screen and its keys while the job is in the foreground, and the way to other jobs
/// and back, with Ctrl-Z and `fg`.
///
/// Keys are not echoed. What is typed is discarded if no key is read from it, and never reaches the shell.
actor JobControl {
    /// What a job shows in its terminal.
    protocol Screen: Sendable {
        /// Shows it.
        ///
        /// - Parameter hasKeys: Whether key presses are read.
        func show(hasKeys: Bool) async
        /// Removes it, since other jobs get the terminal.
        func hide() async
        /// Redraws it after a change of the window's size.
        func redraw() async
    }

    private let screen: any Screen
    private let link: TerminalSupervisor.JobLink?
    private let readsKeys: Bool
    private let farewell: @Sendable () -> String?
    private let requests: AsyncStream<JobSignals.Request>
    private let (presses, pressed) = AsyncStream.makeStream(of: KeyPress.self)
    private var handling: [Task<Void, Never>] = []
    private var mode: TerminalMode?
    private var reading: Task<Void, Never>?
    private var polling: Task<Void, Never>?
    /// Whether the job uses the terminal while no other job does.
    private var isWanted = false
    /// Whether other jobs use the terminal.
    private var isAway = false
    /// Whether the screen is shown.
    private var isPresent = false

    /// How often to check whether this job is in the terminal's foreground again.
    private static let pollInterval = Duration.milliseconds(250)

    /// - Parameters:
    ///   - link: The link to the supervisor; nil if no other job can have the terminal.
    ///   - readsKeys: Whether standard input is used; otherwise only standard error.
    ///   - farewell: What to tell when other jobs get the terminal.
    init(
        _ screen: any Screen, _ requests: AsyncStream<JobSignals.Request>, link: TerminalSupervisor.JobLink?,
        readsKeys: Bool = true,
        farewell: @escaping @Sendable () -> String? = { nil }
    ) {
        self.screen = screen
        self.link = link
        self.readsKeys = readsKeys
        self.farewell = farewell
        self.requests = requests
    }

    /// Starts to handle signals and keys, if that has not happened yet.
    ///
    /// - Parameters:
    ///   - press: Receives the keys.
    ///   - obey: Receives the requests that are not about the terminal.
    func begin(
        press: @escaping @Sendable (KeyPress) async -> Void = { _ in },
        obey: @escaping @Sendable (JobSignals.Request) async -> Void
    ) {
        guard handling.isEmpty else { return }
        handling = [
            Task { [weak self, requests] in
                for await request in requests { await self?.handle(request, obey) }
            },
            Task { [presses] in
                for await key in presses { await press(key) }
            },
        ]
    }

    /// Shows the screen and reads keys as soon as this job is in the terminal's foreground, now and whenever it comes
    /// back.
    func acquireTerminal() async {
        isWanted = true
        await enter()
    }

    /// Restores the terminal for good. Signals are still handled.
    func releaseTerminal() async {
        isWanted = false
        await leave()
    }

    /// Restores the terminal, and handles neither signals nor keys any more.
    func end() async {
        for task in handling { task.cancel() }
        await releaseTerminal()
    }

    private func handle(
        _ request: JobSignals.Request, _ obey: @Sendable (JobSignals.Request) async -> Void
    ) async {
        switch request {
        case .quit(let number):
            await leave()
            _exit(128 + number)
        case .leave:
            guard !isAway else { return }
            isAway = true
            await leave()
            if let farewell = farewell() { StandardError.tell(farewell) }
            StandardError.settle()
            link?.didReleaseTerminal()
        case .comeBack:
            isAway = false
            await enter()
        case .windowChanged: await screen.redraw()
        case .finish, .split, .pauseOrResume, .mark: await obey(request)
        }
    }

    private func enter() async {
        guard isWanted, !isAway, !isPresent else { return }
        guard link == nil || TerminalMode.isForeground(readsKeys ? STDIN_FILENO : STDERR_FILENO) else {
            polling?.cancel()
            polling = Task { [weak self] in
                // No signal tells a running job that it has got the foreground.
                try? await Task.sleep(for: Self.pollInterval)
                if !Task.isCancelled { await self?.enter() }
            }
            return
        }
        isPresent = true
        if readsKeys, let mode = TerminalMode.begin(on: STDIN_FILENO) {
            self.mode = consume mode
            reading = Task { [pressed] in
                for await bytes in AsyncStream.reading(STDIN_FILENO) {
                    for press in KeyPress.presses(in: bytes) { pressed.yield(press) }
                }
                if !Task.isCancelled { pressed.yield(.end) }
            }
        }
        await screen.show(hasKeys: reading != nil)
    }

    private func leave() async {
        polling?.cancel()
        await screen.hide()
        isPresent = false
        reading?.cancel()
        reading = nil
        mode = nil
    }
}
