import ACCAudioRecorder
import Synchronization

/// What a person sees of a take while it runs: the meter on a terminal, messages above it, or lines without it.
///
/// The recording's own thread brings the levels and draws them, which is cheaper than to wake another; so nothing is waited
/// for with the lock held, neither the terminal nor a disk.
final class TakeView: Sendable {
    /// How often the disk is asked, in seconds.
    private static let fileInterval = 1.0
    /// How often a terminal that takes nothing is tried again.
    private static let retryInterval = Duration.milliseconds(200)

    private let mode: DisplayMode
    private let style: TerminalStyle
    private let outputs: [RecordingOutput]
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var status = TakeStatus()
        var ballistics = MeterBallistics()
        var graph: LevelGraph?
        var picture = LevelPicture()
        /// Nil while it is not shown.
        var meter: LiveMeter?
        var file: TakeFile?
        /// Whether a task offers the terminal what it has not taken.
        var isCatchingUp = false
        /// When the disk was asked, and a line was written, in the time of the take.
        var lastLookAtFile = 0.0
        var lastProgress = 0.0

        mutating func draw() {
            takeChannels()
            meter?.draw(status, graph: graph)
        }

        /// What is shown of the channels is what was measured since this was called last.
        mutating func takeChannels() {
            status.channels = ballistics.channels
            ballistics.noteDrawn()
        }

