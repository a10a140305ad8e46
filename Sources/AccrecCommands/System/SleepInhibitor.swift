import Dispatch
import Glibc
import SystemPackage

/// Prevents idle sleep with a logind inhibitor lock, until it is deinitialised or the process ends for any reason.
///
/// systemd-inhibit holds the lock while the program that it starts runs: a `cat` that reads from a pipe whose other end
/// is here. Explicit requests to sleep, such as closing the lid, still work, because only `idle` is inhibited.
struct SleepInhibitor: ~Copyable {
    private static let options = ["--what=idle", "--mode=block", "--who=accrec", "--why=A recording is running"]

    /// Whether there is a system bus, on which logind may be available.
    private static var isPossible: Bool {
        Environment.Variable.systemBus.value != nil || access("/run/dbus/system_bus_socket", F_OK) == 0
    }

    /// This process's end of the pipe.
    private let input: PipeEnds.End

    /// Requests the lock without waiting for the answer.
    ///
    /// - Parameter reportFailure: Called at most once, on any thread, with the system's message if there is no lock.
    /// - Throws: If systemd-inhibit cannot be started.
    private init(reportFailure: @escaping @Sendable (String) -> Void) throws(Errno) {
        let input = try PipeEnds()
        let program = try Self.start(input: input.reading.number)
        // Reaped when it ends, so that a program that makes many recordings leaves no zombie processes.
        DispatchQueue(label: "accrec.inhibitor").async {
            let message = program.wait()
            program.reap()
            if let message { reportFailure(message) }
        }
        self.input = input.writing
    }

    /// Requests the lock unless disabled. Reports a failure only if the lock was requested explicitly.
    ///
    /// - Parameters:
    ///   - isWanted: Nil for "if available".
    ///   - tell: Called on any thread with the message.
    static func begin(_ isWanted: Bool?, tell: @escaping @Sendable (String) -> Void) -> SleepInhibitor? {
        guard isWanted ?? isPossible else { return nil }
        let tellFailure = { @Sendable (cause: String) in
            guard isWanted == true else { return }
            tell("cannot inhibit sleep: systemd-inhibit: \(cause). The recording goes on.")
        }
        do {
            return try SleepInhibitor(reportFailure: tellFailure)
        } catch {
            tellFailure("\(error)")
            return nil
        }
    }

    /// Starts systemd-inhibit.
    private static func start(input: Int32) throws(Errno) -> ChildProgram {
        guard let program = ChildProgram.path(of: "systemd-inhibit"), let reader = ChildProgram.path(of: "cat") else {
            throw .noSuchFileOrDirectory
        }
        return try ChildProgram(program, options + [reader], input: input)
    }
}
