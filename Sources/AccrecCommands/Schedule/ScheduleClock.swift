import Glibc

/// The clocks by which takes begin, and a way to wait: the system's, or a test's.
struct ScheduleClock: Sendable {
    /// What the clocks show now.
    let now: @Sendable () -> ClockReading
    /// Waits this many seconds, or until the task is cancelled.
    let sleep: @Sendable (_ seconds: Double) async -> Void

    /// A sleep fails only if its task is cancelled, which whoever waits looks at.
    static let system = ScheduleClock(now: { .now }, sleep: { try? await Task.sleep(for: .seconds($0)) })
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
