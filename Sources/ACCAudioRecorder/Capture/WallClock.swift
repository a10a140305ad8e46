import Glibc

/// The time of day at which something was captured, in the local time zone.
struct WallClock {
    private let local: tm
    /// Since the second began.
    let nanoseconds: Int

    /// - Parameter hostTime: CLOCK_MONOTONIC nanoseconds.
    init(hostTime: UInt64) {
        let sinceEpoch = Self.bootTime + Int(hostTime)
        var seconds = sinceEpoch / 1_000_000_000
        var local = tm()
        localtime_r(&seconds, &local)
        self.local = local
        nanoseconds = sinceEpoch % 1_000_000_000
    }

    /// The date so many days later: `2026-11-21`.
    func date(addingDays days: Int) -> String {
        var day = local
        day.tm_mday += Int32(days)
        // At noon, which no change of the clocks moves to another day.
        day.tm_hour = 12
        mktime(&day)
        return "\(day.tm_year + 1_900)-\(pair(day.tm_mon + 1))-\(pair(day.tm_mday))"
    }

    /// A text in which strftime(3) fills in the time.
    func formatted(_ text: String) -> String {
        var local = local
        // One more character, for an empty result says the same as too small a buffer.
        let format = text + "."
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4 * format.utf8.count + 1024) { buffer in
            let count = strftime(buffer.baseAddress, buffer.count, format, &local)
            return String(decoding: buffer[..<max(count - 1, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// Frames since midnight, by the clock on the wall.
    func framesSinceMidnight(rate: Int) -> Int {
        let seconds = Double(secondsSinceMidnight) + Double(nanoseconds) * 1e-9
        return Int((seconds * Double(rate)).rounded())
    }

    /// When the next multiple of a length begins, counted from each midnight on.
    ///
    /// - Parameters:
    ///   - interval: in seconds.
    ///   - hostTime: CLOCK_MONOTONIC nanoseconds; so is what is returned.
    static func nextMultiple(of interval: Double, after hostTime: UInt64) -> UInt64 {
        let now = WallClock(hostTime: hostTime)
        let sinceMidnight = Double(now.secondsSinceMidnight) + Double(now.nanoseconds) * 1e-9
        let next = min(((sinceMidnight / interval).rounded(.down) + 1) * interval, 86_400)
        var begin = now.local
        (begin.tm_hour, begin.tm_min, begin.tm_sec) = (0, 0, Int32(next))
        // Whether summer time is in force then is for the system to find out.
        begin.tm_isdst = -1
        let nanoseconds = (next - next.rounded(.down)) * 1e9
        return UInt64(max(mktime(&begin) * 1_000_000_000 + Int(nanoseconds) - Self.bootTime, 0))
    }

    /// What CLOCK_REALTIME is ahead of CLOCK_MONOTONIC, in nanoseconds: of several looks at both the one that was least
    /// interrupted.
    private static var bootTime: Int {
        var (shortest, difference) = (UInt64.max, 0)
        for _ in 0..<8 {
            let before = MonotonicClock.now()
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let length = MonotonicClock.now() - before
            guard length < shortest else { continue }
            shortest = length
            difference = now.tv_sec * 1_000_000_000 + now.tv_nsec - Int(before + length / 2)
        }
        return difference
    }

    private var secondsSinceMidnight: Int {
        Int(local.tm_hour) * 3_600 + Int(local.tm_min) * 60 + Int(local.tm_sec)
    }

    private func pair(_ number: Int32) -> Substring {
        String(100 + number).dropFirst()
    }
}
