import Glibc
import Testing

@testable import AccrecCommands

/// When takes begin, in a time zone whose clocks are put forward on 29 March 2026 at 02:00, and back on 25 October at 03:00.
@Suite(.serialized)
struct ScheduleTests {
    /// Runs a body where it is Berlin's time.
    private func inBerlin<Value>(_ body: () throws -> Value) rethrows -> Value {
        let before = getenv("TZ").map { String(cString: $0) }
        setenv("TZ", "Europe/Berlin", 1)
        tzset()
        defer {
            if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
            tzset()
        }
        return try body()
    }

    /// Seconds since 1970, of a time with an offset.
    private func instant(_ text: String) throws -> Int {
        guard case .instant(let instant)? = StartTime(text) else { throw CancellationError() }
        return instant
    }

    /// The beginnings of the first takes, each asked for when the one before has just ended.
    private func beginnings(_ schedule: Schedule, count: Int) -> [Int] {
        var beginnings = [schedule.first]
        var number = 0
        while beginnings.count < count {
            guard let next = schedule.next(after: number, now: Double(beginnings.last!) + schedule.length) else {
                break
            }
            beginnings.append(next.beginning)
            number = next.number
        }
        return beginnings
    }

    @Test("A daily take keeps its time of day when the clocks are changed")
    func days() throws {
        try inBerlin {
            let spring = Schedule(first: try instant("2026-03-28T18:00+01:00"), interval: 86_400, length: 600)
            let expected = ["2026-03-28T18:00+01:00", "2026-03-29T18:00+02:00", "2026-03-30T18:00+02:00"]
            #expect(beginnings(spring, count: 3) == (try expected.map(instant)))
            let autumn = Schedule(first: try instant("2026-10-24T18:00+02:00"), interval: 86_400, length: 600)
            let later = ["2026-10-24T18:00+02:00", "2026-10-25T18:00+01:00", "2026-10-26T18:00+01:00"]
            #expect(beginnings(autumn, count: 3) == (try later.map(instant)))
        }
    }

    @Test("An hourly take begins each hour, whatever the clocks show")
    func hours() throws {
        try inBerlin {
            for first in ["2026-03-29T00:00+01:00", "2026-10-25T00:00+02:00"] {
                let first = try instant(first)
                let schedule = Schedule(first: first, interval: 3_600, length: 600)
                #expect(beginnings(schedule, count: 6) == (0..<6).map { first + $0 * 3_600 })
            }
        }
    }

    @Test("A time that the clock leaves out is as long after the change; one that it shows twice is the first")
    func oddTimes() throws {
        try inBerlin {
            let time = try #require(StartTime("02:30"))
            let spring = try instant("2026-03-29T00:10+01:00")
            #expect(time.instant(after: spring) == (try instant("2026-03-29T03:30+02:00")))
            let autumn = try instant("2026-10-25T00:10+02:00")
            #expect(time.instant(after: autumn) == (try instant("2026-10-25T02:30+02:00")))
            // The second of the two is no other.
            let between = try instant("2026-10-25T02:45+02:00")
            #expect(time.instant(after: between) == (try instant("2026-10-26T02:30+01:00")))
        }
    }

    @Test("Takes that would be over are left out, and one that is under way is made")
    func missedTakes() throws {
        let schedule = Schedule(first: 1_000_000, interval: 3_600, length: 600)
        #expect(schedule.next(after: 0, now: 1_000_600)?.number == 1)
        #expect(schedule.next(after: 0, now: 1_000_000 + 5 * 3_600 + 599)! == (5, 1_000_000 + 5 * 3_600))
        #expect(schedule.next(after: 0, now: 1_000_000 + 5 * 3_600 + 600)!.number == 6)
        // The clock was put back: none is made twice.
        #expect(schedule.next(after: 7, now: 1_000_000)! == (8, 1_000_000 + 8 * 3_600))
        #expect(Schedule(first: 1_000_000, interval: nil, length: 600).next(after: 0, now: 1_000_600) == nil)
        try inBerlin {
            let daily = Schedule(first: try instant("2026-01-01T12:00+01:00"), interval: 86_400, length: 600)
            let next = daily.next(after: 3, now: Double(try instant("2027-08-01T11:00+02:00")))
            #expect(next?.beginning == (try instant("2027-08-01T12:00+02:00")))
        }
    }
}
