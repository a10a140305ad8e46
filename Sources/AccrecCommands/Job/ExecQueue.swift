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
        /// Counts the files in their order.
        let number: Int
        let path: String
        /// Nil if it was gone already.
        let version: FileVersion?
        /// The report of the file, a line of JSON.
        let report: String
        /// How often the program has failed for it.
        var failureCount = 0
        /// Receives what went wrong.
        let tell: @Sendable (String) -> Void
    }

    private let program: Program
    private let timeout: Double
    /// How often a program that fails is run again for a file.
    private let retries: Int
    private let clock: Schedule.Clocks
    /// Where the files that wait are kept over a restart; nil for nowhere.
    private var record: ExecRecord?
    /// The files that `--keep-last` and its like must leave until their program has ended. A recording holds each one from its
    /// completion on.
    nonisolated let held = HeldFiles()
    /// The files of running recordings that are being written, and those of recorders that were killed, which are repaired.
    private var written: [String: UnfinishedFile] = [:]
    private var repaired: [String: UnfinishedFile] = [:]
    private var waiting: ArraySlice<CompleteFile> = []
    private var running: [Int: (file: CompleteFile, child: ChildProgram)] = [:]
    /// The files whose program has failed, and is run again after a wait.
    private var delayed: [Int: (file: CompleteFile, wait: Task<Void, Never>)] = [:]
    private var count = 0
    private var lastFailure: Status.Failure?
    private var hasFailed = false
    private var hasToldOfUnrecognizable = false
    private var isEnding = false
    private var ends: [CheckedContinuation<Void, Never>] = []

    /// How many programs run at once.
    private static let largestCount = 2
    /// How long a program has to end by itself before it is killed.
    private static let grace = Duration.seconds(5)
    /// How long the end waits without a word.
    private static let silentWait = Duration.seconds(1)
    /// The longest wait before a program is run again, in seconds.
    private static let longestDelay = 300.0

    /// - Parameters:
    ///   - timeout: How long a program may take, in seconds.
    ///   - retries: How often a program that fails is run again for a file: after 1 s, 2 s, 4 s and so on, up to five minutes.
    ///   - clock: Measures these waits.
    init(_ program: Program, timeout: Double, retries: Int = 0, clock: Schedule.Clocks = .system) {
        (self.program, self.timeout, self.retries, self.clock) = (program, timeout, retries, clock)
    }

    /// Keeps the files over a restart, and runs the program for those of an earlier recorder.
    ///
    /// - Parameters:
    ///   - owner: Whose files they are.
    ///   - tell: Receives messages for the user, on any thread.
    func keepFiles(for owner: ExecRecord.Owner, tell: @escaping @Sendable (String) -> Void) {
        guard let record = ExecRecord(of: program, for: owner, tell: tell) else { return }
        self.record = record
        let (entries, records) = record.takeOver()
        for entry in entries {
            let version = FileVersion(path: entry.path)
            if let version { held.hold(version) }
            if let file = entry.unfinished {
                if let version { repair(file, version, tell) }
                continue
            }
            count += 1
            let file = CompleteFile(number: count, path: entry.path, version: version, report: entry.report, tell: tell)
            guard entry.isThere else {
                tell("\(Self.subject(program, file)) is not run: the file of an earlier recording is gone")
                continue
            }
            waiting.append(file)
        }
        save()
        record.forget(records)
        startWaiting()
    }

    /// Runs the program for the files that an event of a recording completes.
    ///
    /// - Parameter tell: Receives what goes wrong, also later.
    func receive(_ event: RecordingEvent, tell: @escaping @Sendable (String) -> Void) {
        switch event {
        case .fileOpened(let path, let report):
            if let report { add(report, tell) }
            begin(path, tell)
        case .fileClosed(let report):
            add(report, tell)
        case .finished(let report):
            for output in report.outputs where !output.isTold { add(output, tell) }
            // Those that were discarded are in no report.
            written = written.filter(\.value.isWritten)
            save()
        default:
            return
        }
    }

    /// The number of files whose program has not ended.
    var pendingCount: Int { running.count + delayed.count + waiting.count + repaired.count }

    /// Waits until no program runs any more, or ends them if the user asks for it.
    ///
    /// - Returns: Whether all have succeeded.
    func finish(by signals: JobSignals, isQuiet: Bool) async -> Bool {
        defer { flush() }
        guard pendingCount > 0 else { return !hasFailed }
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
        if isEnding, let record, !isQuiet { StandardError.tell("--exec: what was not run is left to \(record.heir)") }
        return !hasFailed
    }

    /// Waits until the files that the program is still to run for are kept.
    func flush() { record?.flush() }

    /// Ends the programs that run, and starts no more.
    func end() async {
        isEnding = true
        hasFailed = true
        for (_, wait) in delayed.values { wait.cancel() }
        for (_, child) in running.values { child.signal(SIGTERM) }
        startWaiting()
        try? await Task.sleep(for: Self.grace)
        for (_, child) in running.values { child.signal(SIGKILL) }
    }

    private func add(_ report: OutputReport, _ tell: @escaping @Sendable (String) -> Void) {
        if let path = report.path { written[path] = nil }
        // A pipe has no version, and a file that waits for its last name comes again at the end of the recording.
        guard let path = report.path, let version = report.versions.first, !report.isProvisional,
            let text = try? JSONText.line(report)
        else { return }
        count += 1
        waiting.append(CompleteFile(number: count, path: path, version: version, report: text, tell: tell))
        if waiting.count > ExecRecord.capacity, let oldest = waiting.popFirst() {
            fail(oldest, "more than \(ExecRecord.capacity) files wait for it")
        }
        save()
        startWaiting()
    }

    private func startWaiting() {
        while running.count < Self.largestCount, !isEnding, let file = waiting.popFirst() { start(file) }
        if isEnding ? running.isEmpty : pendingCount == 0 {
            for end in ends { end.resume() }
            ends = []
        }
    }

    private func start(_ file: CompleteFile) {
        guard FileVersion(path: file.path) != nil else { return fail(file, "the file is gone") }
        do throws(Errno) {
            let child = try FreeDescriptors.claim(for: .program) { () throws(Errno) in
                let report = try MemoryFile(holding: file.report)
                return try ChildProgram(
                    program.path, program.arguments, variables: ["ACCREC_FILE": file.path], input: report.descriptor)
            }
            running[file.number] = (file, child)
            Task { await follow(child, file) }
        } catch {
            retry(file, after: "\(error)")
        }
    }

    /// Waits for the end of a program, and ends it if it takes too long.
    private func follow(_ child: ChildProgram, _ file: CompleteFile) async {
        // The thread that waits has the time: a task that sleeps leaves a timer behind until it is due, for each program.
        let message = await withCheckedContinuation { continuation in
            DispatchQueue(label: "accrec.exec").async { [program, timeout] in
                let message = child.wait(atMost: .seconds(timeout), grace: Self.grace) {
                    file.tell("\(Self.subject(program, file)) runs for longer than --exec-timeout, and is ended")
                }
                continuation.resume(returning: message)
            }
        }
        running[file.number] = nil
        if let cause = ChildProgram.failure(child.reap()) {
            retry(file, after: cause + (message.map { ": \($0)" } ?? ""))
        } else {
            release(file)
        }
        startWaiting()
    }

    /// Runs the program again for a file after a wait, unless that was done often enough.
    private func retry(_ file: CompleteFile, after cause: String) {
        var file = file
        file.failureCount += 1
        // What the user ends is kept for the next recorder.
        guard !isEnding, file.failureCount <= retries else { return fail(file, cause, isKept: isEnding) }
        lastFailure = Status.Failure(file: file.path, message: cause)
        let delay = min(Double(1 << min(file.failureCount - 1, 16)), Self.longestDelay)
        file.tell(
            "\(Self.subject(program, file)) failed: \(cause). Trying again in \(Int(delay)) s (\(file.failureCount) of \(retries))."
        )
        let wait = Task { [clock, number = file.number] in
            await clock.sleep(delay)
            endWait(of: number)
        }
        delayed[file.number] = (file, wait)
    }

    private func endWait(of number: Int) {
        guard !isEnding, let (file, _) = delayed.removeValue(forKey: number) else { return }
        waiting.append(file)
        startWaiting()
    }

    private func fail(_ file: CompleteFile, _ cause: String, isKept: Bool = false) {
        hasFailed = true
        lastFailure = Status.Failure(file: file.path, message: cause)
        release(file, isKept: isKept)
        file.tell("\(Self.subject(program, file)) failed: \(cause)")
    }

    /// Lets go of a file that needs the program no more.
    ///
    /// - Parameter isKept: Whether the next recorder is to run the program for it.
    private func release(_ file: CompleteFile, isKept: Bool = false) {
        if let version = file.version { held.release(version, as: FileVersion(path: file.path)) }
        if !isKept { save() }
    }

    /// Keeps the files that need the program over a restart.
    private func save() {
        guard let record, !isEnding else { return }
        let pending = running.values.map(\.file) + delayed.values.map(\.file) + waiting
        let oldest = pending.sorted { $0.number < $1.number }.prefix(ExecRecord.capacity)
        let unfinished = Array(written.values) + repaired.values
        record.save(
            unfinished.map(ExecRecord.Entry.init) + oldest.compactMap { .init(path: $0.path, report: $0.report) })
    }

    private static func subject(_ program: Program, _ file: CompleteFile) -> String {
        "--exec: '\(program.path)' for '\(file.path)'"
    }
}

