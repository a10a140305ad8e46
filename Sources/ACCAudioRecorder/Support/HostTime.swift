import FoundationEssentials

// Host times, which are CLOCK_MONOTONIC nanoseconds, as the times of the standard library and of Foundation, and back.

extension SuspendingClock.Instant {
    /// The instant of a host time, to the microsecond.
    public init(hostTime: UInt64) {
        let now = MonotonicClock.now()
        self = SuspendingClock.now.advanced(
            by: hostTime >= now ? .nanoseconds(hostTime - now) : .zero - .nanoseconds(now - hostTime))
    }

    /// The host time of this instant, to the microsecond; 0 for one before the machine was started.
    public var hostTime: UInt64 {
        let (now, ahead) = (MonotonicClock.now(), SuspendingClock.now.duration(to: self) / .nanoseconds(1))
        return UInt64(min(max(Double(now) + ahead, 0), 0x1p63))
    }
}

extension Date {
    /// The date of a host time, by the wall clock as it is set now.
    public init(hostTime: UInt64) {
        self.init(timeIntervalSince1970: (WallClock.bootTime + .nanoseconds(hostTime)) / .seconds(1))
    }

    /// The host time of this date, by the wall clock as it is set now; 0 for one before the machine was started.
    public var hostTime: UInt64 {
        UInt64(min(max((timeIntervalSince1970 - WallClock.bootTime / .seconds(1)) * 1e9, 0), 0x1p63))
    }
}
