import Testing

@testable import ACCAudioRecorder

@Suite struct WakeUpBatchingTests {
    @Test(
        "Fragments are batched until somebody waits, for at most 0.64 s, and never fill the ring",
        arguments: [
            // Fragments per second, slots of the ring, after how many seconds somebody waits, and the batch size.
            (25.0, 256, Double.infinity, 16),
            (25, 256, 0.5, 13),
            (25, 256, 0.1, 3),
            (25, 256, 0.04, 1),
            (25, 256, 0.041, 2),
            (25, 256, 0, 1),
            (25, 256, -3, 1),
            (100, 1_024, .infinity, 64),
            (100, 64, .infinity, 16),
            (25, 4, .infinity, 1),
            (25, 2, .infinity, 1),
            (0.5, 4, .infinity, 1),
        ])
    func gathers(fragmentsPerSecond: Double, slotCount: Int, seconds: Double, count: Int) {
        let batching = WakeUpBatching(
            fragmentsPerSecond: fragmentsPerSecond, slotCount: slotCount, longestBatch: 0.64)
        #expect(batching.fragmentCount(awaitedIn: seconds) == count)
    }
}
