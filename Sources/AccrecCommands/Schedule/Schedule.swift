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
        // No take before this one is running: a time zone's clock is changed by a day at most, so that no take begins more than
        // an interval late.
        var number = Int(((now - length - Double(first)) / Double(interval)).rounded(.down))
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

/// When a take begins.
enum Appointment {
    /// A wall-clock time in seconds since 1970; the clock may be set in the meantime.
    case at(Double)
    /// A number of seconds after a boot time (`ClockReading.bootTime`).
    case after(Double, since: Double)
    /// The next take of a schedule after the take of that number, which began at a boot time.
    case next(Schedule, after: Int, since: Double)

    /// The remaining time in seconds; 0 or less once the time has come.
    func remaining(at now: ClockReading = .now) -> Double {
        switch self {
        case .at(let instant): instant - now.wallTime
        case .after(let seconds, let start): start + seconds - now.bootTime
        case .next: nextTake(at: now).map { Double($0.beginning) - now.wallTime } ?? 0
        }
    }

    /// The next take of the schedule, with its number and beginning, or nil if there is none.
    func nextTake(at now: ClockReading) -> (number: Int, beginning: Int)? {
        guard case .next(let schedule, let last, let start) = self else { return nil }
        return schedule.next(after: last, elapsed: now.bootTime - start, now: now.wallTime)
    }

    /// Waits until the time has come or the task is cancelled.
    ///
    /// - Parameters:
    ///   - lead: How many seconds earlier to return.
    ///   - tick: Called with the remaining seconds, each time they are a whole number.
    func wait(
        lead: Double = 0, by clock: Schedule.Clocks = .system, tick: (Double) -> Void = { _ in }
    ) async {
        while !Task.isCancelled {
            let remaining = remaining(at: clock.now())
            guard remaining > lead else { return }
            tick(remaining)
            // The clock may be set, so it is asked again after each second.
            let untilTick = remaining - (remaining.rounded(.up) - 1)
            await clock.sleep(min(remaining - lead, untilTick))
        }
    }
}

extension Schedule {
    /// The clocks by which takes begin, and a way to wait: the system's, or a test's.
    struct Clocks: Sendable {
        /// What the clocks show now.
        let now: @Sendable () -> ClockReading
        /// Waits this many seconds, or until the task is cancelled.
        let sleep: @Sendable (_ seconds: Double) async -> Void

        /// A sleep fails only if its task is cancelled, which whoever waits looks at.
        static let system = Clocks(now: { .now }, sleep: { try? await Task.sleep(for: .seconds($0)) })
    }
}

/// The clocks at one moment.
struct ClockReading {
    /// The wall-clock time, in seconds since 1970.
    let wallTime: Double
    /// The time since boot in seconds, including sleep. It is never set.
    let bootTime: Double

    /// The system's clocks.
    static var now: ClockReading {
        ClockReading(wallTime: seconds(CLOCK_REALTIME), bootTime: seconds(CLOCK_BOOTTIME))
    }

    /// The clocks some seconds later, provided that the wall clock is not set.
    func later(by seconds: Double) -> ClockReading {
        ClockReading(wallTime: wallTime + seconds, bootTime: bootTime + seconds)
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

/// When a take begins or ends: a time of day, `18:30` or `18:30:15`, or a date and time, `2026-11-21T18:30`, local or with an
/// offset, `…Z`, `…+01:00`.
enum WallTime: Equatable, Sendable {
    /// A local time of day, in seconds since midnight.
    case ofDay(seconds: Int)
    /// In seconds since 1970.
    case instant(Int)

    /// Nil for an invalid time, such as one on the 31st of February.
    init?(_ text: String) {
        if let seconds = Self.secondsOfDay(text) {
            self = .ofDay(seconds: seconds)
            return
        }
        let form = Pattern(
            "([0-9]{4})-([0-9]{2})-([0-9]{2})[T ]([0-9:.]+)(Z|([+-])([0-9]{2}:[0-9]{2}))?")
        guard let parts = form.groups(of: text), let seconds = parts[3].flatMap(Self.secondsOfDay),
            let year = parts[0].flatMap({ Int32($0) }), let month = parts[1].flatMap({ Int32($0) }),
            let day = parts[2].flatMap({ Int32($0) }), let date = LocalDay(year: year, month: month, day: day)
        else { return nil }
        guard parts[4] != nil else {
            self = .instant(date.instant(at: seconds))
            return
        }
        var offset = 0
        if let text = parts[6] {
            guard let seconds = Self.secondsOfDay(text) else { return nil }
            offset = parts[5] == "-" ? -seconds : seconds
        }
        self = .instant(date.instantInUTC(at: seconds) - offset)
    }

    /// A time of day in seconds since midnight; nil for none, or an invalid one.
    private static func secondsOfDay(_ text: String) -> Int? {
        guard let parts = Pattern("([0-9]{2}):([0-9]{2})(:([0-9]{2})([.]0+)?)?").groups(of: text),
            let hours = parts[0].flatMap({ Int($0) }), let minutes = parts[1].flatMap({ Int($0) }),
            let seconds = Int(parts[3] ?? "0"), hours < 24, minutes < 60, seconds < 60
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
