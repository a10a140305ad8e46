import Glibc

/// CLOCK_MONOTONIC in nanoseconds: the time base of every `hostTime`. Safe on any thread, no allocation.
enum MonotonicClock {
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
