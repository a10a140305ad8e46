import ArgumentParser
import FoundationEssentials
import Glibc

/// The process that a shell knows, in front of the one that records: it can be stopped with Ctrl-Z while the recording
/// goes on, and it puts the terminal back as it was, whatever becomes of the other one.
///
/// It starts this program anew, with the same arguments, standard streams and process group. Signals that come to it it
/// hands on through a pipe (`FrontLink`), and it ends as the other process ended.
enum JobFront {
    /// Where the process behind finds the number of its end of the pipe.
    static let variable = "ACCREC_FRONT"

    /// Where a terminal could stop this job, makes this process the front, and exits with the other one's status.
    /// Otherwise, and in the process behind, returns at once.
    ///
    /// To be called while the program has one thread only.
    static func standIfNeeded() throws {
        guard let terminal = terminalInWait else { return }
        var before = termios()
        tcgetattr(terminal, &before)

        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [
            SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGQUIT, SIGTTOU, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2,
            FrontLink.terminalIsFree,
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
                if TerminalMode.isForeground(terminal) { tcsetattr(terminal, TCSADRAIN, &before) }
                end(with: status, unblocked)
            case FrontLink.terminalIsFree:
                // The process behind has left the terminal, which the shell may have now. Where there is no shell to go
                // on with, the system lets nobody stop.
                stop()
                tell(SIGCONT, pipe)
            case SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGUSR1, SIGUSR2:
                tell(number, pipe)
            default:
                // The terminal sends SIGQUIT to both, and the other one ends of it.
                continue
            }
        }
    }

    /// The terminal that could stop this job.
    private static var terminalInWait: Int32? {
        guard getenv(variable) == nil else { return nil }
        return [STDIN_FILENO, STDERR_FILENO].first { tcgetpgrp($0) >= 0 }
    }

    private static func tell(_ number: Int32, _ pipe: Int32) {
        var byte = UInt8(number)
        // Where nobody reads any more, that process has ended, and SIGCHLD says so.
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
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = signals
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let variables = ProcessInfo.processInfo.environment.merging([variable: "\(ends[0])"]) { $1 }
        let environment = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { environment.forEach { free($0) } }
        var child: pid_t = 0
        // By its own name, so that it bears it.
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let result = posix_spawn(&child, program, nil, &attributes, CommandLine.unsafeArgv, environment)
        close(ends[0])
        guard result == 0 else { throw failure(result) }
        return (child, ends[1])
    }

    private static func failure(_ code: Int32) -> ValidationError {
        ValidationError("cannot start the process that records: \(String(cString: strerror(code)))")
    }

    private static func end(with status: Int32, _ unblocked: sigset_t) -> Never {
        let number = status & 0x7F
        guard number != 0 else { exit(status >> 8 & 0xFF) }
        // One core is enough, and it is the other one's that tells something.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        var unblocked = unblocked
        signal(number, SIG_DFL)
        sigprocmask(SIG_SETMASK, &unblocked, nil)
        raise(number)
        exit(128 + number)
    }
}
