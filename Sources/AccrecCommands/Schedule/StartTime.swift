import Glibc

/// The time before which a take does not begin: a time of day, `18:30` or `18:30:15`, or one of a day,
/// `2026-11-21T18:30`, local or with an offset, `…Z`, `…+01:00`.
enum StartTime: Equatable, Sendable {
    /// Local, in seconds since midnight.
    case ofDay(seconds: Int)
    /// In seconds since 1970.
    case instant(Int)

    /// Nil for what is no time, such as the 31st of February.
    init?(_ text: String) {
        let pattern = /(?:(\d{4})-(\d\d)-(\d\d)[T ])?(\d\d):(\d\d)(?::(\d\d)(?:\.0+)?)?(Z|[+-]\d\d:\d\d)?/
        guard let match = text.wholeMatch(of: pattern), let hour = Int(match.4), let minute = Int(match.5),
            let second = Int(match.6 ?? "0"), hour < 24, minute < 60, second < 60
        else { return nil }
        guard let year = match.1.flatMap({ Int32($0) }), let month = match.2.flatMap({ Int32($0) }),
            let day = match.3.flatMap({ Int32($0) })
        else {
            guard match.7 == nil else { return nil }
            self = .ofDay(seconds: (hour * 60 + minute) * 60 + second)
            return
        }
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday) = (year - 1_900, month - 1, day)
        (time.tm_hour, time.tm_min, time.tm_sec, time.tm_isdst) = (Int32(hour), Int32(minute), Int32(second), -1)
        let offset = match.7.map(Self.offset)
        let instant = offset == nil ? mktime(&time) : timegm(&time)
        // The C library makes the 3rd of March of the 31st of February.
        guard instant != -1, time.tm_mday == day, time.tm_mon == month - 1 else { return nil }
        self = .instant(instant - (offset ?? 0))
    }

    /// In seconds east of Greenwich.
    private static func offset(_ text: Substring) -> Int {
        let numbers = text.dropFirst().split(separator: ":").compactMap { Int($0) }
        guard numbers.count == 2 else { return 0 }
        return (text.first == "-" ? -60 : 60) * (numbers[0] * 60 + numbers[1])
    }

    /// When that is, in seconds since 1970.
    ///
    /// - Parameter now: From when on a time of day is looked for, in the same seconds.
    func instant(after now: Int) -> Int {
        switch self {
        case .instant(let instant): return instant
        case .ofDay(let seconds):
            for days in 0...1 {
                let instant = LocalDay(of: now, addingDays: days).instant(at: seconds)
                if instant >= now { return instant }
            }
            return now
        }
    }
}
