import Dispatch
import FoundationEssentials
import Glibc
import SystemPackage

/// A lock of logind's by which the machine does not fall asleep for being idle, until it is let go of or this process has
/// ended, however that ends.
///
/// systemd-inhibit has the lock for as long as the program runs that it starts: a `cat` that reads from a pipe whose other
/// end is here. A machine that is told to sleep, by its lid for one, does: only `idle` is held off.
struct SleepInhibitor: ~Copyable {
    private static let command = [
        "systemd-inhibit", "--what=idle", "--mode=block", "--who=accrec", "--why=A take is being recorded", "cat",
    ]

    /// Whether there is a system bus, on which logind may answer.
    private static var isPossible: Bool {
        getenv("DBUS_SYSTEM_BUS_ADDRESS") != nil || access("/run/dbus/system_bus_socket", F_OK) == 0
    }

    /// Our end of the pipe.
    private let input: FileDescriptor

    /// Asks for the lock, and does not wait for the answer.
    ///
    /// - Parameter reportFailure: Told at most once, on any thread, why there is no lock, in words of the system.
    /// - Throws: Where systemd-inhibit cannot be started.
    private init(reportFailure: @escaping @Sendable (String) -> Void) throws(Errno) {
        let (inputEnd, input) = try FileDescriptor.pipe(options: .closeOnExec)
        let (errors, errorEnd) = try FileDescriptor.pipe(options: .closeOnExec)
        defer {
            try? inputEnd.close()
            try? errorEnd.close()
        }
        // It ends when the other end is closed, which is with the process.
        DispatchIO.read(fromFileDescriptor: errors.rawValue, maxLength: 1_000, runningHandlerOn: .global()) { text, _ in
            try? errors.close()
            let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
            if let line = lines.last { reportFailure(String(line)) }
        }
        do throws(Errno) {
            try Self.start(input: inputEnd, errors: errorEnd)
        } catch {
            try? input.close()
            throw error
        }
        self.input = input
    }

    /// Asks for the lock, where that is wanted; tells that it cannot be had only where it was asked for.
    ///
    /// - Parameters:
    ///   - isWanted: Nil for where it can be done.
    ///   - tell: Told on any thread.
    static func begin(_ isWanted: Bool?, tell: @escaping @Sendable (String) -> Void) -> SleepInhibitor? {
        guard isWanted ?? isPossible else { return nil }
        let tellFailure = { @Sendable (cause: String) in
            guard isWanted == true else { return }
            tell(
                "cannot keep the machine awake: systemd-inhibit: \(cause). The take goes on; see that nothing lets the "
                    + "machine fall asleep.")
        }
        do {
            return try SleepInhibitor(reportFailure: tellFailure)
        } catch {
            tellFailure("\(error)")
            return nil
        }
    }

    deinit {
        try? input.close()
    }

    /// Starts systemd-inhibit in a process group of its own, so that Ctrl-C is for the take alone.
    private static func start(input: FileDescriptor, errors: FileDescriptor) throws(Errno) {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_adddup2(&files, input.rawValue, STDIN_FILENO)
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&files, errors.rawValue, STDERR_FILENO)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))

        let arguments = command.map { strdup($0) } + [nil]
        let variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        let failure = posix_spawnp(nil, command[0], &files, &attributes, arguments, variables)
        guard failure == 0 else { throw Errno(rawValue: failure) }
    }
}
