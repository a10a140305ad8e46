import Foundation
import Synchronization

/// A child process of a test, with its output collected as it arrives.
///
/// Uses `posix_spawn`, because Foundation's `Process` notices the end of a process only when its last descendant has
/// closed a socket that all inherit. All descriptors created here are close-on-exec, so no child keeps another one's
/// pipe open.
public final class ChildProcess: Sendable {
    /// The standard input of the process.
    public enum Input: Sendable {
        /// `/dev/null`.
        case null
        /// A pipe that `write` and `closeInput` use.
        case pipe
    }

    /// The process ID. Use `signal` instead of signalling it directly.
    public let processID: pid_t

    private let command: [String]
    private let output: OutputCollector
    private let errors: OutputCollector
    private let end = Mutex<ProcessEnd?>(nil)
    private let input: Mutex<Int32?>

    /// The part of the tests' environment that every process gets: nothing of the user's desktop or sound server.
    public static let baseEnvironment: [String: String] = {
        let kept = ["PATH", "TMPDIR", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "ASAN_OPTIONS", "TSAN_OPTIONS"]
        return ProcessInfo.processInfo.environment
            .filter { kept.contains($0.key) }
            .merging(["LC_ALL": "C.UTF-8"]) { $1 }
    }()

    /// Runs a body while the process runs, and kills the process at the end if it is still running.
    ///
    /// - Parameters:
    ///   - command: A program, by path or found in `PATH`, and its arguments.
    ///   - environment: Its complete environment.
    ///   - directory: Its working directory; by default that of the tests.
    /// - Throws: `CommandFailure` if it cannot be started; errors of the body.
    public static func with<Value>(
        _ command: [String],
        environment: [String: String] = baseEnvironment,
        in directory: URL? = nil,
        input: Input = .null,
        _ body: (ChildProcess) async throws -> Value
    ) async throws -> Value {
        let process = try ChildProcess(command, environment: environment, in: directory, input: input)
        defer { process.kill() }
        return try await body(process)
    }

    /// Starts a process that ends when its standard input closes, at the latest with this process.
    static func start(_ command: [String]) throws -> ChildProcess {
        try ChildProcess(command, environment: baseEnvironment, in: nil, input: .pipe)
    }

    /// Runs a process to its end, whatever its status, within a deadline in seconds.
    public static func run(
        _ command: [String],
        environment: [String: String] = baseEnvironment,
        in directory: URL? = nil,
        within seconds: Double = 60
    ) async throws -> ProcessResult {
        try await with(command, environment: environment, in: directory) { try await $0.wait(within: seconds) }
    }

    private init(_ command: [String], environment: [String: String], in directory: URL?, input: Input) throws {
        // Glibc's module lacks pipe2, so a pipe becomes close-on-exec only after its creation. The lock prevents other
        // processes from being started in between.
        let (inputPipe, outputPipe, errorPipe) = try Self.starting.withLock { _ in
            (try input == .pipe ? Self.makePipe() : nil, try Self.makePipe(), try Self.makePipe())
        }
        // F_SETPIPE_SZ: gives a player enough to play while its feeder waits for a processor.
        if let inputPipe { _ = fcntl(inputPipe.write, 1031, 1 << 20) }
        let source = inputPipe?.read ?? open("/dev/null", O_RDONLY | O_CLOEXEC)

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, source, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, outputPipe.write, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errorPipe.write, STDERR_FILENO)

        // The test runner's threads may block or ignore signals, which children must not inherit.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        // The module also lacks posix_spawn_file_actions_addchdir_np.
        let spawned = (directory.map { ["env", "-C", $0.path] } ?? []) + command
        let arguments = spawned.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var processID: pid_t = 0
        let failure = Self.starting.withLock { _ in
            posix_spawnp(&processID, spawned[0], &actions, &attributes, arguments, variables)
        }

        close(source)
        close(outputPipe.write)
        close(errorPipe.write)
        self.command = command
        self.processID = processID
        self.input = Mutex(inputPipe?.write)
        // If nothing was started, these reach the end of file and close the descriptors.
        output = OutputCollector(reading: outputPipe.read)
        errors = OutputCollector(reading: errorPipe.read)
        guard failure == 0 else {
            closeInput()
            throw CommandFailure("\(command[0]): \(String(cString: strerror(failure)))")
        }
    }

    private static let starting = Mutex(())

    private static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw CommandFailure("pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        return (ends[0], ends[1])
    }

    /// The standard output so far.
    public var standardOutput: Data { output.data }

    /// The length of the standard output so far.
    public var standardOutputByteCount: Int { output.byteCount }

    /// When each part of it was read.
    public var standardOutputArrivals: [OutputCollector.Arrival] { output.arrivals }

    /// The standard error so far.
    public var standardError: String { String(decoding: errors.data, as: UTF8.self) }

    /// Whether the process is still running.
    public var isRunning: Bool { end.withLock { reap(&$0, WNOHANG) } == nil }

    /// Sends a signal, unless the process has ended.
    public func signal(_ signal: Int32) {
        end.withLock { end in
            // The process is reaped only under this lock, so its ID cannot belong to another one.
            if reap(&end, WNOHANG) == nil {
                Foundation.kill(processID, signal)
            }
        }
    }

    /// Kills the process with SIGKILL if it is running, and waits for its end.
    public func kill() {
        signal(SIGKILL)
        _ = end.withLock { reap(&$0, 0) }
        // A thread that was writing has received an error by now.
        closeInput()
    }

    /// Waits until the process has ended and its output is complete.
    ///
    /// - Throws: `DeadlineExceeded` with its standard error; the process keeps running then.
    public func wait(within seconds: Double = 60) async throws -> ProcessResult {
        let end = try await eventually("end of \(command): \(standardError)", within: seconds) {
            self.end.withLock { reap(&$0, WNOHANG) }
        }
        try await eventually("end of the output of \(command)") { output.isFinished && errors.isFinished }
        return ProcessResult(end: end, standardOutput: standardOutput, standardError: standardError)
    }

    /// Waits until the process has written a text to its standard error.
    ///
    /// - Throws: `DeadlineExceeded` with what it wrote instead; `CommandFailure` if it ended without the text.
    public func waitForStandardError(containing text: String, within seconds: Double = 10) async throws {
        try await eventually("\"\(text)\" from \(command): \(standardError)", within: seconds) {
            let hasEnded = !isRunning && errors.isFinished
            if standardError.contains(text) {
                return true
            }
            guard !hasEnded else {
                throw CommandFailure("\(command) ended without \"\(text)\": \(standardError)")
            }
            return false
        }
    }

    /// Writes to the process's standard input. Blocks the thread while the pipe is full.
    ///
    /// - Returns: `false` if the process has closed its end, or the input is closed.
    @discardableResult
    public func write(_ data: Data) -> Bool {
        // Under the lock, so that nobody closes the descriptor in the meantime.
        input.withLock { input in
            guard let descriptor = input else { return false }
            return withPipeSignalBlocked { Self.writeAll(data, to: descriptor) }
        }
    }

    private static func writeAll(_ data: Data, to descriptor: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = Foundation.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
                if count > 0 {
                    written += count
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }

    /// Closes the process's standard input. Blocks while another thread writes to it.
    public func closeInput() {
        input.withLock {
            if let descriptor = $0.take() {
                close(descriptor)
            }
        }
    }

    private func reap(_ end: inout ProcessEnd?, _ options: Int32) -> ProcessEnd? {
        var status: Int32 = 0
        if end == nil, waitpid(processID, &status, options) == processID {
            let signal = status & 0x7f
            end = signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
        }
        return end
    }
}
