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
