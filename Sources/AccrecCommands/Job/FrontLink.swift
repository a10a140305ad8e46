import Glibc

/// What the process that records knows of the one in front of it (`JobFront`).
struct FrontLink {
    /// What comes from there, a byte each: signals to end the take; SIGTSTP, to leave the terminal; SIGCONT, when it may be ours again.
    /// It ends when the front has gone, which nobody can do without wanting this process to go as well.
    let signals: AsyncStream<[UInt8]>
    private let front: pid_t

    /// The signal that says so to the front: one that nobody else has a use for.
    static let terminalIsFree = __libc_current_sigrtmin()

    /// Nil where there is no front. To be called once, while the program has one thread only.
    init?() {
        guard let text = getenv(JobFront.variable), let pipe = Int32(String(cString: text)) else { return nil }
        unsetenv(JobFront.variable)
        _ = fcntl(pipe, F_SETFD, FD_CLOEXEC)
        // Ctrl-Z comes by way of the front, and the terminal is left and taken while another job may have it.
        for number in [SIGTSTP, SIGTTIN, SIGTTOU] { signal(number, SIG_IGN) }
        front = getppid()
        signals = IncomingBytes.of(pipe)
    }

    /// The terminal is free: the front may stop.
    func letGoOfTerminal() {
        kill(front, Self.terminalIsFree)
    }
}
