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
        lead: Double = 0, by clock: ScheduleClock = .system, tick: (Double) -> Void = { _ in }
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
