import ACCAudioRecorder

/// Records takes one after the other, controlled by the person who reads the prompts.
actor PromptRun {
    private let takes: [BatchTake]
    private let log: BatchLog
    private let isContinued: Bool
    private let display: DisplayOptions
    private let execQueue: ExecQueue?
    private var machine = PromptMachine(complete: [])
    private let inputs: AsyncStream<Input>
    private let continuation: AsyncStream<Input>.Continuation
    private var recorder: ACCAudioRecorder?
    private var view: RecordingView?
    private var playback: Playback?
    private var isEnding = false
    /// The number of attempts by take, and the files that a further attempt may replace: those of the earlier ones.
    private var tried: [Int: Int] = [:]
    private var files: [Int: Set<FileVersion>] = [:]

    /// The inputs of the state machine.
    private enum Input: Sendable {
        case key(KeyPress)
        case recorded(BatchTake.Outcome)
        case heard
        case end
    }

    init(_ plan: BatchPlan, log: BatchLog, isContinued: Bool, display: DisplayOptions, execQueue: ExecQueue?) {
        self.execQueue = execQueue
        takes = plan.rows.flatMap(\.takes)
        self.log = log
        self.isContinued = isContinued
        self.display = display
        (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
    }

    private var take: BatchTake { takes[machine.index] }

    private func perform(_ action: PromptMachine.Action) async {
        switch action {
        case .nothing: return
        case .record: await record()
        case .endRecording:
            Task { [recorder] in await recorder?.finishRecording() }
        case .listen:
            showKeys()
            listen()
        case .stopListening: playback?.stop()
        case .leaveOut(let index):
            await log.conclude(takes[index], BatchTake.Outcome(status: .skipped), attempts: 0)
            show()
        case .show: show()
        case .showKeys: showKeys()
        }
    }

    /// Records the result of the take.
    private func conclude(_ outcome: BatchTake.Outcome) async {
        view?.hide()
        (view, recorder) = (nil, nil)
        files[take.number]?.formUnion(outcome.files)
        await log.conclude(take, outcome, attempts: tried[take.number] ?? 1)
        machine.recorded(isComplete: outcome.status.isComplete)
        showKeys()
    }

    private func record() async {
        showKeys()
        let take = take
        let attempt = tried[take.number, default: 0] + 1
        tried[take.number] = attempt
        let replaceable = files[take.number] ?? (isContinued ? take.existingFiles : [])
        files[take.number] = replaceable
        let recorder = ACCAudioRecorder(configuration: take.configuration)
        let view = RecordingView(of: take, among: takes.count, mode: display.mode, display)
        (self.recorder, self.view) = (recorder, view)
        view.show()
        let run = BatchTake.Attempt(
            take: take, recorder: recorder, replaceable: replaceable, view: view, execQueue: execQueue)
        Task { [continuation] in
            let outcome = await run.run(isEnding: { await self.isEnding }, tell: { view.tell($0) })
            continuation.yield(.recorded(outcome))
        }
    }

    private func listen() {
        guard let path = take.paths.first else { return }
        let playback = Playback(path: path, serverName: take.configuration.capture.serverName)
        self.playback = playback
        Task { [continuation, log, take] in
            do {
                try await playback.play()
            } catch {
                log.tell("\(error)", take)
            }
            continuation.yield(.heard)
        }
    }
}

// MARK: - Display

extension PromptRun {
    private func show() {
        guard machine.phase != .over else { return }
        let text = Text(take: take, count: takes.count, style: display.style)
        StandardError.write(lines: text.heading)
        StandardError.write(lines: text.lines, indent: Text.indent, ink: text.ink)
        showKeys()
    }

    private func showKeys() {
        guard machine.phase != .over else { return }
        let lines = [machine.phase.keys.helpTexts.joined(separator: "  ")]
        if let view { view.write(lines: lines) } else { StandardError.write(lines: lines) }
    }
}

extension PromptRun {
    /// Records all takes and counts the results.
    func run(under job: JobControl) async -> BatchLog.Tally {
        await job.begin {
            self.continuation.yield(.key($0))
        } obey: {
            if case .finish = $0 { await self.end() }
        }
        var complete: [Bool] = []
        for take in takes { complete.append(isContinued ? await log.countIfComplete(take) : false) }
        machine = PromptMachine(complete: complete)
        if machine.phase == .over { continuation.finish() } else { await job.acquireTerminal() }
        for await input in inputs where machine.phase != .over {
            switch input {
            case .key(let press):
                if let key = machine.phase.keys[press] { await perform(machine.press(key)) }
            case .end: await perform(machine.leave())
            case .recorded(let outcome): await conclude(outcome)
            case .heard:
                playback = nil
                machine.heard()
                showKeys()
            }
            if machine.phase == .over { continuation.finish() }
        }
        await job.end()
        return await log.tally
    }

    /// Ends the running take and starts no more.
    private func end() {
        isEnding = true
        continuation.yield(.end)
    }
}

extension PromptRun: JobControl.Screen {
    func show(hasKeys: Bool) {
        if let view { view.show() } else { show() }
    }

    func hide() {
        view?.hide()
    }

    func redraw() {
        view?.redraw()
    }
}

extension PromptRun {
    /// What the person who is recorded sees of a take: its number and its text.
    private struct Text {
        let take: BatchTake
        /// The number of takes in the batch.
        let count: Int
        let style: TerminalStyle

        /// The indentation of the text, in columns.
        static let indent = 4

        /// The number and name of the take.
        var heading: [String] { ["", BatchLog.subject(take, of: count)] }

        /// The lines of the prompt; empty if it has none.
        var lines: [String] {
            guard let prompt = take.prompt else { return [] }
            return prompt.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                String(repeating: " ", count: Self.indent) + PrintableText.line(String(line), isUTF8: style.isUTF8)
            }
        }

        var ink: StyledLine.Ink { style.hasColor ? .strong : .plain }
    }

    /// Plays a file on the default sink of the server it was recorded from, until its end or until it is stopped.
    private final class Playback: Sendable {
        private let path: String
        private let player: AudioPlayer

        /// - Parameter serverName: Nil for libpulse's default server.
        init(path: String, serverName: String?) {
            self.path = path
            player = AudioPlayer(path: path, serverName: serverName)
        }

        func play() async throws(RunFailure) {
            do {
                _ = try await player.play()
            } catch {
                let cause = (error as? ACCAudioRecorderError)?.failure?.cause ?? "\(error)"
                throw RunFailure("cannot play '\(path)'", cause, "The recording itself is kept.")
            }
        }

        /// Requests the end of the playback. Can be called on any thread.
        func stop() {
            player.stop()
        }
    }
}
