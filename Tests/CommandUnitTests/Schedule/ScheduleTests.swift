import Testing

@testable import AccrecCommands

@Suite(.serialized, .berlin)
struct ScheduleTests {
    @Test("A skipped time is as long after the change; a repeated time is its first occurrence")
    func oddTimes() throws {
        let time = try #require(WallTime("02:30"))
        let spring = try BerlinTime.instant("2026-03-29T00:10+01:00")
        #expect(time.instant(after: spring) == (try BerlinTime.instant("2026-03-29T03:30+02:00")))
        let autumn = try BerlinTime.instant("2026-10-25T00:10+02:00")
        #expect(time.instant(after: autumn) == (try BerlinTime.instant("2026-10-25T02:30+02:00")))
        // The second occurrence does not count.
        let between = try BerlinTime.instant("2026-10-25T02:45+02:00")
        #expect(time.instant(after: between) == (try BerlinTime.instant("2026-10-26T02:30+01:00")))
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
        let daily = Schedule(first: try BerlinTime.instant("2026-01-01T12:00+01:00"), interval: 86_400, length: 600)
        let next = daily.next(after: 3, elapsed: 1e7, now: Double(try BerlinTime.instant("2027-08-01T11:00+02:00")))
        #expect(next?.beginning == (try BerlinTime.instant("2027-08-01T12:00+02:00")))
    }

    @Test("A daily take continues after the clock is set back by days")
    func clockThatIsSetByDays() throws {
        let schedule = Schedule(first: try BerlinTime.instant("2026-03-28T18:00+01:00"), interval: 86_400, length: 600)
        let now = Double(try BerlinTime.instant("2026-03-20T19:00+01:00"))
        let next = schedule.next(after: 4, elapsed: 3_600, now: now)
        #expect(next! == (-7, try BerlinTime.instant("2026-03-21T18:00+01:00")))
    }
}
