import ArgumentParser
import Glibc

/// The recording process's link to its supervisor (`TerminalSupervisor`).
struct SupervisorLink {
    /// Bytes from the supervisor, one per signal: a termination signal to end the take, SIGTSTP to release the
    /// terminal, SIGCONT when it may be available again. The stream ends when the supervisor does, which means that
    /// this process must end as well.
    let signals: AsyncStream<[UInt8]>
    private let supervisor: pid_t

    /// The signal that tells the supervisor that the terminal is released; one that has no other use.
    static let terminalIsFree = __libc_current_sigrtmin()

    /// Nil if there is no supervisor. Call it once, while the program has a single thread, because it changes the
    /// environment.
    init?() {
        let variable = EnvironmentVariable.supervisor
        guard let pipe = variable.value.flatMap({ Int32($0) }) else { return nil }
        unsetenv(variable.rawValue)
        _ = fcntl(pipe, F_SETFD, FD_CLOEXEC)
        // Ctrl-Z arrives through the supervisor, and terminal modes are changed while another job may be in the
        // foreground.
        for number in [SIGTSTP, SIGTTIN, SIGTTOU] { signal(number, SIG_IGN) }
        supervisor = getppid()
        signals = IncomingBytes.of(pipe)
    }

    /// Tells the supervisor that the terminal is released, so that it may stop.
    func didReleaseTerminal() {
        kill(supervisor, Self.terminalIsFree)
    }
}

/// A command that keeps running while other jobs use its terminal.
protocol JobCommand: AsyncParsableCommand {
    /// Runs the command.
    ///
    /// - Parameter link: The link to the supervisor; nil if no terminal can stop this process.
    func run(behind link: SupervisorLink?) async throws
}
