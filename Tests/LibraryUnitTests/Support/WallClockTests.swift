import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Local time, in every time zone.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct WallClockTests {
    /// The clock half a second after an instant, since the system's clocks are not read at exactly the same time.
    private static func clock(at instant: Int) -> WallClock {
        let sinceBoot = Duration.seconds(instant) + .milliseconds(500) - WallClock.bootTime
        return WallClock(hostTime: UInt64(sinceBoot / .nanoseconds(1)))
    }

    /// The date this many days after the local date of an instant, reckoned without a time zone.
    private static func date(of instant: Int, addingDays days: Int) -> String {
        var (instant, local) = (instant, tm())
        localtime_r(&instant, &local)
        (local.tm_hour, local.tm_min, local.tm_sec) = (0, 0, 0)
        var midnight = timegm(&local) + days * 86_400
        gmtime_r(&midnight, &local)
        return String(format: "%04d-%02d-%02d", local.tm_year + 1_900, local.tm_mon + 1, local.tm_mday)
    }

    @Test("Dates of later days are those of the calendar, at each hour before and after the clocks are changed")
    func datesOfLaterDays() throws {
        let zones = TimeZone.knownTimeZoneIdentifiers.compactMap { TimeZone(identifier: $0) }
        var count = 0
        for zone in zones {
            var changes = [Date.now + 86_400 * 30]
            for _ in 0..<2 {
                if let last = changes.last, let next = zone.nextDaylightSavingTimeTransition(after: last) {
                    changes.append(next)
                }
            }
            LocalTime.with(zone: zone.identifier) {
                for change in changes.dropFirst() {
                    count += 1
                    for hour in -30...30 {
                        let instant = Int(change.timeIntervalSince1970) + hour * 3_600
                        for days in 0...2 {
                            let (date, expected) = (
                                Self.clock(at: instant).date(addingDays: days), Self.date(of: instant, addingDays: days)
                            )
                            if date != expected { Issue.record("\(zone.identifier): \(date), not \(expected)") }
                        }
                    }
                }
            }
        }
        #expect(count > 20)
    }

    @Test("Names in UTC differ in the hour that comes twice in local time, and say when a file begins in any zone")
    func universalTime() throws {
        let pattern = try FilePattern("%H-%M {utc:%Y-%m-%dT%H-%M-%S%z} {utc:%Z}.wav")
        let names = LocalTime.with(zone: "Europe/Berlin") {
            // 02:30 in summer, and an hour later again; also on another day in local time than in UTC.
            [1_792_888_200, 1_792_891_800, 1_795_822_200].map { instant in
                let now = time(nil)
                let clock = Self.clock(at: now).advanced(by: Int64(instant - now) * 1_000_000_000)
                return pattern.path(at: clock, sourceName: "", modeName: "", number: 1)
            }
        }
        #expect(
            names == [
                "02-30 2026-10-25T00-30-00+0000 GMT.wav", "02-30 2026-10-25T01-30-00+0000 GMT.wav",
                "00-30 2026-11-27T23-30-00+0000 GMT.wav",
            ])
    }
}
