import CSpawn
import Dispatch
import FoundationEssentials
import Glibc
import SystemPackage

/// Prevents idle sleep with a logind inhibitor lock, until it is deinitialised or the process ends for any reason.
///
/// systemd-inhibit holds the lock while the program that it starts runs: a `cat` that reads from a pipe whose other end
/// is here. Explicit requests to sleep, such as closing the lid, still work, because only `idle` is inhibited.
struct SleepInhibitor: ~Copyable {
    private static let options = ["--what=idle", "--mode=block", "--who=accrec", "--why=A take is being recorded"]

    /// Whether there is a system bus, on which logind may be available.
    private static var isPossible: Bool {
        EnvironmentVariable.systemBus.value != nil || access("/run/dbus/system_bus_socket", F_OK) == 0
    }

    /// This process's end of the pipe.
    private let input: OpenDescriptor

    /// Requests the lock without waiting for the answer.
    ///
    /// - Parameter reportFailure: Called at most once, on any thread, with the system's message if there is no lock.
    /// - Throws: If systemd-inhibit cannot be started.
    private init(reportFailure: @escaping @Sendable (String) -> Void) throws(Errno) {
        let input = try Pipe()
        let errors = try Pipe()
        let process = try Self.start(input: input.reading.number, errors: errors.writing.number)
        let reading = errors.reading.release()
        // Its messages end when it exits. It is reaped then, so that a program that makes many takes leaves no zombie
        // processes. This blocks a thread, because libdispatch on Linux crashes if the other end hangs up while it
        // watches a pipe.
        DispatchQueue(label: "accrec.inhibitor").async {
            let text = Self.read(reading)
            close(reading)
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
            if let line = text.split(separator: "\n").last { reportFailure(String(line)) }
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

    /// Reads messages to their end, keeping about the first thousand bytes.
    private static func read(_ descriptor: Int32) -> String {
        var text: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            if text.count < 1_000 { text += bytes.prefix(count) }
        }
    }

    /// Starts systemd-inhibit in a process group of its own, so that Ctrl-C does not end it, and without any other
    /// descriptors of this process.
    private static func start(input: Int32, errors: Int32) throws(Errno) -> pid_t {
        guard let program = executable("systemd-inhibit"), let reader = executable("cat") else {
            throw .noSuchFileOrDirectory
        }
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO)
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO)
        posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let arguments = ([program] + options + [reader]).map { strdup($0) } + [nil]
        let variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var process: pid_t = 0
        let failure = posix_spawn(&process, program, &files, &attributes, arguments, variables)
        guard failure == 0 else { throw Errno(rawValue: failure) }
        return process
    }

    /// The path of a program in the absolute directories of `PATH`. Relative ones are skipped, because anybody may be
    /// able to write to the current directory.
    private static func executable(_ name: String) -> String? {
        (EnvironmentVariable.path.value ?? "/usr/bin:/bin").split(separator: ":").lazy.filter { $0.hasPrefix("/") }
            .map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}

/// A pipe that child processes do not inherit.
private struct Pipe: ~Copyable {
    let reading: OpenDescriptor
    let writing: OpenDescriptor

    init() throws(Errno) {
        let ends = try FileDescriptor.pipe(options: .closeOnExec)
        reading = OpenDescriptor(number: ends.readEnd.rawValue)
        writing = OpenDescriptor(number: ends.writeEnd.rawValue)
    }
}

/// A descriptor that is closed when deinitialised.
private struct OpenDescriptor: ~Copyable {
    let number: Int32

    /// Transfers ownership of the descriptor without closing it.
    consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit {
        close(number)
    }
}
