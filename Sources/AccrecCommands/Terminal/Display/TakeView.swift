import ACCAudioRecorder

/// What a person sees of a take while it runs: the meter on a terminal, messages above it, or lines without it.
///
/// It draws at most twenty times a second, only what has changed, in one write, and not while another job has the
/// terminal.
actor TakeView {
    private static let shortestInterval = Duration.milliseconds(50)

    private let mode: DisplayMode
    private let style: TerminalStyle
    private(set) var status: TakeStatus
    private var ballistics = MeterBallistics()
    private var display: LiveDisplay
    private var graph: LevelGraph?
    private(set) var picture = LevelPicture()
    private var isShown = false
    private var lastDrawn = ContinuousClock.now - shortestInterval
    private var isDrawingDue = false
    private var lastProgress = 0.0
    private let outputs: [RecordingOutput]
    private var file: TakeFile?
    private var lastLookAtFile = 0.0

    /// - Parameters:
    ///   - limit: When the take ends by itself, in seconds.
    ///   - outputs: Where it goes; empty where nothing is recorded.
    init(limit: Double?, mode: DisplayMode, style: TerminalStyle, outputs: [RecordingOutput], graph: LevelGraph?) {
        self.outputs = outputs
        self.mode = mode
        self.style = style
        self.graph = graph
        display = LiveDisplay(hasColor: style.hasColor)
        status = TakeStatus()
        status.limit = limit
    }

    /// Takes the levels of a buffer.
    func take(_ levels: RecordingLevels) {
        if status.phase == .armed { status.phase = phaseAtWork }
        // The last of them may come after the word that the take rests.
        if status.phase == phaseAtWork { ballistics.update(levels) }
        status.elapsed = levels.timestamp
        status.clippedCount = levels.totalClippedCount
        let peak = levels.channels.lazy.map(\.peakDecibels).max() ?? LevelScale.floor
        picture.take(peak: peak, at: levels.timestamp)
        graph?.take(peak: peak, at: levels.timestamp)
        lookAtFile()
        tellProgress()
        drawSoon()
    }

    /// Takes what happens to the take.
    func take(_ event: RecordingEvent) {
        let before = status
        switch event {
        case .paused: rest(.paused)
        case .interrupted(let interruption): rest(.waiting(InterruptionText(interruption: interruption).text))
        case .resumed: status.phase = phaseAtWork
        case .gap(let gap):
            status.gapCount += 1
            status.secondsLost += gap.duration
        case .marker(let marker): status.markCount = marker.number
        case .fileCreated(let path):
            if file == nil { show(fileAt: path) }
        case .newFile(let path, let report):
            if report.path == file?.path { show(fileAt: path) }
        default: break
        }
        if status != before { drawSoon() }
    }

    /// Notes what the take is captured from, and in which form.
    func note(_ form: FormatText) {
        status.source = DisplayWidth.printable(form.source.description, isUTF8: style.isUTF8)
        status.sourceFormat = form.sourceFormat
        status.outputFormat = form.outputFormat
        drawSoon()
    }

    /// Asks whether the take is to be discarded.
    func ask() {
        status.prompt = .discardQuestion
        guard mode == .meter else { return tell("discard this take? y discards it, any other key keeps it.") }
        drawSoon()
    }

    /// Changes what is shown.
    func update(_ change: @Sendable (inout TakeStatus) -> Void) {
        let before = status
        change(&status)
        if status != before { drawSoon() }
    }

    /// Writes a line of its own, above the meter.
    func tell(_ message: String) {
        let window = StandardError.window
        let text = isShown ? display.erase(columns: window.columns) : ""
        let columns = StandardError.isTerminal ? window.columns : nil
        let lines = WrappedText(lines: ["accrec: \(message)"], columns: columns, indent: 8).text
        StandardError.write(text + lines + drawing(in: window))
    }

    /// Begins to draw.
    func show() {
        guard mode == .meter, !isShown else { return }
        isShown = true
        draw()
    }

    /// Takes the meter off the screen.
    func hide() {
        guard isShown else { return }
        StandardError.write(display.erase(columns: StandardError.window.columns))
        isShown = false
    }

    /// The window has another size.
    func redraw() {
        guard isShown else { return }
        draw()
    }

    private var phaseAtWork: TakeStatus.Phase { outputs.isEmpty ? .metering : .recording }

    /// Nothing is measured from now on.
    private func rest(_ phase: TakeStatus.Phase) {
        status.phase = phase
        ballistics.rest()
    }

    /// Of several outputs the first that is a file is shown.
    private func show(fileAt path: String) {
        guard var output = outputs.first else { return }
        output.destination = .file(path: path)
        guard let file = TakeFile(output, start: status.elapsed) else { return }
        self.file = file
        let others = outputs.count > 1 ? " +\(outputs.count - 1)" : ""
        status.file = DisplayWidth.printable(file.name, isUTF8: style.isUTF8) + others
        (status.byteCount, status.room) = (nil, nil)
    }

    /// What the disk says changes slowly.
    private func lookAtFile() {
        guard let file, abs(status.elapsed - lastLookAtFile) >= 0.5 else { return }
        lastLookAtFile = status.elapsed
        status.byteCount = file.byteCount
        status.room = file.room(at: status.elapsed)
    }

    private func drawSoon() {
        guard isShown, !isDrawingDue else { return }
        let wait = lastDrawn + Self.shortestInterval - .now
        guard wait > .zero else { return draw() }
        isDrawingDue = true
        Task {
            try? await Task.sleep(for: wait)
            isDrawingDue = false
            if isShown { draw() }
        }
    }

    private func draw() {
        let text = drawing(in: StandardError.window)
        if !text.isEmpty { StandardError.write(text) }
    }

    /// What brings the screen up to date.
    private func drawing(in window: WindowSize) -> String {
        guard isShown else { return "" }
        lastDrawn = .now
        status.channels = ballistics.channels
        ballistics.noteDrawn()
        let frame = MeterFrame(status: status, style: style, graph: graph)
        return display.update(frame.lines(in: window), columns: window.columns)
    }

    private func tellProgress() {
        guard mode == .progress, status.elapsed - lastProgress >= ProgressLine.interval else { return }
        lastProgress = status.elapsed
        status.channels = ballistics.channels
        ballistics.noteDrawn()
        StandardError.write("accrec: \(ProgressLine(status: status).text)\n")
    }
}
