import Glibc

/// When a frame of a take was captured, counted in frames from its first one on, so that what consecutive files say adds
/// up exactly.
struct BroadcastTime {
    private let start: WallClock
    private let days: Int
    private let rate: Int
    /// Frames since midnight.
    let reference: Int

    /// - Parameters:
    ///   - start: When the first frame of the take was captured.
    ///   - frame: The number of the frame.
    ///   - rate: Frames a second.
    init(start: WallClock, frame: Int, rate: Int) {
        self.start = start
        self.rate = rate
        (days, reference) = (start.framesSinceMidnight(rate: rate) + frame).quotientAndRemainder(
            dividingBy: 86_400 * rate)
    }

    /// `2026-11-21`
    var date: String { start.date(addingDays: days) }

    /// `18:05:09`
    var time: String {
        let seconds = reference / rate
        return [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { String(String(100 + $0).dropFirst()) }
            .joined(separator: ":")
    }

    /// Date and time to the millisecond, after ISO 8601.
    var timestamp: String {
        "\(date)T\(time).\(String(1_000 + reference % rate * 1_000 / rate).dropFirst())"
    }
}
