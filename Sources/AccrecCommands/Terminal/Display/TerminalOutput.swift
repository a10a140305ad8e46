import Glibc

/// The terminal that standard error is, opened once more, so that what is written to it does not wait where it takes
/// nothing: after Ctrl-S, or on a line that has gone quiet.
///
/// Standard error itself cannot be told not to wait, for the shell and other programs have it as well.
struct TerminalOutput: ~Copyable {
    private let descriptor: Int32
    /// What the terminal has not taken yet.
    private var rest: [UInt8] = []

    /// Nil where it cannot be opened: standard error is none, or one of another user's and not the one that controls us.
    init?() {
        let flags = O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        var descriptor = open("/proc/self/fd/\(STDERR_FILENO)", flags)
        // Whose process it is does not matter there.
        if descriptor < 0, tcgetsid(STDERR_FILENO) == getsid(0) { descriptor = open("/dev/tty", flags) }
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Whether something waits that was written before. Tries to write it once more.
    var isBehind: Bool {
        mutating get {
            flush()
            return !rest.isEmpty
        }
    }

    /// Writes the text, in one call where the terminal takes it; what it does not take waits for a later one.
    mutating func write(_ text: String) {
        rest += text.utf8
        flush()
    }

    /// Ends it.
    ///
    /// - Returns: What the terminal has not taken.
    consuming func end() -> [UInt8] {
        flush()
        return rest
    }

    private mutating func flush() {
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest, rest.count)
            guard count > 0 else {
                if errno == EINTR { continue }
                // Of a terminal that is gone nothing can be told.
                if errno != EAGAIN { rest = [] }
                return
            }
            rest.removeFirst(count)
        }
    }
}
