import Glibc

/// A day in the local time zone, which may have a change to or from summer time.
struct LocalDay {
    private var day: tm

    /// The day of an instant, or a day after it.
    ///
    /// - Parameter instant: In seconds since 1970.
    init(of instant: Int, addingDays days: Int) {
        var instant = instant
        day = tm()
        localtime_r(&instant, &day)
        day.tm_mday += Int32(days)
    }

    /// The instant of a time of this day, in seconds since 1970. For a time that occurs twice, the first occurrence.
    /// For a time that is skipped, the same distance after the clock change as the time is after the beginning of the
    /// skipped hour.
    ///
    /// - Parameter seconds: The time of day in seconds since midnight.
    func instant(at seconds: Int) -> Int {
        // Try both guesses for summer time; the result of the wrong one shows a different time of day.
        let instants = [1, 0].map { (isSummerTime: Int32) in
            var time = day
            (time.tm_hour, time.tm_min, time.tm_sec) = (0, 0, Int32(seconds))
            time.tm_isdst = isSummerTime
            return mktime(&time)
        }
        return instants.filter { shows(seconds, at: $0) }.min() ?? instants.max() ?? 0
    }

    private func shows(_ seconds: Int, at instant: Int) -> Bool {
        var instant = instant
        var time = tm()
        localtime_r(&instant, &time)
        return Int(time.tm_hour * 60 + time.tm_min) * 60 + Int(time.tm_sec) == seconds
    }
}
