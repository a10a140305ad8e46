import Glibc

/// The terminal while this process is in its foreground: single key presses, which are not echoed. What is typed is
/// discarded if no key is read from it, and never reaches the shell.
actor Keyboard {
    /// The pressed keys.
    nonisolated let keys: AsyncStream<KeyPress>
    private let continuation: AsyncStream<KeyPress>.Continuation
    private let readsKeys: Bool
    private let hasJobControl: Bool
    private var mode: TerminalMode?
    private var reading: Task<Void, Never>?
    private var polling: Task<Void, Never>?
    private var isPresent = false

    /// How often to check whether this job is in the terminal's foreground again.
    private static let pollInterval = Duration.milliseconds(250)

    /// - Parameters:
    ///   - readsKeys: Whether standard input is used; otherwise only standard error.
    ///   - hasJobControl: Whether other jobs may have the terminal.
    init(readsKeys: Bool = true, hasJobControl: Bool = true) {
        self.readsKeys = readsKeys
        self.hasJobControl = hasJobControl
        (keys, continuation) = AsyncStream.makeStream(of: KeyPress.self)
    }

    /// Starts reading keys as soon as this job is in the terminal's foreground.
    ///
    /// - Parameter isBack: Called at that moment, with whether keys are read.
    func begin(_ isBack: @escaping @Sendable (Bool) async -> Void) async {
        guard !isPresent else { return }
        guard !hasJobControl || TerminalMode.isForeground(readsKeys ? STDIN_FILENO : STDERR_FILENO) else {
            polling = Task { [weak self] in
                try? await Task.sleep(for: Self.pollInterval)
                if !Task.isCancelled { await self?.begin(isBack) }
            }
            return
        }
        isPresent = true
        if readsKeys, let mode = TerminalMode.begin(on: STDIN_FILENO) {
            self.mode = consume mode
            reading = Task { [continuation] in
                for await bytes in IncomingBytes.of(STDIN_FILENO) {
                    for press in KeyPress.presses(in: bytes) { continuation.yield(press) }
                }
                if !Task.isCancelled { continuation.yield(.end) }
            }
        }
        await isBack(reading != nil)
    }

    /// Restores the terminal.
    func release() {
        polling?.cancel()
        isPresent = false
        reading?.cancel()
        reading = nil
        mode = nil
    }
}

/// A terminal in which keys are read as they are pressed, without echo. Restored when deinitialised.
///
/// Never waits for pending output, which would block after Ctrl-S.
///
/// Nothing else is changed: Ctrl-C, Ctrl-Z and Ctrl-\ remain signals, and output is processed as usual, so that the
/// terminal stays usable even if this program is killed.
struct TerminalMode: ~Copyable {
    private let descriptor: Int32
    private let saved: termios

    private init(_ descriptor: Int32, saved: termios) {
        self.descriptor = descriptor
        self.saved = saved
    }

    /// Changes the mode; nil if the descriptor is not a terminal or another job is in the foreground.
    static func begin(on descriptor: Int32) -> TerminalMode? {
        guard isForeground(descriptor) else { return nil }
        var mode = current(of: descriptor)
        let saved = mode
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(descriptor, TCSANOW, &mode) == 0 else { return nil }
        return TerminalMode(descriptor, saved: saved)
    }

    deinit {
        // Do not touch the mode while another job is in the foreground.
        guard Self.isForeground(descriptor) else { return }
        Self.restore(saved, on: descriptor)
    }

    /// The mode of a terminal.
    static func current(of descriptor: Int32) -> termios {
        var mode = termios()
        tcgetattr(descriptor, &mode)
        return mode
    }

    /// Restores a mode that was saved before keys were read. Input that was not read was not meant for the shell, and is
    /// discarded, unless keys were not read anyway.
    static func restore(_ saved: termios, on descriptor: Int32) {
        if current(of: descriptor).c_lflag & tcflag_t(ECHO) == 0 { tcflush(descriptor, TCIFLUSH) }
        var mode = saved
        tcsetattr(descriptor, TCSANOW, &mode)
    }

    /// Whether the descriptor is our terminal and this job is in its foreground.
    static func isForeground(_ descriptor: Int32) -> Bool {
        tcgetpgrp(descriptor) == getpgrp()
    }
}
