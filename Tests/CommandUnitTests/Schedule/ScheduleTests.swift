import Glibc
import Testing

@testable import AccrecCommands

/// Schedules in a time zone whose clocks go forward on 29 March 2026 at 02:00, and back on 25 October at 03:00.
@Suite(.serialized)
struct ScheduleTests {
    /// Runs a body with Berlin's time zone.
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

    /// The instant of a time with an offset, in seconds since 1970.
    private func instant(_ text: String) throws -> Int {
        guard case .instant(let instant)? = StartTime(text) else { throw CancellationError() }
        return instant
    }

    /// The beginnings of the first takes, each requested when the previous one has just ended.
    private func beginnings(_ schedule: Schedule, count: Int) -> [Int] {
        var beginnings = [schedule.first]
        var number = 0
        while beginnings.count < count {
            let end = Double(beginnings.last!) + schedule.length
            guard let next = schedule.next(after: number, elapsed: schedule.length, now: end) else { break }
            beginnings.append(next.beginning)
            number = next.number
        }
        return beginnings
    }

    @Test("A daily take keeps its time of day across clock changes")
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

    @Test("An hourly take begins every hour across clock changes")
    func hours() throws {
        try inBerlin {
            for first in ["2026-03-29T00:00+01:00", "2026-10-25T00:00+02:00"] {
                let first = try instant(first)
                let schedule = Schedule(first: first, interval: 3_600, length: 600)
                #expect(beginnings(schedule, count: 6) == (0..<6).map { first + $0 * 3_600 })
            }
        }
    }

    @Test("A skipped time is as long after the change; a repeated time is its first occurrence")
    func oddTimes() throws {
        try inBerlin {
            let time = try #require(StartTime("02:30"))
            let spring = try instant("2026-03-29T00:10+01:00")
            #expect(time.instant(after: spring) == (try instant("2026-03-29T03:30+02:00")))
            let autumn = try instant("2026-10-25T00:10+02:00")
            #expect(time.instant(after: autumn) == (try instant("2026-10-25T02:30+02:00")))
            // The second occurrence does not count.
            let between = try instant("2026-10-25T02:45+02:00")
            #expect(time.instant(after: between) == (try instant("2026-10-26T02:30+01:00")))
        }
    }

    @Test("Takes that would be over are skipped, and one that should be running is recorded")
    func missedTakes() throws {
        let schedule = Schedule(first: 1_000_000, interval: 3_600, length: 600)
        func next(_ seconds: Int) -> (number: Int, beginning: Int)? {
            schedule.next(after: 0, elapsed: Double(seconds), now: Double(1_000_000 + seconds))
        }
        // A take that broke off is not repeated.
        for seconds in [0, 1, 599] { #expect(next(seconds)?.number == 1) }
        #expect(next(600)?.number == 1)
        #expect(next(5 * 3_600 + 599)! == (5, 1_000_000 + 5 * 3_600))
        #expect(next(5 * 3_600 + 600)!.number == 6)
        // The clock was set forward.
        #expect(schedule.next(after: 0, elapsed: 600, now: 1_003_590)! == (1, 1_003_600))
        let once = Schedule(first: 1_000_000, interval: nil, length: 600)
        #expect(once.next(after: 0, elapsed: 600, now: 1_000_600) == nil)
        try inBerlin {
            let daily = Schedule(first: try instant("2026-01-01T12:00+01:00"), interval: 86_400, length: 600)
            let next = daily.next(after: 3, elapsed: 1e7, now: Double(try instant("2027-08-01T11:00+02:00")))
            #expect(next?.beginning == (try instant("2027-08-01T12:00+02:00")))
        }
    }

    /// The beginnings of takes by the boot-time clock, in seconds since the first, if the wall clock is set.
    private func beginnings(_ schedule: Schedule, until end: Int, clockSetAt step: Int, by shift: Int) -> [Int] {
        var begun = [0]
        var (last, free) = (0, schedule.length)
        for second in 1...end where Double(second) >= free {
            let wallTime = schedule.first + second + (second >= step ? shift : 0)
            let now = ClockReading(wallTime: Double(wallTime), bootTime: Double(second))
            let appointment = Appointment.next(schedule, after: last, since: Double(begun.last!))
            guard appointment.remaining(at: now) <= 0, let take = appointment.nextTake(at: now) else { continue }
            begun.append(second)
            (last, free) = (take.number, Double(second) + schedule.length)
        }
        return begun
    }

    @Test("After the clock is set back, takes continue at the times it shows, and none is repeated too soon")
    func clockThatIsSet() throws {
        let schedule = Schedule(first: 1_200_000, interval: 600, length: 60)
        let cases: [(shift: Int, step: Int, beginnings: [Int])] = [
            (0, 1, [0, 600, 1_200, 1_800]),
            // By whole intervals: during a take, between takes, and just before one.
            (-3_600, 630, [0, 600, 1_200, 1_800]), (-3_600, 900, [0, 600, 1_200, 1_800]),
            (-3_600, 1_199, [0, 600, 1_200, 1_800]), (-86_400, 900, [0, 600, 1_200, 1_800]),
            // By part of an interval: the next take is the one closest to an interval after the last.
            (-3_500, 900, [0, 600, 1_100, 1_700]), (-3_700, 900, [0, 600, 1_300, 1_900]),
            (-3, 630, [0, 600, 1_203, 1_803]), (-200, 700, [0, 600, 1_400]), (-320, 700, [0, 600, 920, 1_520]),
            // To before the first take.
            (-1_000, 90, [0, 400, 1_000, 1_600]),
            // Forward: into a take, and past one.
            (3_600, 900, [0, 600, 1_200, 1_800]), (310, 900, [0, 600, 900, 1_490]), (400, 900, [0, 600, 1_400]),
        ]
        for (shift, step, expected) in cases {
            let begun = beginnings(schedule, until: 1_950, clockSetAt: step, by: shift)
            #expect(begun == expected, "by \(shift) s at \(step)")
        }
    }

    @Test("A daily take continues after the clock is set back by days")
    func clockThatIsSetByDays() throws {
        try inBerlin {
            let schedule = Schedule(first: try instant("2026-03-28T18:00+01:00"), interval: 86_400, length: 600)
            let now = Double(try instant("2026-03-20T19:00+01:00"))
            let next = schedule.next(after: 4, elapsed: 3_600, now: now)
            #expect(next! == (-7, try instant("2026-03-21T18:00+01:00")))
        }
    }
}
