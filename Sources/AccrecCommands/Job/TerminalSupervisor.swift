import ArgumentParser
import CSpawn
import FoundationEssentials
import Glibc
import SystemPackage

/// Supervises the recording process: the shell can stop the supervisor with Ctrl-Z while the recording continues, and
/// the supervisor restores the terminal however the recording process ends.
///
/// It starts this program a second time with the same arguments, standard streams and process group, forwards signals
/// through a pipe (`TerminalSupervisor.JobLink`), and exits with the same status.
enum TerminalSupervisor {
    /// If a terminal could stop this job, makes this process the supervisor and exits with the recording process's
    /// status. Otherwise, and in the recording process, returns at once.
    ///
    /// Call it while the program has a single thread.
    static func superviseIfNeeded() throws {
        guard let terminal = terminalInWait else { return }
        let before = TerminalMode.current(of: terminal)

        var signals = sigset_t()
        sigemptyset(&signals)
        // The system keeps a blocked signal also where it is ignored, as SIGHUP is after `nohup`.
        let hangUp = Signals.isIgnored(SIGHUP) ? [] : [SIGHUP]
        for number in hangUp + [
            SIGINT, SIGTERM, SIGTSTP, SIGQUIT, SIGTTOU, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2,
            JobLink.terminalIsFree,
        ] {
            sigaddset(&signals, number)
        }
        var unblocked = sigset_t()
        sigprocmask(SIG_BLOCK, &signals, &unblocked)

        let (child, pipe) = try spawn(with: unblocked)
        while true {
            var number: Int32 = 0
            sigwait(&signals, &number)
            switch number {
            case SIGCHLD:
                var status: Int32 = 0
                guard waitpid(child, &status, WNOHANG) == child else { continue }
                if TerminalMode.isForeground(terminal) { TerminalMode.restore(before, on: terminal) }
                end(with: status, unblocked)
            case JobLink.terminalIsFree:
                // The recording process has released the terminal, so stop and give it to the shell. Without a shell to
                // return to, the system does not let a process stop.
                stop()
                tell(SIGCONT, pipe)
            case SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGUSR1, SIGUSR2:
                tell(number, pipe)
            default:
                // The terminal sends SIGQUIT to both processes, and it ends the recording process.
                continue
            }
        }
    }

    /// The terminal that could stop this job, or nil if there is none.
    private static var terminalInWait: Int32? {
        guard Environment.Variable.supervisor.value == nil else { return nil }
        return [STDIN_FILENO, STDERR_FILENO].first { tcgetpgrp($0) >= 0 }
    }

    private static func tell(_ number: Int32, _ pipe: Int32) {
        var byte = UInt8(number)
        // If the write fails, the recording process has ended, and SIGCHLD reports that.
        _ = write(pipe, &byte, 1)
    }

    private static func stop() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        raise(SIGTSTP)
        sigprocmask(SIG_UNBLOCK, &signals, nil)
        sigprocmask(SIG_BLOCK, &signals, nil)
    }

    private static func spawn(with signals: sigset_t) throws -> (child: pid_t, pipe: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw failure(errno) }
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        // Never block: this process has to handle signals.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = signals
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let environment = Environment(setting: [Environment.Variable.supervisor.rawValue: "\(ends[0])"])
        var child: pid_t = 0
        // Started by its path, so that the process has its proper name, unless the file has been replaced or there is
        // no /proc.
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let program = access(path, X_OK) == 0 ? path : "/proc/self/exe"
        let result = posix_spawn(&child, program, nil, &attributes, CommandLine.unsafeArgv, environment.entries)
        close(ends[0])
        guard result == 0 else { throw failure(result) }
        return (child, ends[1])
    }

    private static func failure(_ code: Int32) -> RunFailure {
        RunFailure(
            "cannot start the recording process", "\(Errno(rawValue: code))",
            "End other programs, or raise the limits (ulimit).")
    }

    private static func end(with status: Int32, _ unblocked: sigset_t) -> Never {
        let number = status & 0x7F
        guard number != 0 else { exit(status >> 8 & 0xFF) }
        // Suppress this process's core dump; only the recording process's is useful.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        var unblocked = unblocked
        signal(number, SIG_DFL)
        sigprocmask(SIG_SETMASK, &unblocked, nil)
        raise(number)
        exit(128 + number)
    }
}

extension TerminalSupervisor {
    /// The recording process's link to its supervisor (`TerminalSupervisor`).
    struct JobLink {
        /// Bytes from the supervisor, one per signal: a termination signal to end the recording, SIGTSTP to release the
        /// terminal, SIGCONT when it may be available again. The stream ends when the supervisor does, which means that
        /// this process must end as well.
        let signals: AsyncStream<[UInt8]>
        private let supervisor: pid_t

        /// The signal that tells the supervisor that the terminal is released; one that has no other use.
        static let terminalIsFree = __libc_current_sigrtmin()

        /// Nil if there is no supervisor. Call it once, while the program has a single thread, because it changes the
        /// environment.
        init?() {
            let variable = Environment.Variable.supervisor
            guard let pipe = variable.value.flatMap({ Int32($0) }) else { return nil }
            unsetenv(variable.rawValue)
            _ = fcntl(pipe, F_SETFD, FD_CLOEXEC)
            // Ctrl-Z arrives through the supervisor, and terminal modes are changed while another job may be in the
            // foreground.
            for number in [SIGTSTP, SIGTTIN, SIGTTOU] { signal(number, SIG_IGN) }
            supervisor = getppid()
            signals = .reading(pipe)
        }

        /// Tells the supervisor that the terminal is released, so that it may stop.
        func didReleaseTerminal() {
            kill(supervisor, Self.terminalIsFree)
        }
    }
}

/// A command that keeps running while other jobs use its terminal.
protocol JobCommand: AsyncParsableCommand {
    /// Runs the command.
    ///
    /// - Parameter link: The link to the supervisor; nil if no terminal can stop this process.
    func run(behind link: TerminalSupervisor.JobLink?) async throws
}
