import ACCAudioRecorder
import Glibc
import Synchronization

/// The display of a running recording: the meter on a terminal with messages above it, or plain lines.
///
/// The recording's own thread delivers the levels and draws them, which is cheaper than waking another thread. Nothing
/// may block on the terminal or the disk while holding the lock.
final class RecordingView: Sendable {
    /// How a recording is displayed.
    enum Mode {
        /// The level meter, on a terminal.
        case meter
        /// A progress line every few seconds.
        case progress
        /// Messages only.
        case messages
    }

    /// How often to query the file's size, in seconds.
    private static let refreshInterval = 1.0
    /// The interval between two progress lines, in seconds of the recording.
    private static let progressInterval = 5.0
    /// How often to retry a terminal that accepts no output.
    private static let retryInterval = Duration.milliseconds(200)

    let model: RecordingModel
    private let mode: Mode
    private let style: TerminalStyle
    private let outputs: [RecordingOutput]
    /// What precedes the file's name, and what precedes messages.
    private let (prefix, label): (String, String)
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var status = RecordingStatus()
        var ballistics = MeterBallistics()
        var graph: LevelGraph?
        var overview = LevelOverview()
        /// Nil while it is hidden.
        var meter: LiveMeter?
        /// What shows the recording among others.
        let row: RecordingRows.Row?
        var file: File?
        /// Whether a task is writing output that the terminal did not accept at first.
        var isCatchingUp = false
        var totalClippedCount = 0
        /// The clipped samples before the last reset.
        var clippedBefore = 0
        /// The last query of the file, and the last progress line, in seconds since the start of the
        /// recording, or of a pause.
        var lastRefresh = 0.0
        var lastProgress = 0.0
        /// Measures the source while it is not recorded.
        weak var sourceRecorder: ACCAudioRecorder?

        mutating func draw() {
            updateChannels()
            meter?.draw(status, graph: graph)
            row?.show(status)
        }

        /// Updates the displayed channels with the levels since the last call.
        mutating func updateChannels() {
            status.channels = ballistics.channels
            status.isSilent = ballistics.isSilent
            ballistics.didDraw()
        }

        /// Whether the levels are those that this recorder measures.
        func showsLevels(by recorder: ObjectIdentifier) -> Bool {
            status.levelsAreUnrecorded && sourceRecorder.map(ObjectIdentifier.init) == recorder
        }

        /// Empties the levels.
        mutating func clearLevels() {
            ballistics.clear()
            updateChannels()
        }

        /// Empties the levels of a source that is not being recorded, and says why.
        mutating func interruptSource(by interruption: RecordingInterruption) {
            clearLevels()
            status.isMuted = false
            status.sourceInterruption = InterruptionText(interruption, since: time(nil))
        }

