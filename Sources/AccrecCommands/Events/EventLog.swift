import ACCAudioRecorder
import FoundationEssentials
import Glibc
import Synchronization
import SystemPackage

/// Writes events to a file or descriptor, one line of JSON each.
///
/// A slow reader blocks nothing. Events that are dropped for it are counted in the next line.
final class EventLog: Sendable {
    private let name: String
    private let writer: BoundedWriter
    /// Held to give an event its time and its place. Events come from several tasks.
    private let order = Mutex(())

    /// In events.
    private static let capacity = 4_096
    /// In bytes: an event without a report is much shorter.
    private static let longestFirstLine = 1 << 16
    /// How long the end of a recording waits for the reader.
    private static let finishTimeout = 2.0

    /// - Throws: `RunFailure` if the file cannot be opened or the descriptor is invalid.
    init(_ place: Place) throws {
        let name = place.name
        self.name = name
        // Whether the last line of the file was cut off, by a full disk or a kill.
        let followsPartialLine: Bool
        let descriptor: Int32
        let isOwner: Bool
        do throws(Errno) {
            switch place {
            case .file(let path):
                followsPartialLine = try Self.check(path)
                descriptor = try Self.open(path)
                isOwner = true
            case .descriptor(let number):
                guard Self.accepts(number) else { throw Errno.badFileDescriptor }
                (descriptor, isOwner, followsPartialLine) = (number, false, false)
            }
        } catch {
            throw Self.failure(of: name, error)
        }
        writer = BoundedWriter(
            descriptor, isOwner: isOwner, label: "accrec.events", capacity: Self.capacity
        ) { error in
            StandardError.tell("\(Self.failure(of: name, error)) The recording goes on.")
        }
        if followsPartialLine { writer.write(size: 1) { _ in [UInt8(ascii: "\n")] } }
    }

    /// Whether events can be written to a descriptor: it is open for writing, and not one of the program's own, which
    /// are all closed on exec.
    static func accepts(_ descriptor: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && flags & O_ACCMODE != O_RDONLY && fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0
    }

    /// Opens a file for appending. A pipe is opened for reading as well, so that a reader may connect later.
    private static func open(_ path: String) throws(Errno) -> Int32 {
        var status = stat()
        let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        let number = Glibc.open(path, (isPipe ? O_RDWR : O_WRONLY | O_CREAT) | O_APPEND | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        return number
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

    private static func failure(of name: String, _ cause: Errno) -> RunFailure {
        let (cause, remedy) =
            cause == .fileExists
            ? ("it contains something else", "Name another file, or remove a first line that was cut off.")
            : ("\(cause)", "Name a writable file, or an open descriptor.")
        return RunFailure("cannot write events to \(name)", cause, remedy)
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
        let isWritten = writer.finish(timeout: Self.finishTimeout, isExtended: false)
        // A failure was reported when it happened.
        if let failure = writer.failure { return failure == .brokenPipe }
        guard !isWritten || writer.missedCount > 0 else { return true }
        StandardError.tell("the last events are missing in \(name): its reader was too slow. Keep it reading.")
        return false
    }

    private func write(_ record: EventRecord) {
        order.withLock { _ in
            var record = record
            record.time = .now
            writer.write(size: 1) { [record] missed in
                (missed > 0 ? Self.line(EventRecord(missed: missed, before: record)) : []) + Self.line(record)
            }
        }
    }

    private static func line(_ record: EventRecord) -> [UInt8] {
        (try? JSONText.line(record)).map { Array($0.utf8) } ?? []
    }
}

extension EventLog {
    /// The destination of events, as given to `--events`: a path, or a descriptor such as `fd:3`.
    enum Place: Hashable {
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
}
