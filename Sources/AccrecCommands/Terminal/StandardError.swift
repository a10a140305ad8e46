import ACCAudioRecorder
import Glibc
import Synchronization

/// Standard error, used for messages and the meter. Standard output carries audio or data only.
///
/// Lines are made printable (`PrintableText`). Writing does not block.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Whether it is a terminal with a movable cursor that can be written to without blocking.
    static let canShowMeter =
        isTerminal && Environment.Variable.terminal.value ?? "dumb" != "dumb" && TerminalOutput() != nil

    /// Errors are ignored: a closed standard error must not end a recording, and there is nowhere to report them.
    private static let writer = BoundedWriter(STDERR_FILENO, label: "accrec.messages", capacity: 1 << 18)
    /// How long the end of the program waits for a reader that accepts nothing, in seconds.
    private static let finishTimeout = 2.0
    /// The indentation of a message's continuation lines.
    private static let messageIndent = 8
    /// The width of a report's first column, which labels each line. Continuation lines are indented by it.
    static let labelWidth = 10

    /// Writes a message with the prefix `accrec: `.
    static func tell(_ message: String) {
        write(text(of: message))
    }

    /// Writes a message, and below it lines of its own that it announces.
    static func tell(_ lines: [String]) {
        write(text(ofMessage: lines))
    }

    /// The text of a message and of the lines below it, which are indented.
    static func text(ofMessage lines: [String]) -> String {
        let indent = String(repeating: " ", count: messageIndent)
        let rest = lines.dropFirst().map { indent + $0 }
        return text(of: lines.prefix(1).map { "accrec: \($0)" } + rest, indent: messageIndent)
    }

    /// The text of a message, with its line ending.
    static func text(of message: String) -> String {
        text(of: ["accrec: \(message)"], indent: messageIndent)
    }

    /// Writes lines; on a terminal, wrapped between words.
    ///
    /// - Parameters:
    ///   - indent: The indentation of continuation lines.
    ///   - ink: The style of all lines.
    static func write(lines: [String], indent: Int = labelWidth, ink: StyledLine.Ink = .plain) {
        guard !lines.isEmpty else { return }
        let text = text(of: lines, indent: indent)
        write(ink == .plain ? text : ink.code + text + StyledLine.Ink.plain.code)
    }

    /// Writes the meter output that the terminal has not accepted yet.
    static func write(drawn bytes: [UInt8]) {
        writer.write(message: bytes)
    }

    /// Waits briefly until everything is written.
    static func settle() {
        if !writer.isIdle { writer.finish(timeout: 0.2, isExtended: true) }
    }

    /// Whether everything is written.
    static var isIdle: Bool { writer.isIdle }

    /// Waits for all output at the end of the program: on a pipe as long as its reader makes progress, on a terminal
    /// without limit, because whoever pressed Ctrl-S wants to see the report.
    static func finish() {
        writer.finish(timeout: isTerminal ? nil : finishTimeout, isExtended: true)
    }

    private static func write(_ text: String) {
        writer.write(message: Array(text.utf8))
    }

    /// The text of lines, with their line endings; on a terminal, wrapped between words.
    ///
    /// - Parameter indent: The indentation of continuation lines.
    static func text(of lines: [String], indent: Int = labelWidth) -> String {
        let columns = isTerminal ? window.columns : nil
        return WrappedText(lines: lines.map { PrintableText.line($0) }, columns: columns, indent: indent).text
    }

    /// The size of the terminal's window.
    static var window: WindowSize { WindowSize(of: STDERR_FILENO) }
}

/// The size of a terminal's window, in character cells.
struct WindowSize: Equatable {
    var columns: Int
    var rows: Int
}

extension WindowSize {
    /// The size of the window of a terminal; 80 by 24 if unknown.
    init(of descriptor: Int32) {
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
        (columns, rows) = isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
    }
}

extension BoundedWriter {
    /// Appends a message, after the number of those that were dropped before it.
    func write(message bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        write(size: bytes.count) { missed in
            guard missed > 0 else { return bytes }
            return Array("accrec: \(missed) messages were dropped here: the reader was too slow\n".utf8) + bytes
        }
    }
}

/// Ends the program.
enum ProgramEnd {
    private static let status = Atomic<Int32>(0)

    /// Makes termination signals end the program at once with this status, except signals that are ignored.
    static func exitOnSignals(with status: Int32) {
        // Initialises the lazy static now, since a signal handler must not.
        self.status.store(status, ordering: .relaxed)
        for number in [SIGINT, SIGTERM, SIGHUP] where !Signals.isIgnored(number) {
            signal(number) { _ in _exit(ProgramEnd.status.load(ordering: .relaxed)) }
        }
    }

    /// Exits after all messages are written, or after a timeout if nobody reads them; on a signal at once if they are not
    /// written soon. Skips the exit handlers of C libraries, whose threads may still be running.
    static func leave(_ status: Int32) -> Never {
        // Ctrl-C reaches the recording process twice, the second time perhaps only now: see `TerminalSupervisor`.
        StandardError.settle()
        if !StandardError.isIdle {
            exitOnSignals(with: status)
            StandardError.finish()
        }
        _exit(status)
    }
}