// MARK: - Files that are being written

extension ExecQueue {
    /// Notes a file that a recording has begun, for the next recorder should this one be killed. One that is to replace another
    /// is hidden until it is complete, and is left to `accrec repair`.
    private func begin(_ path: String, _ tell: @Sendable (String) -> Void) {
        guard record != nil else { return }
        if let file = UnfinishedFile(path: path) {
            guard file.isWritten else { return }
            written[path] = file
            save()
        } else if !hasToldOfUnrecognizable, UnfinishedFile.isUnrecognizable(path) {
            hasToldOfUnrecognizable = true
            let cause = UnfinishedFile.unrecognizableCause
            tell(
                "--exec: '\(program.path)' is not run for '\(path)' should this recorder be killed: \(cause). Run it yourself then."
            )
        }
    }

    /// Makes the file of a recorder that was killed readable, and runs the program for it. The recording does not wait for that.
    private func repair(_ file: UnfinishedFile, _ version: FileVersion, _ tell: @escaping @Sendable (String) -> Void) {
        repaired[file.path] = file
        Task {
            let result = await withCheckedContinuation { continuation in
                DispatchQueue(label: "accrec.exec").async { continuation.resume(returning: file.completed) }
            }
            endRepair(of: file, version, result, tell)
        }
    }

