import Glibc

/// A day of the local time zone, of which the clock may be put forward or back.
struct LocalDay {
    private var day: tm

    /// The day of an instant, or one after it.
    ///
    /// - Parameter instant: In seconds since 1970.
    init(of instant: Int, addingDays days: Int) {
        var instant = instant
        day = tm()
        localtime_r(&instant, &day)
        day.tm_mday += Int32(days)
    }

    /// When the clock shows a time of this day, in seconds since 1970: the first time where it does so twice; where it never
    /// does, as long after the clock is put forward as the time is after the one that is left out.
    ///
    /// - Parameter seconds: Since midnight, by the clock.
    func instant(at seconds: Int) -> Int {
        // With either guess at whether it is summer time there is an instant, which may show another time.
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
