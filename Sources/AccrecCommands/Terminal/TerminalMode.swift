import Glibc

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
        var mode = termios()
        guard isForeground(descriptor), tcgetattr(descriptor, &mode) == 0 else { return nil }
        let saved = mode
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(descriptor, TCSANOW, &mode) == 0 else { return nil }
        return TerminalMode(descriptor, saved: saved)
    }

    deinit {
        // Do not touch the mode while another job is in the foreground.
        guard Self.isForeground(descriptor) else { return }
        var mode = saved
        // Discard unread input, which was not meant for the shell.
        tcflush(descriptor, TCIFLUSH)
        tcsetattr(descriptor, TCSANOW, &mode)
    }

    /// Whether the descriptor is our terminal and this job is in its foreground.
    static func isForeground(_ descriptor: Int32) -> Bool {
        tcgetpgrp(descriptor) == getpgrp()
    }
}