        /// Nothing is measured from now on.
        mutating func rest(_ phase: TakeStatus.Phase) {
            status.phase = phase
            ballistics.rest()
        }
    }

    /// - Parameters:
    ///   - limit: When the take ends by itself, in seconds.
    ///   - outputs: Where it goes; empty where nothing is recorded.
    init(limit: Double?, mode: DisplayMode, style: TerminalStyle, outputs: [RecordingOutput], graph: LevelGraph?) {
        self.mode = mode
        self.style = style
        self.outputs = outputs
        var state = State(graph: graph)
        state.status.limit = limit
        self.state = Mutex(state)
    }

    /// Lets later recordings bring their levels here.
    func follow(_ recorder: ACCAudioRecorder) async {
        guard let interval = levelInterval else { return }
        await recorder.setLevelObserver(every: interval) { self.take($0) }
    }

    /// How far apart pictures are, in seconds: of a take so far that they cost little, and while a gain is set so close
    /// that they seem to move. Nil where levels are not looked at.
    private var levelInterval: Double? {
        switch mode {
        case .meter: outputs.isEmpty ? 0.04 : 0.15
        case .progress: 0.3
        case .messages: nil
        }
    }

    var status: TakeStatus { state.withLock { $0.status } }

    /// The level over the length of the take.
    var picture: LevelPicture { state.withLock { $0.picture } }

    /// Takes the levels of some frames. Waits for nothing.
    private func take(_ levels: RecordingLevels) {
        state.withLock { state in
            let time = levels.timestamp
            if state.status.phase == .armed { state.status.phase = phaseAtWork }
            // The last of them may come after the word that the take rests.
            if state.status.phase == phaseAtWork { state.ballistics.update(levels) }
            state.status.elapsed = time
            state.status.clippedCount = levels.totalClippedCount
            let peak = levels.channels.max { $0.peak < $1.peak }?.peakDecibels ?? LevelScale.floor
            state.picture.take(peak: peak, at: time)
            state.graph?.take(peak: peak, at: time)
            if time - state.lastLookAtFile >= Self.fileInterval { lookAtFile(&state) }
            if mode == .progress, time - state.lastProgress >= ProgressLine.interval { tellProgress(&state) }
            state.draw()
        }
    }

    /// Takes what happens to the take.
    func take(_ event: RecordingEvent) {
        change { state in
            switch event {
            case .paused: state.rest(.paused)
            case .interrupted(let interruption): state.rest(.waiting(InterruptionText(interruption: interruption).text))
            case .resumed: state.status.phase = phaseAtWork
            case .gap(let gap):
                state.status.gapCount += 1
                state.status.secondsLost += gap.duration
            case .marker(let marker): state.status.markCount = marker.number
            case .fileCreated(let path):
                if state.file == nil { show(fileAt: path, &state) }
            case .newFile(let path, let report):
                if report.path == state.file?.path { show(fileAt: path, &state) }
            default: break
            }
        }
    }

    /// Notes what the take is captured from, and in which form.
    func note(_ form: FormatText) {
        update { status in
            status.source = DisplayWidth.printable(form.source.description, isUTF8: style.isUTF8)
            status.sourceFormat = form.sourceFormat
            status.outputFormat = form.outputFormat
        }
    }

    /// Asks whether the take is to be discarded.
    func ask() {
        update { $0.prompt = .discardQuestion }
        if mode != .meter { tell("discard this take? y discards it, any other key keeps it.") }
    }

    /// Changes what is shown.
    func update(_ change: (inout TakeStatus) -> Void) {
        self.change { change(&$0.status) }
    }

    /// Writes a line of its own, above the meter.
    func tell(_ message: String) {
        let columns = StandardError.isTerminal ? StandardError.window.columns : nil
        let lines = WrappedText(lines: ["accrec: \(message)"], columns: columns, indent: 8).text
        let hasMeter = state.withLock { state in
            defer { catchUp(&state) }
            return state.meter?.tell(lines, above: state.status, graph: state.graph) != nil
        }
        if !hasMeter { StandardError.write(lines) }
    }

    /// Begins to draw.
    func show() {
        guard mode == .meter else { return }
        state.withLock { state in
            guard state.meter == nil else { return }
            state.meter = LiveMeter(style: style)
            state.draw()
        }
    }

    /// Takes the meter off the screen; waits until the terminal has all that was written.
    func hide() {
        StandardError.write(state.withLock { $0.meter.take()?.end() ?? [] })
    }

    /// The window has another size.
    func redraw() {
        state.withLock { state in
            state.meter?.noteWindowChanged()
            state.draw()
        }
    }

    private var phaseAtWork: TakeStatus.Phase { outputs.isEmpty ? .metering : .recording }

    private func change(_ change: (inout State) -> Void) {
        state.withLock { state in
            let before = state.status
            change(&state)
            guard state.status != before else { return }
            state.draw()
            catchUp(&state)
        }
    }

    /// Offers a terminal that takes nothing what it has missed until it takes it: a take that is paused has no next picture.
    private func catchUp(_ state: inout State) {
        guard state.meter?.isBehind == true, !state.isCatchingUp else { return }
        state.isCatchingUp = true
        Task {
            repeat {
                // A look now and then: to be told would take a watch on the terminal, for what hardly ever happens.
                try? await Task.sleep(for: Self.retryInterval)
            } while self.state.withLock { state in
                state.draw()
                state.isCatchingUp = state.meter?.isBehind == true
                return state.isCatchingUp
            }
        }
    }

    private func tellProgress(_ state: inout State) {
        state.lastProgress = state.status.elapsed
        state.takeChannels()
        let line = ProgressLine(status: state.status).text
        Task { StandardError.write("accrec: \(line)\n") }
    }
}

// MARK: - The file

extension TakeView {
    /// Of several outputs the first that is a file is shown.
    private func show(fileAt path: String, _ state: inout State) {
        guard var output = outputs.first else { return }
        output.destination = .file(path: path)
        guard let file = TakeFile(output, start: state.status.elapsed) else { return }
        state.file = file
        let others = outputs.count > 1 ? " +\(outputs.count - 1)" : ""
        state.status.file = DisplayWidth.printable(file.name, isUTF8: style.isUTF8) + others
        (state.status.byteCount, state.status.room) = (nil, nil)
    }

    /// Asks the disk, in a task, for it may take its time.
    private func lookAtFile(_ state: inout State) {
        let time = state.status.elapsed
        state.lastLookAtFile = time
        guard let file = state.file else { return }
        Task {
            let (byteCount, room) = (file.byteCount, file.room(at: time))
            self.state.withLock { state in
                guard state.file?.path == file.path else { return }
                (state.status.byteCount, state.status.room) = (byteCount, room)
            }
        }
    }
}
