import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// A logger that nobody looks at for a year: `--split-every 1h --split-at-clock --keep-for 3d --exec … --exec-retries 1000000`.
/// In the full run it is a month, in which all happens that does in a year; `make year` runs the year, in some 70 s.
@Suite(
    .serialized, .timeLimit(.minutes(30)), .tags(.lengthy), .enabled(if: SmallDisk.isPossible, "\(SmallDisk.absence)"))
struct YearTests {
    private static let isYear = ProcessInfo.processInfo.environment["ACCREC_YEAR"] != nil
    private static let days = isYear ? 365 : 30

    private static let plan: LoggerYear.Plan = {
        let hours = 24 * days
        // Apart from each other: an hour of one is none of another.
        let absences = Set((1...30).map { $0 * hours / 31 })
        return LoggerYear.Plan(
            hours: hours, keptHours: 72, outage: hours / 3..<hours / 3 + 168, absences: absences,
            restarts: Set([hours / 5 + 1, hours * 3 / 5 + 1, hours * 17 / 20 + 1]),
            // So early that no file of that time is left, whether its program is known to have had it or not.
            fullDisks: [hours / 7 + 2..<hours / 7 + 5, hours * 3 / 4 + 2..<hours * 3 / 4 + 5])
    }()

    /// A zone whose clock is put forward and back in that time.
    private static var zone: String {
        let days = [days / 6, days * 2 / 3].map { days in
            var (instant, date) = (time(nil) + days * 86_400, tm())
            gmtime_r(&instant, &date)
            return date.tm_yday
        }
        return "AAA0BBB-1,\(days[0])/3,\(days[1])/3"
    }

    private static let script = #"[ ! -e "$1/down" ] && echo "$ACCREC_FILE" >>"$1/log""#

    @Test("What should be kept is kept, each file has its program once, and nothing grows")
    func year() async throws {
        try await LocalTime.with(zone: Self.zone) {
            try await TemporaryDirectory.with { notes in
                try await SmallDisk.with(byteCount: 16 << 20) { disk in try await year(on: disk, notes) }
            }
        }
    }

    private func year(on disk: SmallDisk, _ notes: URL) async throws {
        let (plan, down) = (Self.plan, notes.appending(path: "down"))
        let program = ExecQueue.Program(path: "/bin/sh", arguments: ["-c", Self.script, "sh", notes.path])
        let logger = try LoggerYear(
            plan, files: disk.directory, closed: notes.appending(path: "closed"), program: program)
        var (sizes, mostFiles): ([(day: Int, resources: Resources)], Int) = ([], 0)
        sizes.reserveCapacity(plan.hours / 24)
        try await logger.start(before: 1)
        for hour in 1...plan.hours {
            if hour == plan.outage.lowerBound {
                try await logger.settlePrograms()
                try Data().write(to: down)
            }
            if hour == plan.outage.upperBound {
                try FileManager.default.removeItem(at: down)
                try await logger.rest()
            }
            if plan.restarts.contains(hour) {
                try await logger.end()
                try await logger.start(before: hour)
            }
            for fullDisk in plan.fullDisks where fullDisk.lowerBound == hour { try disk.fill() }
            try await logger.pass(hour)
            if plan.fullDisks.contains(where: { $0.contains(hour) }), logger.isRunning { try await logger.waitForEnd() }
            for fullDisk in plan.fullDisks where fullDisk.upperBound == hour {
                try FileManager.default.removeItem(at: disk.directory.appending(path: "other"))
                try await logger.start(before: hour + 1)
            }
            if hour % 6 == 0 || plan.outage.contains(hour) { try await logger.settlePrograms() }
            mostFiles = max(mostFiles, try files(on: disk).count)
            if hour % 24 == 0 { sizes.append((hour / 24, try Resources())) }
        }
        try await logger.end()
        try await expectAccount(of: logger, on: disk, notes, sizes, mostFiles)
    }

