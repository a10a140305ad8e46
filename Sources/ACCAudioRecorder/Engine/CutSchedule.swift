/// Computes the frames at which a recording continues in new files, by its length or by local time.
struct CutSchedule {
    private let interval: Double
    private let isByClock: Bool
    private let sampleRate: Int
    /// The number of the current interval, by the length of the recording.
    private var count = 1
    /// After which time the next interval begins, by local time, in CLOCK_MONOTONIC nanoseconds; nil before the first frame.
    private var lastHostTime: UInt64?

    /// What is no interval of its own, in nanoseconds: half a second.
    private static let nearby: UInt64 = 500_000_000

    /// Nil if the policy has no interval.
    init?(_ policy: SplittingPolicy, sampleRate: Int) {
        guard let interval = policy.interval else { return nil }
        self.interval = interval
        isByClock = policy.isByClock
        self.sampleRate = sampleRate
    }

    /// The next cut among these frames; nil if there is none.
    ///
    /// - Parameter hostTime: When the first of them was captured.
    mutating func nextCut(in frames: Range<Int>, hostTime: UInt64) -> Int? {
        isByClock ? nextCutByClock(in: frames, hostTime: hostTime) : nextCutByLength(in: frames)
    }

    private mutating func nextCutByLength(in frames: Range<Int>) -> Int? {
        let place = (Double(count) * interval * Double(sampleRate)).rounded()
        guard place < Double(frames.upperBound) else { return nil }
        count += 1
        return max(Int(place), frames.lowerBound)
    }

    private mutating func nextCutByClock(in frames: Range<Int>, hostTime: UInt64) -> Int? {
        // A recording that begins just before an interval does not get a file for these moments: the first file may have
        // the name of that interval already, because it exists before its first frame arrives.
        let last = lastHostTime ?? hostTime + Self.nearby
        lastHostTime = last
        // Asked for each time, because the clock may be set.
        let next = WallClock.nextMultiple(of: interval, after: last)
        let offset = Double(Int64(bitPattern: next &- hostTime)) * 1e-9 * Double(sampleRate)
        guard offset.rounded(.up) < Double(frames.count) else { return nil }
        // The two clocks are not read at exactly the same time, so an interval that has just begun may seem to lie
        // ahead.
        lastHostTime = max(next + Self.nearby, hostTime)
        return frames.lowerBound + max(Int(offset.rounded(.up)), 0)
    }
}
