import Glibc

/// The terminal of standard error, opened a second time in non-blocking mode, because it may accept nothing after
/// Ctrl-S or on a stalled line.
///
/// Standard error itself must not become non-blocking, because the shell and other programs share it.
struct TerminalOutput: ~Copyable {
    private let descriptor: Int32
    /// Output that the terminal has not accepted yet.
    private var rest: [UInt8] = []

    /// Nil if it cannot be opened: standard error is not a terminal, or it is another user's and not our controlling
    /// one.
    init?() {
        let flags = O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        var descriptor = open("/proc/self/fd/\(STDERR_FILENO)", flags)
        // This works even if the terminal belongs to another user.
        if descriptor < 0, tcgetsid(STDERR_FILENO) == getsid(0) { descriptor = open("/dev/tty", flags) }
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Whether output is pending. Tries to write it first.
    var isBehind: Bool {
        mutating get {
            flush()
            return !rest.isEmpty
        }
    }

    /// Writes text. What the terminal does not accept is kept for later.
    mutating func write(_ text: String) {
        rest += text.utf8
        flush()
    }

    /// Ends the output.
    ///
    /// - Returns: What the terminal has not accepted.
    consuming func end() -> [UInt8] {
        flush()
        return rest
    }

    private mutating func flush() {
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest, rest.count)
            guard count > 0 else {
                if errno == EINTR { continue }
                // After any other error the terminal is gone.
                if errno != EAGAIN { rest = [] }
                return
            }
            rest.removeFirst(count)
        }
    }
}
