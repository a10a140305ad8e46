/// The meter at the end of what the terminal shows, and messages above it. Nothing here waits for the terminal.
struct LiveMeter: ~Copyable {
    private var terminal: TerminalOutput
    private var frame: MeterFrame
    private var display: LiveDisplay
    private var window = StandardError.window

    /// Nil where the terminal cannot be had.
    init?(style: TerminalStyle) {
        guard let terminal = TerminalOutput() else { return nil }
        self.terminal = terminal
        frame = MeterFrame(style: style)
        display = LiveDisplay(hasColor: style.hasColor)
    }

    /// Whether the terminal has not taken all that was written. Offers it the rest.
    var isBehind: Bool {
        mutating get { terminal.isBehind }
    }

    /// Draws what has changed, in one write; not while the terminal is behind, for a picture that comes late is worth
    /// nothing.
    mutating func draw(_ status: TakeStatus, graph: LevelGraph?) {
        guard !terminal.isBehind else { return }
        let picture = picture(of: status, graph: graph)
        if !picture.isEmpty { terminal.write(picture) }
    }

    /// Writes lines above the meter, each with its end.
    mutating func tell(_ lines: String, above status: TakeStatus, graph: LevelGraph?) {
        let text = display.erase(columns: window.columns) + lines
        terminal.write(text + picture(of: status, graph: graph))
    }

    /// The window has another size.
    mutating func noteWindowChanged() {
        window = StandardError.window
    }

    /// Takes the meter off the screen.
    ///
    /// - Returns: What the terminal has not taken yet.
    consuming func end() -> [UInt8] {
        terminal.write(display.erase(columns: StandardError.window.columns))
        return terminal.end()
    }

    /// What brings the screen up to date.
    private mutating func picture(of status: TakeStatus, graph: LevelGraph?) -> String {
        display.update(frame.lines(of: status, graph: graph, in: window), columns: window.columns)
    }
}
