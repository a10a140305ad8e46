import Glibc

/// Where messages and the meter go: standard output carries audio or data only.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Writes the text whole, in one call where the system takes it. A closed standard error is no reason to
    /// end a take, so failures are not reported (there would be nowhere to).
    static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(STDERR_FILENO, bytes.baseAddress! + written, bytes.count - written)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return }
                written += count
            }
        }
    }

    /// Writes a line of its own while a meter may be drawn, whose line it takes.
    static func notice(_ message: String) {
        write("\(isTerminal ? "\r\u{1B}[K" : "")accrec: \(message)\n")
    }

    /// The terminal's width in columns; 80 where it does not say.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
