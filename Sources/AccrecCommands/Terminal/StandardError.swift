import ACCAudioRecorder
import Dispatch
import Glibc
import Synchronization

/// Standard error, used for messages and the meter. Standard output carries audio or data only.
///
/// Lines are made printable (`PrintableText`). Writing does not block.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Whether it is a terminal with a movable cursor that can be written to without blocking.
    static let canShowMeter =
        isTerminal && EnvironmentVariable.terminal.value ?? "dumb" != "dumb" && TerminalOutput() != nil

    private static let writer = MessageWriter(STDERR_FILENO)
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

    /// The text of a message, with its line ending.
    static func text(of message: String) -> String {
        text(of: ["accrec: \(message)"], indent: messageIndent)
    }

    /// Writes lines; on a terminal, wrapped between words.
    ///
    /// - Parameters:
    ///   - indent: The indentation of continuation lines.
    ///   - ink: The style of all lines.
    static func write(lines: [String], indent: Int = labelWidth, ink: Ink = .plain) {
        guard !lines.isEmpty else { return }
        let text = text(of: lines, indent: indent)
        write(ink == .plain ? text : ink.code + text + Ink.plain.code)
    }

    /// Writes the meter output that the terminal has not accepted yet.
    static func write(drawn bytes: [UInt8]) {
        writer.write(bytes)
    }

    /// Waits briefly until everything is written.
    static func settle() {
        if !writer.isIdle { writer.finish(stallTimeout: 0.2) }
    }

    /// Whether everything is written.
    static var isIdle: Bool { writer.isIdle }

    /// Waits for all output at the end of the program: on a pipe as long as its reader makes progress, on a terminal
    /// without limit, because whoever pressed Ctrl-S wants to see the report.
    static func finish() {
        writer.finish(stallTimeout: isTerminal ? nil : finishTimeout)
    }

    private static func write(_ text: String) {
        writer.write(Array(text.utf8))
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

/// Writes messages to a descriptor without blocking the caller.
///
/// A queue writes them in order, because a pipe that is not read or a stopped terminal blocks the writer. The buffer is
/// limited. Further messages are dropped, and the next one says how many.
final class MessageWriter: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "accrec.messages")
    private let state = Mutex(State())

    private struct State {
        var waitingByteCount = 0
        var writtenByteCount = 0
        var missedCount = 0
    }

    /// The maximum number of buffered bytes.
    private static let capacity = 1 << 18

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Whether everything is written.
    var isIdle: Bool { state.withLock { $0.waitingByteCount == 0 } }

    /// Appends bytes to the queue. Returns at once.
    func write(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        state.withLock { state in
            guard state.waitingByteCount < Self.capacity else {
                state.missedCount += 1
                return
            }
            let missed = state.missedCount
            state.missedCount = 0
            state.waitingByteCount += bytes.count
            queue.async { [self] in
                if missed > 0 {
                    put(Array("accrec: \(missed) messages were dropped here: the reader was too slow\n".utf8))
                }
                put(bytes)
                self.state.withLock { state in
                    state.waitingByteCount -= bytes.count
                    state.writtenByteCount += bytes.count
                }
            }
        }
    }

    /// Waits until everything is written, for as long as there is progress.
    ///
    /// - Parameter stallTimeout: How long the reader may accept nothing, in seconds; nil for no limit.
    func finish(stallTimeout: Double?) {
        let written = Promise<Void>()
        queue.async { written.fulfil(()) }
        guard let stallTimeout else { return written.wait() }
        var last: Int
        repeat {
            last = state.withLock { $0.writtenByteCount }
            if written.wait(for: .seconds(stallTimeout)) != nil { return }
        } while state.withLock({ $0.writtenByteCount }) > last
    }

    /// Writes all bytes. Ignores errors: a closed standard error must not end a take, and there is nowhere to report
    /// it.
    private func put(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Another process that shares the descriptor has made it non-blocking.
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&request, 1, -1)
                continue
            }
            guard count > 0 else { return }
            rest.removeFirst(count)
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