    private func endRepair(
        of file: UnfinishedFile, _ version: FileVersion, _ result: Result<OutputReport?, ACCAudioRecorderError>,
        _ tell: @escaping @Sendable (String) -> Void
    ) {
        repaired[file.path] = nil
        switch result {
        case .success(let report?):
            if let changed = report.versions.first { held.replace(version, by: changed) }
            tell(
                "'\(file.path)' has \(TimeText.clock(report.length.seconds, decimals: 3)): its recorder was killed. --exec runs for it."
            )
            add(report, tell)
            return
        // It is gone, or is another one.
        case .success(nil): break
        case .failure(let error):
            tell("--exec: '\(program.path)' is not run for a file whose recorder was killed: \(ErrorText.line(error))")
        }
        held.release(version, as: FileVersion(path: file.path))
        save()
        startWaiting()
    }
}

extension UnfinishedFile {
    fileprivate var completed: Result<OutputReport?, ACCAudioRecorderError> {
        do throws(ACCAudioRecorderError) { return .success(try complete()) } catch { return .failure(error) }
    }
}

extension ExecQueue {
    /// What the queue does, as `accrec ctl status` shows it.
    struct Status: Codable, Sendable, Equatable {
        struct Failure: Codable, Sendable, Equatable {
            let file: String
            let message: String
        }

        /// The files for which the program runs.
        let running: [String]
        /// The number of files that wait, also for another try.
        let waiting: Int
        /// The number of files for which the program has failed and is run again.
        let retrying: Int
        /// The last failure; nil without one.
        let lastFailure: Failure?
    }

    /// What the queue does now.
    var status: Status {
        let files = running.values.map(\.file).sorted { $0.number < $1.number }
        return Status(
            running: files.map(\.path), waiting: waiting.count + delayed.count,
            retrying: (files + waiting).count { $0.failureCount > 0 } + delayed.count, lastFailure: lastFailure)
    }
}
