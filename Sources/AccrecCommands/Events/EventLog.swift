import Dispatch
import FoundationEssentials
import Glibc
import Synchronization
import SystemPackage

/// Where events go, a line of JSON each: a file or a descriptor.
///
/// They are written in their order on a queue of their own, so that a reader who does not read holds nothing up. Some
/// thousands of them wait for it; what comes after that is left out, and how many is the next line.
final class EventLog: Sendable {
    private let descriptor: FileDescriptor
    private let isOwned: Bool
    private let name: String
    private let queue = DispatchQueue(label: "accrec.events")
    private let state = Mutex(State())

    private struct State {
        var waitingCount = 0
        var missedCount = 0
        var hasFailed = false
    }

    private static let capacity = 4_096
    /// How long the end of a take waits for a reader.
    private static let patience = DispatchTimeInterval.seconds(2)

    /// - Throws: `EventLogFailure` where the file cannot be opened, or the descriptor is none.
    init(_ place: EventPlace) throws {
        name = place.name
        // A reader that goes is an error of the write, and no reason to end the take.
        signal(SIGPIPE, SIG_IGN)
        do throws(Errno) {
            switch place {
            case .file(let path):
                descriptor = try Self.open(path)
                isOwned = true
            case .descriptor(let number):
                guard fcntl(number, F_GETFL) >= 0 else { throw Errno(rawValue: errno) }
                descriptor = FileDescriptor(rawValue: number)
                isOwned = false
            }
        } catch {
            throw EventLogFailure(name: name, cause: error)
        }
    }

    deinit {
        if isOwned { try? descriptor.close() }
    }

    /// Files are added to. A pipe is opened for reading as well, so that nobody has to be there yet.
    private static func open(_ path: String) throws(Errno) -> FileDescriptor {
        var status = stat()
        let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        let number = Glibc.open(path, (isPipe ? O_RDWR : O_WRONLY | O_CREAT) | O_APPEND | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        return FileDescriptor(rawValue: number)
    }

    /// Writes events, after those before.
    func write(_ records: [EventRecord]) {
        for record in records { write(record) }
    }

    /// Waits until everything is written, but not long for somebody who does not read.
    ///
    /// - Returns: What to tell the user; nil where all was written.
    func finish() -> String? {
        let written = DispatchSemaphore(value: 0)
        queue.async { written.signal() }
        let isLate = written.wait(timeout: .now() + Self.patience) == .timedOut
        let (missed, hasFailed) = state.withLock { ($0.missedCount, $0.hasFailed) }
        guard isLate || missed > 0, !hasFailed else { return nil }
        return "events are missing in \(name), for nobody read them. Keep its reader reading."
    }

    /// Events come from several tasks, so they get their time as they take their place.
    private func write(_ record: EventRecord) {
        state.withLock { state in
            guard state.waitingCount < Self.capacity else {
                state.missedCount += 1
                return
            }
            var record = record
            record.time = EventRecord.text(of: .now)
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
        guard !state.withLock({ $0.hasFailed }) else { return }
        do {
            try descriptor.writeAll(JSONText.line(record).utf8)
        } catch {
            state.withLock { $0.hasFailed = true }
            StandardError.write("accrec: \(EventLogFailure(name: name, cause: error)) The take goes on.\n")
        }
    }
}
