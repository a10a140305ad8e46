/// Draws the meter at the bottom of the terminal, and messages above it. Never blocks on the terminal.
struct LiveMeter: ~Copyable {
    private var terminal: TerminalOutput
    private var frame: MeterFrame
    private var display: LiveDisplay

    /// Nil if the terminal cannot be opened.
    ///
    /// - Parameter isLarge: Whether it is to fill the window.
    init?(style: TerminalStyle, isLarge: Bool) {
        guard let terminal = TerminalOutput() else { return nil }
        self.terminal = terminal
        frame = MeterFrame(style: style)
        display = LiveDisplay(hasColor: style.hasColor, usesSecondScreen: isLarge)
    }

    /// Whether the terminal has not accepted all output yet. Tries to write the rest.
    var isBehind: Bool {
        mutating get { terminal.isBehind }
    }

    /// Draws what has changed, in one write. Skipped while the terminal is behind, because an outdated frame is
    /// useless.
    mutating func draw(_ status: TakeStatus, graph: LevelGraph?) {
        guard !terminal.isBehind else { return }
        let picture = picture(of: status, graph: graph)
        if !picture.isEmpty { terminal.write(picture) }
    }

    /// Writes lines, each with its line ending, above the meter.
    mutating func tell(_ lines: String, above status: TakeStatus, graph: LevelGraph?) {
        let text = display.insert(lines, in: StandardError.window)
        terminal.write(text + picture(of: status, graph: graph))
    }

    /// Removes the meter from the screen.
    ///
    /// - Returns: Output that the terminal has not accepted yet.
    consuming func end() -> [UInt8] {
        terminal.write(display.end(in: StandardError.window))
        return terminal.end()
    }

    /// The output that updates the screen. Asks for the window's size each time, because the one before a resize would
    /// put lines in wrong places until the signal about it arrives.
    private mutating func picture(of status: TakeStatus, graph: LevelGraph?) -> String {
        let window = StandardError.window
        return display.update(frame.lines(of: status, graph: graph, in: window), in: window)
    }
}
