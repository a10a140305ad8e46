import SyntheticRecordings

@testable import ACCAudioRecorder

/// A fragment through the ring: from a free slot to its release, by one thread.
enum RingBenchmark {
    static func run(turns: Int) throws -> [Figure] {
        let ring = try CaptureRing(slotBytes: 1_920 * 4, waitingSlots: 64)
        var taken = 0
        var contest = Contest("a fragment through the ring", turns: turns)
        contest.add("CaptureRing") {
            precondition(ring.nextFreeSlot() != nil)
            ring.append(FragmentStamp(byteCount: ring.slotBytes))
            guard ring.wait(for: 1) == .ready else { return }
            ring.remove { _, bytes in taken += bytes.count }
        }
        let figures = try contest.run(unit: "ns", nanoseconds: 1)
        precondition(taken > 0)
        return figures
    }
}
