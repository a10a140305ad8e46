import Glibc

/// A terminal whose keys are read as they are pressed and not shown; as it was before, when this is let go of.
///
/// Nothing else is changed: Ctrl-C, Ctrl-Z and Ctrl-\ stay signals, and output is treated as ever, so that a terminal that
/// is never put back (because this program was killed) can still be used.
struct TerminalMode: ~Copyable {
    private let descriptor: Int32
    private let saved: termios

    private init(_ descriptor: Int32, saved: termios) {
        self.descriptor = descriptor
        self.saved = saved
    }

    /// Changes the terminal's mode; nil where the descriptor is no terminal, or the terminal is another job's at present.
    static func begin(on descriptor: Int32) -> TerminalMode? {
        var mode = termios()
        guard isForeground(descriptor), tcgetattr(descriptor, &mode) == 0 else { return nil }
        let saved = mode
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(descriptor, TCSADRAIN, &mode) == 0 else { return nil }
        return TerminalMode(descriptor, saved: saved)
    }

    deinit {
        // Another job's terminal is as that job wants it.
        guard Self.isForeground(descriptor) else { return }
        var mode = saved
        // What was typed for this program, and not read, is not for the shell.
        tcsetattr(descriptor, TCSAFLUSH, &mode)
    }

    /// Whether the descriptor is our terminal, and we are the job that it belongs to.
    static func isForeground(_ descriptor: Int32) -> Bool {
        tcgetpgrp(descriptor) == getpgrp()
    }
}
