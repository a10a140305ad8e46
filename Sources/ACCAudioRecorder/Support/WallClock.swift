import Glibc

/// The local time of day at which something was captured.
struct WallClock {
    /// The maximum length of a formatted text in bytes.
    private static let longestText = 1 << 24

    /// CLOCK_REALTIME.
    private let sinceEpoch: Duration
    /// The same in whole seconds.
    private let seconds: Int
    private let local: tm
    /// Nanoseconds since the second began, a multiple of 1,000.
    let nanoseconds: Int

    /// Creates the time of day of a time in CLOCK_MONOTONIC nanoseconds, rounded to a microsecond.
    init(hostTime: UInt64) {
        self.init(sinceEpoch: Self.bootTime + .nanoseconds(hostTime))
    }

    private init(sinceEpoch: Duration) {
        self.sinceEpoch = sinceEpoch
        // The two clocks are read some nanoseconds apart. Unless rounded, a file that begins with an hour would sometimes be
        // named after the hour before.
        let rounded = (sinceEpoch + .nanoseconds(500)).components
        var seconds = Int(rounded.seconds)
        var local = tm()
        localtime_r(&seconds, &local)
        (self.seconds, self.local) = (seconds, local)
        nanoseconds = Int(rounded.attoseconds / 1_000_000_000_000) * 1_000
    }

    /// The time that is so many nanoseconds later, or earlier if that is negative, however the system's clock was changed
    /// since.
    func advanced(by nanoseconds: Int64) -> WallClock { WallClock(sinceEpoch: sinceEpoch + .nanoseconds(nanoseconds)) }

    /// The time from which frames are counted if the one after this many was captured at a time in CLOCK_MONOTONIC
    /// nanoseconds.
    init(hostTime: UInt64, framesBefore: Int, rate: Int) {
        let before = UInt64(Double(framesBefore) / Double(rate) * 1e9)
        self.init(hostTime: hostTime - min(before, hostTime))
    }

    /// The date this many days later: `2026-11-21`.
    func date(addingDays days: Int) -> String {
        var day = local
        day.tm_mday += Int32(days)
        // At noon, which a change between summer and winter time cannot move to another day.
        day.tm_hour = 12
        mktime(&day)
        return "\(day.tm_year + 1_900)-\(pair(day.tm_mon + 1))-\(pair(day.tm_mday))"
    }

    /// A text with strftime(3) conversions, formatted with this time.
    ///
    /// - Parameter isUniversal: Whether in UTC instead of local time; without `%s`.
    func formatted(_ text: String, inUTC isUniversal: Bool = false) -> String {
        var fields = local
        if isUniversal {
            var seconds = seconds
            gmtime_r(&seconds, &fields)
        }
        // One more character, because strftime returns 0 both for an empty result and for a buffer that is too small.
        let format = text + "."
        var buffer = [CChar](repeating: 0, count: 4 * format.utf8.count + 1024)
        var count = 0
        while count == 0, buffer.count <= Self.longestText {
            count = strftime(&buffer, buffer.count, format, &fields)
            if count == 0 { buffer = [CChar](repeating: 0, count: 2 * buffer.count) }
        }
        return String(decoding: buffer.prefix(max(count - 1, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Frames since midnight, local time.
    func framesSinceMidnight(rate: Int) -> Int {
        let seconds = Double(secondsSinceMidnight) + Double(nanoseconds) * 1e-9
        return Int((seconds * Double(rate)).rounded())
    }

    /// The time of the next multiple of an interval, counted from midnight, local time: see `LocalDay`.
    ///
    /// - Parameters:
    ///   - interval: The interval in seconds.
    ///   - hostTime: The current time in CLOCK_MONOTONIC nanoseconds.
    /// - Returns: In CLOCK_MONOTONIC nanoseconds.
    static func nextMultiple(of interval: Double, after hostTime: UInt64) -> UInt64 {
        let now = (bootTime + .nanoseconds(hostTime)).components
        let seconds = LocalDay.secondsToMultiple(
            of: interval, after: Int(now.seconds), fraction: Double(now.attoseconds) * 1e-18)
        return hostTime + UInt64(max((seconds * 1e9).rounded(), 0))
    }

    /// CLOCK_REALTIME minus CLOCK_MONOTONIC, from the fastest of several pairs of readings.
    ///
    /// A `Duration`, because nanoseconds since the epoch overflow 64 bits if the clock is set to a year after 2262.
    static var bootTime: Duration {
        var (shortest, difference) = (UInt64.max, Duration.zero)
        for _ in 0..<8 {
            let before = MonotonicClock.now()
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let length = MonotonicClock.now() - before
            guard length < shortest else { continue }
            shortest = length
            difference = .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) - .nanoseconds(before + length / 2)
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
