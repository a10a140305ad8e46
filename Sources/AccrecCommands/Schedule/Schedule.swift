import ACCAudioRecorder
import Glibc

/// When takes begin: once or repeatedly.
///
/// An interval of whole days keeps the time of day across summer time changes; any other interval keeps its length.
/// Takes follow the wall clock: if it is set back, they continue at the times it then shows.
struct Schedule {
    /// When the first take begins, in seconds since 1970.
    let first: Int
    /// In seconds; nil for a single take.
    let interval: Int?
    /// The length of a take in seconds.
    let length: Double

    private static let day = 86_400

    /// The take that follows another and is not over yet.
    ///
    /// A take that was already made is repeated only if the clock was set back and half an interval has passed.
    ///
    /// - Parameters:
    ///   - last: The number of the previous take, counted from 0.
    ///   - elapsed: The time since that take began in seconds, independent of the wall clock.
    ///   - now: In seconds since 1970.
    /// - Returns: The take's number, which is negative if the clock was set back to before the first take, and its
    ///   beginning; nil if there are no more takes.
    func next(after last: Int, elapsed: Double, now: Double) -> (number: Int, beginning: Int)? {
        guard let interval else { return nil }
        // No clock change of a time zone exceeds a day.
        let earliest = now - length - Double(keepsTimeOfDay ? Self.day : 0)
        var number = Int(((earliest - Double(first)) / Double(interval)).rounded(.down))
        while true {
            let beginning = beginning(of: number)
            let distance = elapsed + Double(beginning) - now
            let isNew = number > last || distance >= Double(interval) / 2
            if isNew, Double(beginning) + length > now { return (number, beginning) }
            number += 1
        }
    }

    private var keepsTimeOfDay: Bool { interval.map { $0 % Self.day == 0 } ?? false }

    private func beginning(of number: Int) -> Int {
        guard let interval, keepsTimeOfDay else { return first + number * (interval ?? 0) }
        var instant = first
        var time = tm()
        localtime_r(&instant, &time)
        let seconds = Int(time.tm_hour * 60 + time.tm_min) * 60 + Int(time.tm_sec)
        return LocalDay(of: first, addingDays: number * interval / Self.day).instant(at: seconds)
    }
}
