import Glibc

/// The time of day at which something was captured, in the local time zone.
struct WallClock {
    private let local: tm
    private let nanoseconds: Int

    /// - Parameter hostTime: CLOCK_MONOTONIC nanoseconds.
    init(hostTime: UInt64) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let sinceEpoch = now.tv_sec * 1_000_000_000 + now.tv_nsec - Int(MonotonicClock.now()) + Int(hostTime)
        var seconds = sinceEpoch / 1_000_000_000
        var local = tm()
        localtime_r(&seconds, &local)
        self.local = local
        nanoseconds = sinceEpoch % 1_000_000_000
    }

    /// `2026-11-21`
    var date: String { "\(local.tm_year + 1_900)-\(pair(local.tm_mon + 1))-\(pair(local.tm_mday))" }

    /// `18:05:09`
    var time: String { "\(pair(local.tm_hour)):\(pair(local.tm_min)):\(pair(local.tm_sec))" }

    /// Date and time to the millisecond, after ISO 8601.
    var timestamp: String {
        let milliseconds = String(1_000 + nanoseconds / 1_000_000).dropFirst()
        return "\(date)T\(time).\(milliseconds)"
    }

    /// Frames since midnight, by the clock on the wall.
    func framesSinceMidnight(rate: Int) -> UInt64 {
        let seconds = Double(local.tm_hour * 3_600 + local.tm_min * 60 + local.tm_sec) + Double(nanoseconds) * 1e-9
        return UInt64((seconds * Double(rate)).rounded())
    }

    private func pair(_ number: Int32) -> Substring {
        String(100 + number).dropFirst()
    }
}
