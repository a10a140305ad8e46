import Foundation
import Synchronization
import TestSupport

@testable import ACCAudioRecorder
@testable import AccrecCommands

/// A recorder of hourly files that a service manager starts again whenever it ends, by a clock that the test moves. Two seconds
/// around each full hour are recorded, and the rest is paused, which the source leaves out.
final class LoggerYear {
    /// What happens in which hours, counted from 1.
    struct Plan {
        let hours: Int
        /// How long files are kept, in hours.
        let keptHours: Int
        /// While the program fails.
        let outage: Range<Int>
        /// Where the source goes away for 20 minutes after the full hour.
        let absences: Set<Int>
        /// Where the recorder is ended, and started again.
        let restarts: Set<Int>
        /// While the disk is full.
        let fullDisks: [Range<Int>]
    }

    /// What became of the recordings, in a memory that does not grow.
    struct Account {
        /// The number of files that were complete.
        var closedCount = 0
        var removedCount = 0
        /// How often a file was removed that its program had not had.
        var removedTooSoonCount = 0
        var interruptionCount = 0
        /// How often the source came back.
        var returnCount = 0
        var isInterrupted = false
        var framesRecorded = 0
        var framesLost = 0
        var failureCount = 0
        var recordingCount = 0
        var isRecording = false
    }

    /// The account, for whatever writes into it.
    private final class Book: Sendable {
        private let account = Mutex(Account())
        private let closed: FileHandle

        /// - Parameter closed: Gets the name of each file that was complete, with the hour in which it was.
        init(closed: URL) throws {
            try Data().write(to: closed)
            self.closed = try FileHandle(forWritingTo: closed)
        }

        var present: Account { account.withLock { $0 } }

        func note(_ event: RecordingEvent, in hour: Int) throws {
            for name in event.closedFiles { try closed.write(contentsOf: Data("\(name) \(hour)\n".utf8)) }
            note { $0.receive(event) }
        }

        func note(_ change: (inout sending Account) -> Void) { account.withLock { change(&$0) } }
    }

    static let rate = 8_000
    /// How long the source is away, and within which time after that the recorder has it again, in seconds.
    static let (absence, margin) = (1_200.0, 30.0)

    let plan: Plan
    private let files: URL
    private let program: ExecQueue.Program
    private let clock = SyntheticClock()
    /// When the clock began, half past an hour, in CLOCK_MONOTONIC nanoseconds.
    private let begin: UInt64
    private var recorder: ACCAudioRecorder?
    private(set) var queue: ExecQueue
    private var following: Task<Void, any Error>?
    private let book: Book

    /// - Parameter closed: Gets the name of each file that was complete, with the hour in which it was.
    init(_ plan: Plan, files: URL, closed: URL, program: ExecQueue.Program) throws {
        book = try Book(closed: closed)
        (self.plan, self.files, self.program) = (plan, files, program)
        let sinceHour = Date.now.timeIntervalSince1970.truncatingRemainder(dividingBy: 3_600)
        begin = MonotonicClock.now() + UInt64((3_600 + 1_800 - sinceHour) * 1e9)
        queue = Self.queue(program, clock)
    }

    var isRunning: Bool { recorder != nil }

    var result: Account { book.present }

    private static func queue(_ program: ExecQueue.Program, _ clock: SyntheticClock) -> ExecQueue {
        let clocks = Schedule.Clocks(now: { .now }) { seconds in try? await clock.sleep(for: .seconds(seconds)) }
        return ExecQueue(program, timeout: 600, retries: 1_000_000, clock: clocks)
    }

    /// The clock's time, in seconds.
    private var elapsed: Double { clock.now.elapsed / .seconds(1) }

    /// The time of a full hour.
    private func boundary(_ hour: Int) -> Double { 3_600 * Double(hour) - 1_800 }
}

// MARK: - Recordings

extension LoggerYear {
    /// What a source does that is opened now: between two hours it has nothing, and in some it goes away.
    private func faults(from hour: Int) -> [SyntheticSource.Fault] {
        let start = elapsed
        func frame(_ time: Double) -> Int { Int((time - start) * Double(Self.rate)) }
        var (faults, pause): ([SyntheticSource.Fault], Double) = ([], start + 1)
        // Beyond the end, so that each recorder has as many in its memory.
        for hour in hour...hour + plan.hours {
            let resumption = boundary(hour) - 1
            faults.append(.init(.lost(frames: frame(resumption) - frame(pause)), atFrame: frame(pause)))
            pause = boundary(hour) + 1
            guard plan.absences.contains(hour) else { continue }
            faults.append(.init(.removed(.seconds(Self.absence)), atFrame: frame(pause)))
            pause += Self.absence + Self.margin
        }
        return faults
    }