    private func files(on disk: SmallDisk) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: disk.directory.path).filter { $0.hasSuffix(".wav") }
            .sorted()
    }

    private func expectAccount(
        of logger: LoggerYear, on disk: SmallDisk, _ notes: URL, _ sizes: [(day: Int, resources: Resources)],
        _ mostFiles: Int
    ) async throws {
        let (plan, account) = (Self.plan, logger.result)
        func lines(_ name: String) throws -> [Substring] {
            try String(contentsOf: notes.appending(path: name), encoding: .utf8).split(separator: "\n")
        }
        let log = try lines("log").map { URL(filePath: String($0)).lastPathComponent }
        let closed = try lines("closed").map { line in
            let words = line.split(separator: " ")
            return (name: String(words[0]), hour: try #require(Int(words[1])))
        }
        print(
            "\(plan.hours) hours: \(account.recordingCount) recordings, \(closed.count) files,",
            "\(mostFiles) at most, \(account.removedCount) removed with their markers, \(log.count) programs,",
            "\(account.framesRecorded) frames, \(account.framesLost) lost")
        for (day, resources) in sizes where day < 3 || day % 30 == 0 || day == plan.hours / 24 {
            print("day \(day): \(resources.descriptors) descriptors, \(resources.allocatedKilobytes) kB")
        }
        // One for each full hour but those of the full disk and the one before the next start, and one more for each recorder.
        let fullHours = plan.fullDisks.reduce(0) { $0 + $1.count + 1 }
        #expect(closed.count == plan.hours - fullHours + account.recordingCount)
        #expect(account.recordingCount == 1 + plan.restarts.count + plan.fullDisks.count)
        #expect(account.failureCount == plan.fullDisks.count)
        #expect(account.interruptionCount == 30 && account.returnCount == 30)
        // The recorder looks for the source once a second.
        let shortest = 30 * Int(LoggerYear.absence) * LoggerYear.rate
        #expect((shortest...shortest + 30 * LoggerYear.rate).contains(account.framesLost))
        try expectKept(closed, account, log, on: disk)
        // What a file needs that waits for its program, and the markers of absences.
        #expect(mostFiles <= 2 * plan.keptHours + 2)
        let (early, last) = (try #require(sizes.first { $0.day == 2 }), try #require(sizes.last))
        #expect(last.resources.descriptors <= early.resources.descriptors + 4)
        // Threads keep memory of their own, which they use again, and the testing library keeps traces of errors: 900 kB were seen.
        #expect(last.resources.allocatedKilobytes <= early.resources.allocatedKilobytes + 1_536)
    }

    /// A file is complete an hour after it began: what its frames say, of which an hour has two seconds here, is an hour less.
    private func expectKept(
        _ closed: [(name: String, hour: Int)], _ account: LoggerYear.Account, _ log: [String], on disk: SmallDisk
    ) throws {
        let plan = Self.plan
        let kept = closed.filter { plan.hours - $0.hour < plan.keptHours }.map(\.name)
        #expect(try files(on: disk) == kept.sorted())
        // While the program fails, files are kept for twice as long.
        let lastOfOutage = plan.outage.upperBound - 1
        let tooOld = closed.filter {
            plan.outage.contains($0.hour) && lastOfOutage - $0.hour >= 2 * plan.keptHours
        }.map(\.name)
        // Where the disk is full, the record of files cannot say that the program has had the last one.
        #expect((tooOld.count...tooOld.count + plan.fullDisks.count).contains(account.removedTooSoonCount))
        // The first file of a recorder has the name of the present hour, which others have had before.
        #expect(log.sorted() == closed.map(\.name).filter { !tooOld.contains($0) }.sorted())
    }
}

/// What this process has.
private struct Resources {
    let descriptors: Int
    /// The memory that is allocated, as glibc counts it. What was freed is not in it, nor is code.
    let allocatedKilobytes: Int

    private typealias WriteInformation = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32

    init() throws {
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        let information = unsafeBitCast(try #require(dlsym(nil, "malloc_info")), to: WriteInformation.self)
        var (text, length): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
        let file = try #require(open_memstream(&text, &length))
        #expect(information(0, file) == 0)
        fclose(file)
        defer { free(text) }
        let lines = String(cString: try #require(text)).split(separator: "\n")
        // The last one of each kind is the sum.
        func size(_ kind: String) throws -> Int {
            let line = try #require(lines.last { $0.hasPrefix("<\(kind)") })
            return try #require(line.firstMatch(of: /size="([0-9]+)"/).flatMap { Int($0.1) })
        }
        let free = try size(#"total type="fast""#) + size(#"total type="rest""#)
        allocatedKilobytes = (try size(#"system type="current""#) + size(#"total type="mmap""#) - free) / 1_024
    }
}
