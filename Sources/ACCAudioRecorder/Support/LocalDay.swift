import Glibc

/// A day in the local time zone. The clock may be put forward or back on it.
package struct LocalDay {
    /// When its midnight would be if local time were UTC, in seconds since 1970.
    private let midnight: Int

    package static let length = 86_400

    /// The day of an instant, or a day after it.
    ///
    /// - Parameter instant: In seconds since 1970.
    package init(of instant: Int, addingDays days: Int = 0) {
        let local = instant + Self.offset(at: instant)
        midnight = local - Self.secondOfDay(local) + days * Self.length
    }

    /// Nil for a date that does not exist, such as the 31st of February.
    package init?(year: Int32, month: Int32, day: Int32) {
        var date = tm()
        (date.tm_year, date.tm_mon, date.tm_mday) = (year - 1_900, month - 1, day)
        // The C library normalises the 31st of February to the 3rd of March.
        midnight = timegm(&date)
        guard date.tm_mday == day, date.tm_mon == month - 1 else { return nil }
    }

    /// The instant at which the clock shows a time of this day, in seconds since 1970. For a time that occurs twice, the first
    /// occurrence. For a time that is skipped, the same distance after the change of the clock as the time is after the
    /// beginning of what is skipped.
    ///
    /// - Parameter seconds: The time of day in seconds since midnight.
    package func instant(at seconds: Int) -> Int {
        let local = midnight + seconds
        // The offsets before and after a change, which are the same on most days.
        let instants = [local - Self.length, local + Self.length].map { local - Self.offset(at: $0) }
        return instants.filter { $0 + Self.offset(at: $0) == local }.min() ?? instants[0]
    }

    /// The instant of a time of this day in UTC, in seconds since 1970.
    package func instantInUTC(at seconds: Int) -> Int { midnight + seconds }

    /// How long it takes until the local clock shows a multiple of an interval, counted from midnight, or skips one.
    ///
    /// - Parameters:
    ///   - interval: In seconds, above 0. Midnight counts even if it is no multiple.
    ///   - instant: In whole seconds since 1970.
    ///   - fraction: What has passed of the second, in seconds.
    /// - Returns: In seconds, above 0.
    static func secondsToMultiple(of interval: Double, after instant: Int, fraction: Double) -> Double {
        var (second, fraction, passed) = (instant, fraction, 0.0)
        while true {
            let offset = offset(at: second)
            let ofDay = Double(secondOfDay(second + offset)) + fraction
            let count = (ofDay / interval).rounded(.down) + 1
            let rest = min(count * interval, Double(length)) - ofDay
            guard let change = change(from: offset, after: second, upTo: second + Int(fraction + rest)) else {
                return passed + rest
            }
            // What the clock shows from the change on; put forward, it may skip the multiple.
            let isSkipped = fraction + rest <= Double(change.instant + change.offset - offset - second)
            passed += Double(change.instant - second) - fraction
            if isSkipped || isMultiple(change.instant + change.offset, of: interval) { return passed }
            (second, fraction) = (change.instant, 0)
        }
    }

    /// The first change of the offset in a time of at most a day; nil if there is none.
    private static func change(
        from offset: Int, after start: Int, upTo end: Int
    ) -> (instant: Int, offset: Int)? {
        var (before, after) = (start, end)
        guard self.offset(at: after) != offset else { return nil }
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if self.offset(at: middle) == offset { before = middle } else { after = middle }
        }
        return (after, self.offset(at: after))
    }

    private static func isMultiple(_ local: Int, of interval: Double) -> Bool {
        let second = Double(secondOfDay(local))
        return (second / interval).rounded(.down) * interval == second
    }

    private static func secondOfDay(_ local: Int) -> Int { (local % length + length) % length }

    /// Local time minus UTC, in seconds.
    private static func offset(at instant: Int) -> Int {
        var (instant, local) = (instant, tm())
        localtime_r(&instant, &local)
        return local.tm_gmtoff
    }
}
