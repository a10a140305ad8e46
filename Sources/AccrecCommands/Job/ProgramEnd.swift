import Glibc
import Synchronization

/// Ends the program.
enum ProgramEnd {
    private static let status = Atomic<Int32>(0)

    /// Makes termination signals end the program at once with this status, except signals that are ignored.
    static func exitOnSignals(with status: Int32) {
        // Initialises the lazy static now, since a signal handler must not.
        self.status.store(status, ordering: .relaxed)
        for number in [SIGINT, SIGTERM, SIGHUP] where !Signals.isIgnored(number) {
            signal(number) { _ in _exit(ProgramEnd.status.load(ordering: .relaxed)) }
        }
    }

    /// Exits after all messages are written, or after a timeout if nobody reads them; on a signal at once if they are not
    /// written soon. Skips the exit handlers of C libraries, whose threads may still be running.
    static func leave(_ status: Int32) -> Never {
        // Ctrl-C reaches the recording process twice, the second time perhaps only now: see `TerminalSupervisor`.
        StandardError.settle()
        if !StandardError.isIdle {
            exitOnSignals(with: status)
            StandardError.finish()
        }
        _exit(status)
    }
}
