import SyntheticTakes

@testable import ACCAudioRecorder

/// A fragment through the ring: from a free slot to its release, by one thread.
enum RingBenchmark {
    static func run(turns: Int) throws -> [Figure] {
        let ring = FragmentRing(slotBytes: 1_920 * 4, minimumSlots: 64)
        var taken = 0
        var contest = Contest("a fragment through the ring", turns: turns)
        contest.add("FragmentRing") {
            precondition(ring.nextFreeSlot() != nil)
            ring.commit(.init(byteCount: ring.slotBytes))
            guard ring.waitForFragment() else { return }
            ring.take { bytes, _ in taken += bytes.count }
        }
        let figures = try contest.run(unit: "ns", nanoseconds: 1)
        precondition(taken > 0)
        return figures
    }
}
