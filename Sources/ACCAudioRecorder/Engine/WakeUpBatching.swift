/// Computes how many fragments to collect in the ring before waking the engine's thread: wake-ups are most of a
/// recorder's CPU cost.
struct WakeUpBatching {
    private let fragmentsPerSecond: Double
    private let longestBatch: Double
    private let largestBatch: Int

    init(_ ring: CaptureRing, of spec: SampleSpec, longestBatch: Double) {
        self.init(
            fragmentsPerSecond: Double(spec.rate * spec.bytesPerFrame) / Double(ring.slotBytes),
            slotCount: ring.slotCount, longestBatch: longestBatch)
    }

    /// - Parameters:
    ///   - slotCount: The number of fragments that fit into the ring.
    ///   - longestBatch: The longest that is collected if nobody waits, in seconds.
    init(fragmentsPerSecond: Double, slotCount: Int, longestBatch: Double) {
        self.fragmentsPerSecond = fragmentsPerSecond
        self.longestBatch = longestBatch
        largestBatch = max(slotCount / 4, 1)
    }

    /// The number of fragments to wait for.
    ///
    /// - Parameter seconds: The length of audio until somebody waits for a result; infinity if nobody does.
    func fragmentCount(awaitedIn seconds: Double) -> Int {
        let count = (min(longestBatch, seconds) * fragmentsPerSecond).rounded(.up)
        return max(min(Int(count), largestBatch), 1)
    }
}
