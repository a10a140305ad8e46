import Foundation

/// The sample clock of a source that a test feeds: it ticks when a block is due.
///
/// Nothing is waited for: ticks are counted from the start, so that blocks that come late are made up for.
struct BlockClock {
    /// The last tick, by CLOCK_MONOTONIC.
    private var tick = timespec()

    /// Starts now.
    init() { clock_gettime(CLOCK_MONOTONIC, &tick) }

    /// Ticks once this many seconds have passed since the last tick.
    ///
    /// - Returns: How late that is.
    mutating func tick(after seconds: Double) -> Duration {
        let nanoseconds = tick.tv_nsec + Int(seconds * 1e9)
        tick = timespec(tv_sec: tick.tv_sec + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &tick, nil) == EINTR {}
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return .seconds(now.tv_sec - tick.tv_sec) + .nanoseconds(now.tv_nsec - tick.tv_nsec)
    }
}
