import ACCAudioRecorder
import Synchronization

/// Several recordings at the bottom of the terminal: a row for each, with its name, its level and its state, the keys below, and
/// messages above.
///
/// Any thread may call. Nothing blocks on the terminal.
final class RecordingRows: Sendable {
    /// The row of one of them.
    struct Row: Sendable {
        let rows: RecordingRows
        let index: Int

        func show(_ status: RecordingStatus) { rows.show(status, at: index) }

        /// Writes lines, each with its line ending, above the rows; false if they are not on the screen.
        func tell(_ lines: String) -> Bool { rows.tell(lines) }
    }

    private let names: [String]
    private let style: TerminalStyle
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var statuses: [RecordingStatus?]
        /// What each key does; empty if none is read.
        var keys: [String] = []
        /// Nil while the rows are hidden.
        var screen: Screen?
    }

    private struct Screen: ~Copyable {
        var terminal: TerminalOutput
        var display: LiveDisplay
    }

    /// In columns.
    private static let (longestName, levelWidth) = (20, 12)

    init(of names: [String], style: TerminalStyle) {
        self.names = names.map {
            PrintableText.line($0, isUTF8: style.isUTF8).shortened(to: Self.longestName, style.glyphs.ellipsis)
        }
        self.style = style
        state = Mutex(State(statuses: names.map { _ in nil }))
    }

    /// Draws the rows from now on.
    ///
    /// - Parameter keys: What each key does; empty if none is read.
    func show(_ keys: [String] = []) {
        StandardError.settle()
        state.withLock { state in
            state.keys = keys
            guard state.screen == nil, let terminal = TerminalOutput() else { return }
            state.screen = Screen(terminal: terminal, display: LiveDisplay(hasColor: style.hasColor))
            draw(&state)
        }
    }

    /// Removes the rows. Output that the terminal has not accepted yet is written before later messages.
    func hide() {
        let rest = state.withLock { state -> [UInt8] in
            guard var screen = state.screen.take() else { return [] }
            screen.terminal.write(screen.display.end(in: StandardError.window))
            return screen.terminal.end()
        }
        StandardError.write(drawn: rest)
    }

    /// Redraws after a change of the window's size.
    func redraw() {
        state.withLock { draw(&$0) }
    }

    private func show(_ status: RecordingStatus, at index: Int) {
        state.withLock { state in
            state.statuses[index] = status
            draw(&state)
        }
    }

    private func tell(_ lines: String) -> Bool {
        state.withLock { state in
            guard state.screen != nil else { return false }
            let window = StandardError.window
            let rows = self.lines(state.statuses, keys: state.keys, in: window)
            let text = state.screen?.display.insert(lines, in: window) ?? ""
            let picture = state.screen?.display.update(rows, in: window) ?? ""
            state.screen?.terminal.write(text + picture)
            return true
        }
    }

    /// Skipped while the terminal is behind, because outdated rows are useless.
    private func draw(_ state: inout State) {
        guard state.screen?.terminal.isBehind == false else { return }
        let window = StandardError.window
        let rows = lines(state.statuses, keys: state.keys, in: window)
        let picture = state.screen?.display.update(rows, in: window) ?? ""
        if !picture.isEmpty { state.screen?.terminal.write(picture) }
    }

    /// As many rows as the window has room for, beside that of the shell; the keys only below all of them.
    func lines(_ statuses: [RecordingStatus?], keys: [String] = [], in window: WindowSize) -> [StyledLine] {
        let columns = max(window.columns - 1, 1)
        let width = names.map(\.displayWidth).max() ?? 0
        var rows = zip(names, statuses).prefix(max(window.rows - 1, 1)).map { name, status in
            var line = StyledLine()
            line.append(name, .strong)
            line.pad(to: width)
            if let status {
                let level = status.channels.map(\.held).max()
                let text = level.map { DecibelText.short($0, style.glyphs) + " dBFS" } ?? "-"
                line.append(text, level.map { LevelScale.ink($0) } ?? .faint, right: Self.levelWidth)
                line.append("  ")
                line.append(StatusLine(status: status, style: style).line(columns: max(columns - line.width, 1)))
            }
            line.cut(to: columns)
            return line
        }
        if !keys.isEmpty, rows.count + 1 < window.rows {
            var line = StyledLine()
            line.append(keys.joined(separator: "  "), .faint)
            line.cut(to: columns)
            rows.append(line)
        }
        return rows
    }
}
