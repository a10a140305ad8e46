import Foundation
import Testing

@testable import AccrecCommands

@Suite struct WallTimeTests {
    @Test(arguments: [
        ("18:30", 66_600), ("00:00:01", 1), ("23:59:59", 86_399),
    ])
    func aTimeOfDayIsTheNextOne(text: String, seconds: Int) throws {
        let start = try #require(WallTime(text))
        #expect(start == .ofDay(seconds: seconds))
        let calendar = Calendar.current
        for now in [1_795_000_000, 1_795_043_210] {
            let instant = start.instant(after: now)
            #expect(instant >= now && instant - now <= 90_000)
            #expect(start.instant(after: instant) == instant, "a time that has just come is now, not tomorrow")
            let time = calendar.dateComponents(
                [.hour, .minute, .second], from: Date(timeIntervalSince1970: Double(instant)))
            #expect((time.hour! * 60 + time.minute!) * 60 + time.second! == seconds)
        }
    }

    @Test(arguments: [
        ("2026-11-21T18:30:15Z", 1_795_285_815), ("2026-11-21 19:30:15+01:00", 1_795_285_815),
        ("2026-11-21T13:00:15-05:30", 1_795_285_815), ("2026-11-21T18:30:15.000Z", 1_795_285_815),
        ("2026-11-22T18:29:15+23:59", 1_795_285_815),
    ])
    func aDateWithAnOffsetIsAnInstant(text: String, instant: Int) throws {
        #expect(try #require(WallTime(text)).instant(after: 0) == instant)
    }

    @Test func aDateWithoutAnOffsetIsLocal() throws {
        let parts = DateComponents(year: 2026, month: 7, day: 4, hour: 5, minute: 6)
        let date = try #require(Calendar.current.date(from: parts))
        #expect(WallTime("2026-07-04T05:06") == .instant(Int(date.timeIntervalSince1970)))
    }

    @Test(arguments: [
        "", "now", "24:00", "12:60", "12:00:60", "12", "2026-02-31T10:00", "2026-13-01T10:00", "2026-01-01", "12:00Z",
        "-1:00", "１２:００", "٢٠٢٦-11-21T18:00", "2026-11-٢١T18:00", "2026-11-21T١٨:00", "2026-11-21T18:00+0١:00",
        "2026-11-21T18:00+99:99", "2026-11-21T18:00-24:00", "2026-11-21T18:00+01:60", "2026-11-21T18:00Z+01:00",
        "2026-11-21T24:00", "2026-11-21T18:00:60", "2026-11-21T", "2026-11-21T18", "T18:00", "18:00+01:00",
    ])
    func invalidTimesAreRejected(text: String) {
        #expect(WallTime(text) == nil)
    }
}
