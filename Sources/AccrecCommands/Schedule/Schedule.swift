import Glibc

/// When takes begin: once, or again and again.
///
/// An interval of whole days keeps the time of day when the clocks are put forward or back; any other keeps its length.
struct Schedule {
    /// When the first begins, in seconds since 1970.
    let first: Int
    /// In seconds; nil for one take.
    let interval: Int?
    /// How long a take is, in seconds.
    let length: Double

    private static let day = 86_400

    /// The take after another that is not over at a time.
    ///
    /// - Parameters:
    ///   - last: The number of the other; that of the first is 0.
    ///   - now: In seconds since 1970.
    /// - Returns: Its number, and when it begins or began; nil where there is none any more.
    func next(after last: Int, now: Double) -> (number: Int, beginning: Int)? {
        guard let interval else { return nil }
        // Days have 25 hours at most, so this is not too far.
        let longest = Double(interval) * 25 / 24
        var number = max(last + 1, Int((now - length - Double(first)) / longest))
        while Double(beginning(of: number)) + length <= now { number += 1 }
        return (number, beginning(of: number))
    }

    private func beginning(of number: Int) -> Int {
        guard let interval, interval % Self.day == 0 else { return first + number * (interval ?? 0) }
        var instant = first
        var time = tm()
        localtime_r(&instant, &time)
        let seconds = Int(time.tm_hour * 60 + time.tm_min) * 60 + Int(time.tm_sec)
        return LocalDay(of: first, addingDays: number * interval / Self.day).instant(at: seconds)
    }
}