        /// Follows the state of the recording, whose phases have levels of their own, or none.
        mutating func follow(_ recording: RecordingProgress) {
            let hasLevelsOfItsOwn = recording.stretch != status.recording.stretch
            status.recording = recording
            guard hasLevelsOfItsOwn else { return }
            ballistics.clear()
            status.sourceInterruption = nil
            // Not known of a source that is gone.
            if case .waiting = recording.phase { status.isMuted = false }
            lastRefresh = status.levelsAreUnrecorded ? 0 : status.elapsed
        }
    }

    /// - Parameters:
    ///   - model: The recording, which has no other view.
    ///   - limit: The time limit in seconds; nil for none.
    ///   - outputs: Empty if nothing is recorded.
    ///   - prefix: Shown before the file's name.
    ///   - label: Written before messages.
    ///   - row: Shows the recording among others.
    init(
        of model: RecordingModel, limit: Double? = nil, mode: Mode, style: TerminalStyle,
        outputs: [RecordingOutput],
        prefix: String = "", label: String = "", row: RecordingRows.Row? = nil, graph: LevelGraph? = nil,
        showsLoudness: Bool = false
    ) {
        self.model = model
        self.mode = mode
        self.style = style
        self.outputs = outputs
        (self.prefix, self.label) = (prefix, label)
        var state = State(graph: graph, row: row)
        state.status.limit = limit
        state.status.showsLoudness = showsLoudness
        state.status.recording = model.state
        // A name with placeholders is known once the file is there.
        let planned = mode == .meter ? outputs.first.flatMap { File($0)?.name } : nil
        state.status.file = planned.map { Self.text(ofFile: $0, of: outputs, prefix: prefix, style) }
        self.state = Mutex(state)
        model.onChange { [weak self] in self?.change() }
    }

    /// Shows the levels of the recorder's next recordings.
    ///
    /// - Parameters:
    ///   - pass: Gets them too, from the engine's thread; nil where nobody else wants them.
    ///   - passInterval: How often it wants them, in seconds.
    func follow(
        _ recorder: ACCAudioRecorder, passing pass: (@Sendable (RecordingLevels) -> Void)? = nil,
        every passInterval: Double = .infinity
    ) async {
        let interval = min(levelInterval ?? .infinity, passInterval)
        guard interval < .infinity else { return }
        let isShown = levelInterval != nil
        await recorder.setLevelObserver(every: .seconds(interval)) { levels in
            if isShown { self.receive(levels) }
            pass?(levels)
        }
    }

    /// Shows the levels that this recorder measures while the recording is paused, listens or is waited for.
    func followUnrecorded(_ recorder: ACCAudioRecorder) async {
        guard let interval = levelInterval else { return }
        state.withLock { $0.sourceRecorder = recorder }
        // Levels of an earlier recorder, which may still arrive, have times of their own.
        let id = ObjectIdentifier(recorder)
        await recorder.setLevelObserver(every: .seconds(interval)) { self.receive(unrecorded: $0, by: id) }
    }

    /// Whether levels are of use while the recording is paused, listens or is waited for.
    var showsUnrecordedLevels: Bool { mode == .meter }

    /// The interval between level updates in seconds, or nil if levels are not shown: long during a recording, to save
    /// CPU time, and short when metering, so that the bars move smoothly.
    var levelInterval: Double? {
        switch mode {
        case .meter: outputs.isEmpty ? 0.04 : 0.15
        case .progress: 0.3
        // A row is drawn for the eye, not for setting levels.
        case .messages: isOneOfSeveral ? 0.3 : nil
        }
    }

    /// Whether it is shown in a row among other recordings.
    var isOneOfSeveral: Bool { state.withLock { $0.row != nil } }

    var status: RecordingStatus { state.withLock { $0.status } }

    /// The level overview of the recording.
    var overview: LevelOverview { state.withLock { $0.overview } }

    /// Updates levels. Does not block.
    func receive(_ levels: RecordingLevels) {
        model.update { $0.beginWork() }
        state.withLock { state in
            let time = levels.timestamp
            // Levels may still arrive after the recording was paused or interrupted.
            if state.status.isAtWork {
                state.ballistics.update(levels)
                refresh(&state, at: time)
            }
            state.status.elapsed = time
            state.status.loudness = levels.loudness
            state.totalClippedCount = levels.totalClippedCount
            state.status.clippedCount = state.totalClippedCount - state.clippedBefore
            let peak = levels.channels.max { $0.peak < $1.peak }?.peakDecibels ?? LevelScale.floor
            state.status.highestPeak = max(state.status.highestPeak, peak)
            state.overview.append(peak: peak, at: time)
            state.graph?.append(peak: peak, at: time)
            if mode == .progress, time - state.lastProgress >= Self.progressInterval { tellProgress(&state) }
            state.draw()
        }
    }

    /// Updates the levels of a recording that is paused, listens or is waited for. Does not block.
    func receive(unrecorded levels: RecordingLevels, by recorder: ObjectIdentifier) {
        state.withLock { state in
            guard state.showsLevels(by: recorder), state.status.sourceInterruption == nil else { return }
            state.ballistics.update(levels, isRecorded: false)
            refresh(&state, at: levels.timestamp)
            state.draw()
        }
    }

    /// Updates the display for an event of the recorder that `followUnrecorded` was given.
    func receive(unrecorded event: RecordingEvent, of recorder: ACCAudioRecorder) {
        change { state in
            guard state.showsLevels(by: ObjectIdentifier(recorder)) else { return }
            switch event {
            case .opened, .resumed: state.status.sourceInterruption = nil
            case .interrupted(let interruption): state.interruptSource(by: interruption)
            case .muted: state.status.isMuted = true
            case .unmuted: state.status.isMuted = false
            default: break
            }
        }
    }

    /// Empties the levels of a source that cannot be measured for now.
    ///
    /// - Parameters:
    ///   - recorder: The one that `followUnrecorded` was given.
    ///   - interruption: What the source is away for, if that is known.
    func clearUnrecordedLevels(of recorder: ACCAudioRecorder, by interruption: RecordingInterruption? = nil) {
        change { state in
            guard state.showsLevels(by: ObjectIdentifier(recorder)) else { return }
            state.clearLevels()
            if let interruption, state.status.sourceInterruption == nil { state.interruptSource(by: interruption) }
        }
    }

    /// Updates the display for an event, which the model has received.
    func receive(_ event: RecordingEvent) {
        switch event {
        case .muted: change { $0.status.isMuted = true }
        case .unmuted: change { $0.status.isMuted = false }
        default: break
        }
    }

    /// Resets held peaks and clipping in the meter; the report still has all.
    func resetPeaks() {
        change { state in
            state.ballistics.resetPeaks()
            state.clippedBefore = state.totalClippedCount
            state.status.clippedCount = 0
            state.status.highestPeak = DecibelText.silence
            state.updateChannels()
        }
    }

    /// Sets the source and the formats.
    ///
    /// - Parameter isOpen: Whether its levels follow; if not, the source that is known already stays.
    func setFormat(
        of source: AudioSource, _ configuration: ACCAudioRecorder.Configuration, isOpen: Bool = true
    ) {
        let output = outputs.first.flatMap { try? configuration.resolve($0, from: source) }
        model.update { if isOpen || $0.source.isEmpty { $0.source = source.description } }
        update { status in
            guard isOpen || status.source.isEmpty else { return }
            status.source = PrintableText.line(source.description, isUTF8: style.isUTF8)
            status.sourceFormat = source.sampleSpec.shortDescription
            status.outputFormat = output?.description
            if isOpen {
                status.labels = configuration.channelLabels(recording: source)
                    .map { PrintableText.line($0, isUTF8: style.isUTF8) }
            }
        }
    }

    /// Asks whether to discard the recording.
    func ask() {
        update { $0.prompt = .discardQuestion }
        if mode != .meter { tell(state.withLock { $0.status.discarding.line(after: $0.status.elapsed) }) }
    }

    /// Changes what is displayed beside the recording's state.
    func update(_ change: (inout RecordingStatus) -> Void) {
        self.change { change(&$0.status) }
    }

    /// Writes a message, above the meter if there is one.
    func tell(_ message: String) {
        let message = label + message
        if !writeAboveMeter(StandardError.text(of: message)) { StandardError.tell(message) }
    }

    /// Writes lines, above the meter if there is one.
    func write(lines: [String]) {
        if !writeAboveMeter(StandardError.text(of: lines)) { StandardError.write(lines: lines) }
    }

    /// False if there is no meter.
    private func writeAboveMeter(_ text: String) -> Bool {
        state.withLock { state in
            defer { catchUp(&state) }
            if let row = state.row { return row.tell(text) }
            return state.meter?.tell(text, above: state.status, graph: state.graph) != nil
        }
    }

    /// Lets text be written by other means, below which the meter is drawn again.
    func yield(to write: () -> Void) {
        let hasMeter = state.withLock { $0.meter != nil }
        if hasMeter { hide() }
        write()
        if hasMeter { show() }
    }

    /// Forgets the levels of a take that has ended.
    func beginNextTake() {
        change { state in
            state.overview = LevelOverview()
            (state.file, state.totalClippedCount, state.clippedBefore) = (nil, 0, 0)
            (state.lastRefresh, state.lastProgress) = (0, 0)
            state.status.reset()
            state.ballistics.resetPeaks()
            state.clearLevels()
        }
    }

    /// Starts drawing the meter.
    func show() {
        guard mode == .meter else { return }
        // Earlier messages stay above.
        StandardError.settle()
        state.withLock { state in
            guard state.meter == nil else { return }
            // Messages about a recording stay on the screen.
            state.meter = LiveMeter(style: style, isLarge: state.graph != nil && outputs.isEmpty)
            state.draw()
        }
    }

    /// Removes the meter. Output that the terminal has not accepted yet is written before later messages.
    func hide() {
        StandardError.write(drawn: state.withLock { $0.meter.take()?.end() ?? [] })
    }

    /// Redraws after a change of the window's size.
    func redraw() {
        state.withLock { $0.draw() }
    }

    /// Changes the displayed status, after the state of the recording.
    private func change(_ change: (inout State) -> Void = { _ in }) {
        state.withLock { state in
            let before = state.status
            // Read under the lock, so that the newest state stays.
            state.follow(model.state)
            if let file = state.status.recording.file, !file.isComplete, file != before.recording.file {
                show(fileAt: file.path, &state)
            }
            change(&state)
            guard state.status != before else { return }
            state.draw()
            catchUp(&state)
        }
    }

    /// Retries until the terminal has accepted all output, since a paused recording draws no next frame.
    private func catchUp(_ state: inout State) {
        guard state.meter?.isBehind == true, !state.isCatchingUp else { return }
        state.isCatchingUp = true
        Task {
            repeat {
                // Polling is enough here: it hardly ever happens, and being notified would need a watch on the
                // terminal.
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
        state.updateChannels()
        StandardError.tell(state.status.progressLine(style.glyphs))
    }
}

// MARK: - The file

extension RecordingView {
    /// If there are several outputs, only the file of the first is shown.
    private func show(fileAt path: String, _ state: inout State) {
        guard var output = outputs.first else { return }
        output.destination = .file(path: path)
        guard let file = File(output, start: state.status.elapsed) else { return }
        state.status.fileStart = state.file == nil ? nil : state.status.elapsed
        state.file = file
        state.status.file = Self.text(ofFile: file.name, of: outputs, prefix: prefix, style)
        (state.status.byteCount, state.status.room) = (nil, nil)
    }

    /// The name of the first output's file, with the number of the other outputs.
    private static func text(
        ofFile name: String, of outputs: [RecordingOutput], prefix: String, _ style: TerminalStyle
    ) -> String {
        let others = outputs.count > 1 ? " +\(outputs.count - 1)" : ""
        return prefix + PrintableText.line(name, isUTF8: style.isUTF8) + others
    }

    /// Queries the file's size in a task, because the disk may be slow.
    ///
    /// - Parameter time: In seconds since the start of the recording or of the pause.
    private func refresh(_ state: inout State, at time: Double) {
        // The times of a source that was opened again begin at 0.
        guard time - state.lastRefresh >= Self.refreshInterval || time < state.lastRefresh else { return }
        state.lastRefresh = time
        let (file, elapsed) = (state.file, state.status.elapsed)
        Task {
            let (byteCount, room) = (file?.byteCount, file?.room(at: elapsed))
            self.state.withLock { state in
                guard state.file?.path == file?.path else { return }
                (state.status.byteCount, state.status.room) = (byteCount, room)
            }
        }
    }
}
