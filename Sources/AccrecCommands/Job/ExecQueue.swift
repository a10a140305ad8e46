import ACCAudioRecorder
import Dispatch
import FoundationEssentials
import Glibc
import SystemPackage

/// Runs a program for each complete file, a few at a time. The recordings go on meanwhile, whatever the programs do.
actor ExecQueue {
    /// The program that `--exec` runs for each complete file.
    struct Program: Hashable, Sendable {
        let path: String
        let arguments: [String]
    }

    /// A file that is complete.
    private struct CompleteFile {
        let path: String
        let version: FileVersion
        /// The report of the file, a line of JSON.
        let report: String
        /// Receives what went wrong.
        let tell: @Sendable (String) -> Void
    }

    private let program: Program
    private let timeout: Double
    /// The files of running recordings for which the program has been queued. A path may come again, for another file.
    private var known: Set<FileVersion> = []
    /// The files that `--keep-last` must leave until their program has ended. A recording holds each one from its
    /// completion on.
    nonisolated let held = HeldFiles()
    private var waiting: ArraySlice<CompleteFile> = []
    private var running: [Int: ChildProgram] = [:]
    private var count = 0
    private var hasFailed = false
    private var isEnding = false
    private var ends: [CheckedContinuation<Void, Never>] = []

    /// How many programs run at once.
    private static let largestCount = 2
    /// How long a program has to end by itself before it is killed.
    private static let grace = Duration.seconds(5)
    /// How long the end waits without a word.
    private static let silentWait = Duration.seconds(1)

    /// - Parameter timeout: How long a program may take, in seconds.
    init(_ program: Program, timeout: Double) {
        self.program = program
        self.timeout = timeout
    }

    /// Runs the program for the files that an event of a recording completes.
    ///
    /// - Parameter tell: Receives what goes wrong, also later.
    func receive(_ event: RecordingEvent, tell: @escaping @Sendable (String) -> Void) {
        switch event {
        case .fileOpened(_, let report?), .fileClosed(let report):
            add(report, tell)
        case .finished(let report):
            for output in report.outputs { add(output, tell) }
            known.subtract(report.outputs.flatMap(\.versions))
        default:
            return
        }
    }

    /// The number of files whose program has not ended.
    var pendingCount: Int { running.count + waiting.count }

    /// Waits until no program runs any more, or ends them if the user asks for it.
    ///
    /// - Returns: Whether all have succeeded.
    func finish(by signals: JobSignals, isQuiet: Bool) async -> Bool {
        guard !running.isEmpty else { return !hasFailed }
        let notice = Task {
            try await Task.sleep(for: Self.silentWait)
            let count = pendingCount
            if !isQuiet {
                StandardError.tell("--exec still runs for \(count) file\(count == 1 ? "" : "s"); Ctrl-C ends it")
            }
        }
        // A request that ended the recording is not one to end these.
        var isAnswered = signals.isEnding
        let requests = signals.requests
        let ending = Task {
            for await request in requests {
                switch request {
                case .finish where isAnswered: isAnswered = false
                case .finish, .quit: await end()
                default: continue
                }
            }
        }
        await withCheckedContinuation { ends.append($0) }
        notice.cancel()
        ending.cancel()
        return !hasFailed
    }

    /// Ends the programs that run, and starts no more.
    func end() async {
        isEnding = true
        hasFailed = true
        for program in running.values { program.signal(SIGTERM) }
        try? await Task.sleep(for: Self.grace)
        for program in running.values { program.signal(SIGKILL) }
    }

    private func add(_ report: OutputReport, _ tell: @escaping @Sendable (String) -> Void) {
        // A pipe has no version, and a file that waits for its last name comes again at the end of the recording.
        guard let path = report.path, let version = report.versions.first, !report.isProvisional,
            known.insert(version).inserted, let text = try? JSONText.line(report)
        else { return }
        waiting.append(CompleteFile(path: path, version: version, report: text, tell: tell))
        startWaiting()
    }

    private func startWaiting() {
        while running.count < Self.largestCount, !isEnding, let file = waiting.popFirst() { start(file) }
        if running.isEmpty {
            for end in ends { end.resume() }
            ends = []
        }
    }

    private func start(_ file: CompleteFile) {
        guard FileVersion(path: file.path) != nil else {
            held.release(file.version, as: nil)
            return fail(file, "the file is gone")
        }
        do throws(Errno) {
            let child = try FreeDescriptors.claim(for: .program) { () throws(Errno) in
                let report = try MemoryFile(holding: file.report)
                return try ChildProgram(
                    program.path, program.arguments, variables: ["ACCREC_FILE": file.path], input: report.descriptor)
            }
            count += 1
            running[count] = child
            Task { [number = count] in await follow(child, number, file) }
        } catch {
            held.release(file.version, as: file.version)
            fail(file, "\(error)")
        }
    }

    /// Waits for the end of a program, and ends it if it takes too long.
    private func follow(_ child: ChildProgram, _ number: Int, _ file: CompleteFile) async {
        let watchdog = Task { [timeout] in
            try await Task.sleep(for: .seconds(timeout))
            signal(number, SIGTERM)
            file.tell("\(Self.subject(program, file)) runs for longer than --exec-timeout, and is ended")
            try await Task.sleep(for: Self.grace)
            signal(number, SIGKILL)
        }
        let message = await withCheckedContinuation { continuation in
            DispatchQueue(label: "accrec.exec").async { continuation.resume(returning: child.wait()) }
        }
        watchdog.cancel()
        running[number] = nil
        held.release(file.version, as: FileVersion(path: file.path))
        if let cause = ChildProgram.failure(child.reap()) {
            fail(file, cause + (message.map { ": \($0)" } ?? ""))
        }
        startWaiting()
    }

    private func signal(_ number: Int, _ signal: Int32) {
        running[number]?.signal(signal)
    }

    private func fail(_ file: CompleteFile, _ cause: String) {
        hasFailed = true
        file.tell("\(Self.subject(program, file)) failed: \(cause)")
    }

    private static func subject(_ program: Program, _ file: CompleteFile) -> String {
        "--exec: '\(program.path)' for '\(file.path)'"
    }
}
