import Glibc

/// Where messages and the meter go: standard output carries audio or data only.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Whether it is a terminal whose cursor can be moved, and that can be written to without waiting.
    static let canShowMeter =
        isTerminal && Environment.value("TERM") ?? "dumb" != "dumb" && TerminalOutput() != nil

    /// Writes the text whole, in one call where the system takes it. A closed standard error is no reason to
    /// end a take, so failures are not reported (there would be nowhere to).
    static func write(_ text: String) {
        write(Array(text.utf8))
    }

    /// Writes the bytes of a text.
    static func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            rest.removeFirst(count)
        }
    }

    /// Writes the lines of a report, each with its end; on a terminal, broken between words.
    static func write(lines: [String]) {
        let columns = isTerminal ? window.columns : nil
        write(WrappedText(lines: lines, columns: columns, indent: ReportText.labelWidth).text)
    }

    /// The size of the terminal's window; 80 by 24 where it does not say.
    static var window: WindowSize {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return WindowSize(columns: 80, rows: 24)
        }
        return WindowSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}
