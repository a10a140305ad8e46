import ACCAudioRecorder
import Glibc
import Synchronization

/// Records the rows of a batch, several at once if requested.
actor BatchRun {
    private let plan: BatchPlan
    private let log: BatchLog
    private let options: Options
    private let screen: BatchScreen
    private let execQueue: ExecQueue?
    private let mode: RecordingView.Mode
    private let display: DisplayOptions
    private var isEnding = false
    /// The active recorders and the tasks that wait, by take number.
    private var recorders: [Int: ACCAudioRecorder] = [:]
    private var waits: [Int: Task<Void, any Error>] = [:]

    /// How long to wait before retrying a failed take.
    private static let retryInterval = Duration.seconds(1)

    init(
        _ plan: BatchPlan, log: BatchLog, options: Options, display: DisplayOptions, screen: BatchScreen,
        execQueue: ExecQueue?
    ) {
        self.execQueue = execQueue
        self.plan = plan
        self.log = log
        self.options = options
        self.screen = screen
        // Lines about the progress of several takes would be mixed up.
        mode = options.jobs > 1 && display.mode == .progress ? .messages : display.mode
        self.display = display
    }

    private func record(_ row: BatchPlan.Row, startingAt start: Int?) async {
        var isFirst = true
        for take in row.takes where !isEnding {
            if options.isContinued, await log.countIfComplete(take) { continue }
            if isFirst, let start {
                await wait(for: start, take)
            } else if !isFirst, row.pause > 0 {
                await wait(for: .after(row.pause, since: ClockReading.now.bootTime), take)
            }
            isFirst = false
            if !isEnding { await record(take) }
        }
    }

    private func record(_ take: BatchTake) async {
        var attempt = 1
        var files = options.isContinued ? take.existingFiles : []
        while true {
            let outcome = await self.attempt(take, replacing: files)
            files.formUnion(outcome.files)
            guard outcome.status == .failed, !outcome.isFinal, attempt <= options.retries, !isEnding else {
                await log.conclude(take, outcome, attempts: attempt)
                if outcome.status == .failed, options.failFast { end() }
                return
            }
            let cause = outcome.message ?? "failed."
            log.tell(
                "\(cause)\(cause.hasSuffix(".") ? "" : ".") Trying again (\(attempt) of \(options.retries)).", take)
            await interruptibleWait(take) { try await Task.sleep(for: Self.retryInterval) }
            attempt += 1
        }
    }

    private func attempt(_ take: BatchTake, replacing files: Set<FileVersion>) async -> BatchTake.Outcome {
        let recorder = ACCAudioRecorder(configuration: take.configuration)
        recorders[take.number] = recorder
        defer { recorders[take.number] = nil }
        let view = view(of: take)
        screen.add(view)
        defer { screen.remove(view) }
        let run = BatchTake.Attempt(
            take: take, recorder: recorder, replaceable: files, view: view, execQueue: execQueue)
        return await run.run(isEnding: { await self.isEnding }, tell: { [log] in log.tell($0, take) })
    }
}

// MARK: - Waiting

extension BatchRun {
    /// Waits, but no longer than until the batch ends.
    private func interruptibleWait(_ take: BatchTake, _ wait: @escaping @Sendable () async throws -> Void) async {
        guard !isEnding else { return }
        let task = Task { try await wait() }
        waits[take.number] = task
        _ = await task.result
        waits[take.number] = nil
    }

    /// Waits until a time, in seconds since 1970.
    private func wait(for start: Int, _ take: BatchTake) async {
        guard time(nil) < start else { return }
        log.mention("waiting until \(TimeText.dateAndTime(of: start))", take)
        await wait(for: .at(Double(start)), take)
    }

    /// Waits, and shows how long that takes.
    private func wait(for appointment: Appointment, _ take: BatchTake) async {
        let view = view(of: take)
        screen.add(view)
        await interruptibleWait(take) {
            await appointment.wait(lead: SourceMeter.lead) { view.model.begins(in: $0) }
            let meter = view.showsUnrecordedLevels ? SourceMeter(take.configuration, in: view) : nil
            await appointment.wait { view.model.begins(in: $0) }
            _ = consume meter
        }
        screen.remove(view)
    }

    private func view(of take: BatchTake) -> RecordingView {
        RecordingView(of: take, among: plan.takeCount, mode: mode, display)
    }
}

extension BatchRun {
    /// Records all takes and counts the results.
    func run(under job: JobControl) async -> BatchLog.Tally {
        // Times of day refer to the first occurrence after this.
        let begin = time(nil)
        // With several takes running it would be unclear which one a request to pause or split is about.
        await job.begin(obey: { if case .finish = $0 { await self.end() } })
        if mode == .meter { await job.acquireTerminal() }
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for row in plan.rows {
                if running == options.jobs {
                    await group.next()
                    running -= 1
                }
                guard !isEnding else { break }
                group.addTask { await self.record(row, startingAt: row.start?.instant(after: begin)) }
                running += 1
            }
        }
        await job.end()
        return await log.tally
    }

    /// Ends the running takes and starts no more.
    private func end() {
        isEnding = true
        for recorder in recorders.values {
            Task { await recorder.finishRecording() }
        }
        for task in waits.values { task.cancel() }
    }
}

/// The terminal during a batch without prompts: messages, and below them the meter of the take that is being recorded,
/// or of the first of several. What is typed is discarded.
final class BatchScreen: JobControl.Screen {
    private struct State {
        /// The takes that are recorded or waited for, in the order in which they began.
        var views: [RecordingView] = []
        /// Whether the terminal is ours.
        var isPresent = false
    }

    private let state = Mutex(State())

    func show(hasKeys: Bool) {
        state.withLock { state in
            state.isPresent = true
            state.views.first?.show()
        }
    }

    func hide() {
        state.withLock { state in
            state.isPresent = false
            state.views.first?.hide()
        }
    }

    /// Adds a take that begins or is waited for.
    func add(_ view: RecordingView) {
        state.withLock { state in
            state.views.append(view)
            if state.isPresent, state.views.count == 1 { view.show() }
        }
    }

    /// Removes a take.
    func remove(_ view: RecordingView) {
        state.withLock { state in
            view.hide()
            state.views.removeAll { $0 === view }
            if state.isPresent { state.views.first?.show() }
        }
    }

    /// Writes lines above the meter.
    func write(lines: [String]) {
        state.withLock { state in
            if let view = state.views.first { view.write(lines: lines) } else { StandardError.write(lines: lines) }
        }
    }

    func redraw() {
        state.withLock { $0.views.first?.redraw() }
    }
}
