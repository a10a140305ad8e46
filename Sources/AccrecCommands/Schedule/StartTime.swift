import ACCAudioRecorder

/// The earliest beginning of a take: a time of day, `18:30` or `18:30:15`, or a date and time, `2026-11-21T18:30`,
/// local or with an offset, `…Z`, `…+01:00`.
enum StartTime: Equatable, Sendable {
    /// A local time of day, in seconds since midnight.
    case ofDay(seconds: Int)
    /// In seconds since 1970.
    case instant(Int)

    /// Nil for an invalid time, such as one on the 31st of February.
    init?(_ text: String) {
        let time = /([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.0+)?)?/
        if let match = text.wholeMatch(of: time) {
            guard let seconds = Self.seconds(match.1, match.2, match.3) else { return nil }
            self = .ofDay(seconds: seconds)
            return
        }
        let date = /([0-9]{4})-([0-9]{2})-([0-9]{2})[T ]([0-9:.]+)(?:(Z)|([+-])([0-9]{2}):([0-9]{2}))?/
        guard let match = text.wholeMatch(of: date), let ofDay = match.4.wholeMatch(of: time),
            let seconds = Self.seconds(ofDay.1, ofDay.2, ofDay.3), let year = Int32(match.1),
            let month = Int32(match.2), let day = Int32(match.3)
        else { return nil }
        guard let date = LocalDay(year: year, month: month, day: day) else { return nil }
        if match.5 == nil, match.6 == nil {
            self = .instant(date.instant(at: seconds))
            return
        }
        var offset = 0
        if let hours = match.7, let minutes = match.8 {
            guard let seconds = Self.seconds(hours, minutes, nil) else { return nil }
            offset = match.6 == "-" ? -seconds : seconds
        }
        self = .instant(date.instantInUTC(at: seconds) - offset)
    }

    /// The time in seconds since midnight, or nil if it is invalid.
    private static func seconds(_ hours: Substring, _ minutes: Substring, _ seconds: Substring?) -> Int? {
        guard let hours = Int(hours), let minutes = Int(minutes), let seconds = Int(seconds ?? "0"), hours < 24,
            minutes < 60, seconds < 60
        else { return nil }
        return (hours * 60 + minutes) * 60 + seconds
    }

    /// The instant in seconds since 1970.
    ///
    /// - Parameter now: The earliest instant for a time of day, in seconds since 1970.
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
