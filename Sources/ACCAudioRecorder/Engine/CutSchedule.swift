/// At which frames a recording goes on in new files, by its length or by the clock on the wall.
struct CutSchedule {
    private let interval: Double
    private let isByClock: Bool
    private let sampleRate: Int
    /// How many intervals there have been, by the length of the recording.
    private var count = 1
    /// When the next one begins, by the clock, in CLOCK_MONOTONIC nanoseconds; nil before the first frame.
    private var nextHostTime: UInt64?

    /// Nil where the policy has no intervals.
    init?(_ policy: SplittingPolicy, sampleRate: Int) {
        guard let interval = policy.interval else { return nil }
        self.interval = interval
        isByClock = policy.isByClock
        self.sampleRate = sampleRate
    }

    /// The next place among these frames where a file begins; nil where there is none any more.
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
        let next = nextHostTime ?? WallClock.nextMultiple(of: interval, after: hostTime)
        nextHostTime = next
        let offset = Double(Int64(bitPattern: next &- hostTime)) * 1e-9 * Double(sampleRate)
        guard offset.rounded(.up) < Double(frames.count) else { return nil }
        // The two clocks are never read at quite the same time, so what has just begun may seem to be still ahead.
        nextHostTime = WallClock.nextMultiple(of: interval, after: max(next + 500_000_000, hostTime))
        return frames.lowerBound + max(Int(offset.rounded(.up)), 0)
    }
}
