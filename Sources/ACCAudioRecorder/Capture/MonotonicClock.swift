import Glibc

/// CLOCK_MONOTONIC in nanoseconds: the time base of every `hostTime`. Safe on any thread, no allocation.
///
/// It stands still while the machine sleeps, and CLOCK_BOOTTIME does not.
enum MonotonicClock {
    /// How exactly it is known for how long the machine has slept, in nanoseconds.
    private static let precision: UInt64 = 1_000_000

    static func now() -> UInt64 {
        now(CLOCK_MONOTONIC)
    }

    /// How much further CLOCK_BOOTTIME is, in nanoseconds: more by as long as the machine has slept, and constant
    /// otherwise.
    static func timeAsleep() -> Int64 {
        while true {
            let before = now()
            let sinceBoot = now(CLOCK_BOOTTIME)
            // A thread that lost the processor in between reads again.
            if now() - before < precision { return Int64(sinceBoot) - Int64(before) }
        }
    }

    private static func now(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
