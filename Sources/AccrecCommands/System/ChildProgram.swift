import CSpawn
import Glibc
import SystemPackage

/// A program started by this one: in a process group of its own, so that Ctrl-C does not end it, and without any of this
/// process's descriptors but those it is given.
struct ChildProgram: Sendable {
    private let processID: pid_t
    /// The end of the pipe to which it writes its messages.
    private let messages: Int32

    /// How many bytes of its last messages are kept.
    private static let capacity = 1_000

    /// - Parameters:
    ///   - path: The program's file.
    ///   - arguments: Those after its name.
    ///   - variables: Added to the environment.
    ///   - input: Its standard input.
    ///   - output: Its standard output; nil to discard that.
    init(
        _ path: String, _ arguments: [String], variables: [String: String] = [:], input: Int32, output: Int32? = nil
    ) throws(Errno) {
        let errors = try PipeEnds()
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO)
        if let output {
            posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&files, errors.writing.number, STDERR_FILENO)
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

        let words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        let environment = Environment(setting: variables, without: ServiceManager.variables.map(\.rawValue))
        var processID: pid_t = 0
        let failure = posix_spawn(&processID, path, &files, &attributes, words, environment.entries)
        guard failure == 0 else { throw Errno(rawValue: failure) }
        self.processID = processID
        messages = errors.reading.release()
    }

    /// Blocks until the program has ended, and reads what it writes to standard error. It stays a zombie until `reap`.
    ///
    /// Blocks a thread, because libdispatch on Linux crashes if the other end hangs up while it watches a pipe.
    ///
    /// - Parameters:
    ///   - limit: A program that takes longer is asked to end; nil for no limit.
    ///   - grace: How long it then has before it is killed.
    ///   - onTimeout: Called once it was asked to end.
    /// - Returns: The last line of its messages; nil if there is none.
    func wait(atMost limit: Duration? = nil, grace: Duration = .zero, onTimeout: () -> Void = {}) -> String? {
        var deadline = limit.map { ContinuousClock.now + $0 }
        var isAsked = false
        let end = accrec_pidfd_open(processID)
        defer { if end >= 0 { close(end) } }
        var text: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            // Without a descriptor of its end, that of its messages has to do.
            var polled = [end, messages].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if let due = deadline, due <= .now {
                // A program that is killed ends at once.
                signal(isAsked ? SIGKILL : SIGTERM)
                if !isAsked {
                    (isAsked, deadline) = (true, .now + grace)
                    onTimeout()
                }
            }
            let rest = deadline.map {
                min(max(ContinuousClock.now.duration(to: $0), .milliseconds(1)), .seconds(3_600))
            }
            guard poll(&polled, 2, rest.map { Int32($0 / .milliseconds(1)) } ?? -1) > 0 else { continue }
            if polled[1].revents != 0 {
                let count = read(messages, &bytes, bytes.count)
                if count > 0 {
                    text = (text + bytes.prefix(count)).suffix(Self.capacity)
                    continue
                }
                if count == 0 { break }
            } else if polled[0].revents != 0 {
                // What it has started may still have the pipe.
                break
            }
        }
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | Int32(WNOWAIT)) < 0, errno == EINTR {}
        return String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).last.map(String.init)
    }

    /// Blocks until the program has ended, and removes it from the system's table. Call it once.
    ///
    /// - Returns: Its wait status, see wait(2).
    @discardableResult
    func reap() -> Int32 {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        close(messages)
        return status
    }

    /// Signals the program and what it has started. Must not be called after `reap`, when another process may have its
    /// number.
    func signal(_ number: Int32) {
        kill(-processID, number)
    }

    /// Why a program failed, by its wait status; nil if it succeeded.
    static func failure(_ status: Int32) -> String? {
        let signal = status & 0x7F
        if signal != 0 { return "ended by signal \(signal)" }
        let code = status >> 8 & 0xFF
        return code == 0 ? nil : "exit status \(code)"
    }

    /// Whether there is a program at a path that this user may run.
    static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return access(path, X_OK) == 0 && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The path of a program in the absolute directories of `PATH`. Relative ones are skipped, because anybody may be
    /// able to write to the current directory.
    static func path(of name: String) -> String? {
        (Environment.Variable.path.value ?? "/usr/bin:/bin").split(separator: ":").lazy.filter { $0.hasPrefix("/") }
            .map { "\($0)/\(name)" }.first(where: isExecutable)
    }
}
