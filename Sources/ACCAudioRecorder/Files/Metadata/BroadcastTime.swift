import Glibc

/// The capture time of a frame, counted in frames from the first one of the recording, so that the times of consecutive
/// files add up exactly.
struct BroadcastTime {
    private let start: WallClock
    private let days: Int
    private let rate: Int
    /// Frames since midnight.
    let reference: Int

    /// - Parameters:
    ///   - start: When the first frame of the recording was captured.
    ///   - frame: The number of the frame.
    ///   - rate: The sample rate in Hz.
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

    /// Date and time to the millisecond, in ISO 8601 format.
    var timestamp: String {
        "\(date)T\(time).\(String(1_000 + reference % rate * 1_000 / rate).dropFirst())"
    }
}
