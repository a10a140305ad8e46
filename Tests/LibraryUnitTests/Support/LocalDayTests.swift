import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Local times of day and their instants, in every time zone, around each change of its clock in three years.
@Suite(
    .serialized, .timeLimit(.minutes(1)), .tags(.skipsThreadSanitizer, .skipsAddressSanitizer))
struct LocalDayTests {
    /// The zones with the changes of their clocks from 2026 to 2028. Zones whose clocks change alike are one.
    private static let changes: [(zone: String, changes: [Int])] = {
        let begin = Date(timeIntervalSince1970: 1_767_225_600)
        var seen: Set<[Int]> = []
        return TimeZone.knownTimeZoneIdentifiers.sorted().compactMap { name in
            guard let zone = TimeZone(identifier: name) else { return nil }
            var (changes, last) = ([Int](), begin)
            while let next = zone.nextDaylightSavingTimeTransition(after: last), next < begin + 3 * 366 * 86_400 {
                changes.append(Int(next.timeIntervalSince1970))
                last = next
            }
            let offsets = changes.map { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0))) }
            guard !changes.isEmpty, seen.insert(changes + offsets).inserted else { return nil }
            return (name, changes)
        }
    }()

    /// The second of the local day, by the C library.
    private static func secondOfDay(_ instant: Int) -> Int {
        var (instant, local) = (instant, tm())
        localtime_r(&instant, &local)
        return (Int(local.tm_hour) * 60 + Int(local.tm_min)) * 60 + Int(local.tm_sec)
    }

    /// Whether the clock shows a multiple of the interval, or has been put forward over one.
    private static func isBoundary(_ interval: Int, from before: Int, to second: Int, at change: Bool) -> Bool {
        if second % interval == 0 { return true }
        guard change else { return false }
        let end = second < before ? second + 86_400 : second
        return end - before < 43_200 && (end / interval > before / interval || end >= 86_400)
    }

    @Test(
        "The next multiple of an interval is where a clock first shows one or skips one, minute by minute, in every zone",
        arguments: [60, 300, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400])
    func multiples(interval: Int) {
        #expect(Self.changes.count > 20)
        for (zone, changes) in Self.changes {
            LocalTime.with(zone: zone) {
                for change in changes {
                    let reach = min(max(3 * interval, 2 * 3_600), 30 * 3_600)
                    let instants = stride(from: change - reach, through: change + reach, by: 60)
                    let seconds = instants.map(Self.secondOfDay)
                    var expected: [Int] = []
                    for (index, instant) in instants.enumerated().dropFirst() {
                        // What the clock showed a minute earlier, and would show without a change.
                        let before = seconds[index - 1] + 60
                        if Self.isBoundary(interval, from: before - 1, to: seconds[index], at: instant == change) {
                            expected.append(instant)
                        }
                    }
                    var found: [Int] = []
                    var last = change - reach
                    while found.count <= expected.count {
                        last += Int(LocalDay.secondsToMultiple(of: Double(interval), after: last, fraction: 0))
                        guard last <= change + reach else { break }
                        found.append(last)
                    }
                    if found != expected {
                        Issue.record(
                            "\(zone), \(interval) s, change at \(change): \(Set(found).symmetricDifference(expected))")
                    }
                }
            }
        }
    }

    @Test("A time of day is the first instant at which the clock shows it; a skipped one is as long after the change")
    func timesOfDay() {
        for (zone, changes) in Self.changes {
            LocalTime.with(zone: zone) {
                for change in changes {
                    let day = LocalDay(of: change)
                    // Those that the clock shows on that day, in order.
                    var first: [Int: Int] = [:]
                    for instant in stride(from: change - 90_000, through: change + 90_000, by: 60)
                    where LocalDay(of: instant).instantInUTC(at: 0) == day.instantInUTC(at: 0) {
                        let second = Self.secondOfDay(instant)
                        if first[second] == nil { first[second] = instant }
                    }
                    for second in stride(from: 0, to: 86_400, by: 60) {
                        let instant = day.instant(at: second)
                        if let expected = first[second] {
                            if instant != expected {
                                Issue.record("\(zone): \(second) s is \(instant), not \(expected)")
                            }
                        } else {
                            let skipped = Self.secondOfDay(instant) - second
                            let isAfter = instant >= change && instant - change < 86_400
                            if !isAfter || !(1..<43_200).contains((skipped + 86_400) % 86_400) {
                                Issue.record("\(zone): \(second) s is \(instant), after \(change)")
                            }
                        }
                    }
                }
            }
        }
    }
}