    /// Starts a recorder, as a service manager does.
    ///
    /// - Parameter hour: The next full hour.
    func start(before hour: Int) async throws {
        var configuration = ACCAudioRecorder.Configuration(
            sampleRate: Double(Self.rate), channelCount: 1, bufferSize: 80,
            interruptions: .init(timeout: .seconds(7_200)), splitting: .init(interval: .seconds(3_600), isByClock: true)
        )
        configuration.retention.age = .seconds(3_600 * plan.keptHours)
        queue = Self.queue(program, clock)
        configuration.heldFiles = queue.held
        let outputs = [
            RecordingOutput(
                .pattern(try FilePattern(files.path + "/log-%Y-%m-%dT%H.wav")), container: .wav, syncInterval: .zero)
        ]
        await queue.keepFiles(for: .recording(outputs)) { _ in }
        let source = try SyntheticSource(
            sampleRate: Double(Self.rate), channelCount: 1, pace: .clock(clock), faults: faults(from: hour)
        ) { frame, _ in frame % 64 < 32 ? 0.25 : -0.25 }
        let now = begin + UInt64(clock.now.elapsed / .nanoseconds(1))
        let recorder = ACCAudioRecorder(configuration, SyntheticBackend(source, startTime: now), RecorderClock(clock))
        let events = try await recorder.startRecording(to: outputs).events
        self.recorder = recorder
        book.note { ($0.isRecording, $0.recordingCount) = (true, $0.recordingCount + 1) }
        following = Task { [queue, book, clock] in
            for await event in events {
                await queue.receive(event) { _ in }
                let hour = Int((clock.now.elapsed / .seconds(1) + 1_800) / 3_600)
                try book.note(event, in: hour)
            }
        }
        clock.advance(by: .seconds(1))
    }

    /// Ends the recorder. Programs that wait for another try are left to the next one.
    func end() async throws {
        await recorder?.finishRecording()
        try await following?.value
        try await settlePrograms()
        await queue.flush()
        // It lets go of what waits at once, and of programs that run later.
        Task { [queue] in await queue.end() }
        recorder = nil
    }

    /// Lets the longest wait of the programs pass before the next full hour, after which none has to be run again.
    func rest() async throws {
        await recorder?.pauseRecording()
        clock.advance(by: .seconds(600))
        try await eventually("an end of all programs") { await queue.pendingCount == 0 }
    }

    /// Records two seconds around a full hour.
    func pass(_ hour: Int) async throws {
        guard let recorder else { return clock.advance(by: .seconds(boundary(hour) + 1 - elapsed)) }
        let before = result
        await recorder.pauseRecording()
        clock.advance(by: .seconds(boundary(hour) - 1 - elapsed))
        try await recorder.resumeRecording()
        clock.advance(by: .seconds(2))
        try await eventually("a file of hour \(hour)") { result.closedCount > before.closedCount }
        if plan.absences.contains(hour) {
            clock.advance(by: .milliseconds(10))
            try await eventually("an interruption in hour \(hour)") {
                result.interruptionCount > before.interruptionCount
            }
            clock.advance(by: .seconds(Self.absence) - .milliseconds(10))
            // The recorder looks for the source by the clock.
            try await eventually("the source in hour \(hour)") {
                if elapsed + 0.1 < boundary(hour) + 1 + Self.absence + Self.margin {
                    clock.advance(by: .milliseconds(100))
                }
                return result.returnCount > before.returnCount
            }
            clock.advance(by: .seconds(boundary(hour) + 1 + Self.absence + Self.margin - elapsed))
        }
    }

    /// Waits until the programs have done what they can by now.
    func settlePrograms() async throws {
        try await eventually("an end of the programs") {
            let status = await queue.status
            return status.running.isEmpty && status.waiting == status.retrying
        }
    }

    /// Waits until the recording has ended by itself.
    func waitForEnd() async throws {
        try await eventually("the end") { !result.isRecording }
        try await end()
    }
}

extension LoggerYear.Account {
    fileprivate mutating func receive(_ event: RecordingEvent) {
        closedCount += event.closedFiles.count
        switch event {
        case .fileRemoved: removedCount += 1
        case .interrupted: (interruptionCount, isInterrupted) = (interruptionCount + 1, true)
        case .resumed where isInterrupted: (returnCount, isInterrupted) = (returnCount + 1, false)
        case .warning(let warning) where "\(warning)".contains("before its program has had it"):
            removedTooSoonCount += 1
        case .finished(let report):
            (framesRecorded, framesLost) = (framesRecorded + report.frameCount, framesLost + report.framesLost)
            if case .failed = report.ending { failureCount += 1 }
            isRecording = false
        default: break
        }
    }
}

extension RecordingEvent {
    /// The names of the files that are complete with it.
    fileprivate var closedFiles: [String] {
        let reports: [OutputReport] =
            switch self {
            case .fileOpened(_, let report?): [report]
            case .finished(let report): report.outputs.suffix(1)
            default: []
            }
        return reports.map { URL(filePath: $0.path ?? "").lastPathComponent }
    }
}
