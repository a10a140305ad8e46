import ACCAudioRecorder
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization
import SystemPackage

/// Writes events to a file or descriptor, one line of JSON each.
///
/// They are written in order on a queue of their own, so that a slow reader blocks nothing. A few thousand events are
/// buffered. Further ones are dropped, and the next line says how many.
final class EventLog: Sendable {
    private let descriptor: FileDescriptor
    private let isOwned: Bool
    private let name: String
    private let queue = DispatchQueue(label: "accrec.events")
    /// Whether the last line of the file was cut off, by a full disk or a kill.
    private let followsPartialLine: Bool
    private let state = Mutex(State())

    private struct State {
        var waitingCount = 0
        var missedCount = 0
        var failure: Errno?
    }

    private static let capacity = 4_096
    /// In bytes: an event without a report is much shorter.
    private static let longestFirstLine = 1 << 16
    /// How long the end of a take waits for the reader.
    private static let finishTimeout = Duration.seconds(2)

    /// - Throws: `EventLogFailure` if the file cannot be opened or the descriptor is invalid.
    init(_ place: EventPlace) throws {
        name = place.name
        do throws(Errno) {
            switch place {
            case .file(let path):
                followsPartialLine = try Self.check(path)
                descriptor = try Self.open(path)
                isOwned = true
            case .descriptor(let number):
                guard Self.accepts(number) else { throw Errno.badFileDescriptor }
                descriptor = FileDescriptor(rawValue: number)
                (isOwned, followsPartialLine) = (false, false)
            }
        } catch {
            throw EventLogFailure(name: name, cause: error)
        }
        if followsPartialLine { queue.async { [self] in put("\n") } }
    }

    /// Whether events can be written to a descriptor: it is open for writing, and not one of the program's own, which
    /// are all closed on exec.
    static func accepts(_ descriptor: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && flags & O_ACCMODE != O_RDONLY && fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0
    }

    deinit {
        if isOwned { try? descriptor.close() }
    }

    /// Opens a file for appending. A pipe is opened for reading as well, so that a reader may connect later.
    private static func open(_ path: String) throws(Errno) -> FileDescriptor {
        var status = stat()
        let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        let number = Glibc.open(path, (isPipe ? O_RDWR : O_WRONLY | O_CREAT) | O_APPEND | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        return FileDescriptor(rawValue: number)
    }

    /// What the lines of an event file have.
    private struct Line: Decodable {
        let version: Int
        let event: String
        let time: String
    }

    /// Checks that a file, if it exists, holds events, since appending would damage anything else.
    ///
    /// - Returns: Whether its last line was cut off.
    private static func check(_ path: String) throws(Errno) -> Bool {
        let number = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return false }
        defer { close(number) }
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return false }
        var (bytes, last) = ([UInt8](repeating: 0, count: longestFirstLine), UInt8(0))
        let count = max(pread(number, &bytes, bytes.count, 0), 0)
        guard areEvents(bytes.prefix(count)) else { throw .fileExists }
        return pread(number, &last, 1, status.st_size - 1) == 1 && last != UInt8(ascii: "\n")
    }

    /// Whether a file that begins with these bytes holds events. The first one may have been cut off.
    private static func areEvents(_ bytes: ArraySlice<UInt8>) -> Bool {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)[...]
        let isEvent = { (line: ArraySlice<UInt8>) in (try? JSONText.decode(Line.self, from: Data(line))) != nil }
        guard let first = lines.popFirst(), !isEvent(first) else { return true }
        let isPart = first.starts(with: #"{""#.utf8) && first.last != UInt8(ascii: "}")
        return lines.first.map { isPart && isEvent($0) } ?? (isPart && first.contains(#""event":""#.utf8))
    }

    /// Appends events.
    func write(_ records: [EventRecord]) {
        for record in records { write(record) }
    }

    /// Waits until everything is written, but only briefly if the reader does not read, and reports events that the
    /// reader does not learn of.
    ///
    /// - Returns: Whether the reader has everything, or closed the pipe, which is not an error.
    func finish() -> Bool {
        let written = Promise<Void>()
        queue.async { written.fulfil(()) }
        let isLate = written.wait(for: Self.finishTimeout) == nil
        let (missed, failure) = state.withLock { ($0.missedCount, $0.failure) }
        // A failure was reported when it happened.
        if let failure { return failure == .brokenPipe }
        guard isLate || missed > 0 else { return true }
        StandardError.tell("the last events are missing in \(name): its reader was too slow. Keep it reading.")
        return false
    }

    /// Events come from several tasks; setting the time under the lock keeps times in order.
    private func write(_ record: EventRecord) {
        state.withLock { state in
            guard state.waitingCount < Self.capacity else {
                state.missedCount += 1
                return
            }
            var record = record
            record.time = .now
            state.waitingCount += 1
            let missed = state.missedCount
            state.missedCount = 0
            queue.async { [self, record] in
                if missed > 0 { put(EventRecord(missed: missed, before: record)) }
                put(record)
                self.state.withLock { $0.waitingCount -= 1 }
            }
        }
    }

    private func put(_ record: EventRecord) {
        guard let line = try? JSONText.line(record) else { return }
        put(line)
    }

    private func put(_ text: String) {
        guard state.withLock({ $0.failure == nil }) else { return }
        do {
            try descriptor.writeAll(text.utf8)
        } catch {
            let failure = error as? Errno ?? .ioError
            state.withLock { $0.failure = failure }
            StandardError.tell("\(EventLogFailure(name: name, cause: failure)) The recording goes on.")
        }
    }
}

/// The destination of events, as given to `--events`: a path, or a descriptor such as `fd:3`.
enum EventPlace: Hashable {
    case file(String)
    case descriptor(Int32)

    /// Nil for an empty argument and for an invalid descriptor number.
    init?(_ argument: String) {
        if argument.hasPrefix("fd:") {
            guard let number = Int32(argument.dropFirst(3)), number >= 0 else { return nil }
            self = .descriptor(number)
        } else {
            guard !argument.isEmpty else { return nil }
            self = .file(argument)
        }
    }

    /// A path that opens it.
    var path: String {
        switch self {
        case .file(let path): path
        case .descriptor(let number): "/proc/self/fd/\(number)"
        }
    }

    /// Its name in messages.
    var name: String {
        switch self {
        case .file(let path): "'\(path)'"
        case .descriptor(let number): "descriptor \(number)"
        }
    }
}

/// Why events cannot be written.
struct EventLogFailure: Error, CustomStringConvertible {
    let name: String
    let cause: Errno

    var description: String {
        let (cause, remedy) =
            cause == .fileExists
            ? ("it contains something else", "Name another file, or remove a first line that was cut off")
            : ("\(cause)", "Name a writable file, or an open descriptor")
        return "cannot write events to \(name): \(cause). \(remedy)."
    }
}
