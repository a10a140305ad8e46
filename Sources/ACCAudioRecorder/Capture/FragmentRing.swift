import Dispatch
import Synchronization

/// Fragments on their way from the capture thread to the engine thread.
///
/// A ring of equal slots, one fragment each, that the capture thread reads into and the engine thread
/// works from in place: nothing is copied, and neither ever waits for a lock. One producer, one consumer.
/// Positions run free; a slot is `position & mask`.
///
/// `@unchecked Sendable`: a slot belongs to the producer until `commit` stores `written` (release), then to
/// the consumer, who sees it by loading `written` (acquire), until `release` stores `read` (release), which
/// the producer loads (acquire) before it takes the slot again.
final class FragmentRing: @unchecked Sendable {
    /// What the capture thread found out about a fragment.
    struct Stamp {
        /// Whole frames in the slot; less than a full slot only at the end of a capture.
        var byteCount = 0
        /// When the first frame was captured, in CLOCK_MONOTONIC nanoseconds, as far as the server's latency says.
        var hostTime: UInt64 = 0
        /// When the last frame was read, in CLOCK_MONOTONIC nanoseconds.
        var arrivalTime: UInt64 = 0
        /// For how long the machine had slept by then, in nanoseconds, from some moment on.
        var timeAsleep: Int64 = 0
        /// Frames that were dropped just before this fragment because the ring was full.
        var framesLostBefore = 0
    }

    /// The size of a slot in bytes.
    let slotBytes: Int
    private let mask: Int
    private let bytes: UnsafeMutableRawBufferPointer
    private let stamps: UnsafeMutableBufferPointer<Stamp>
    private let written = Atomic<Int>(0)
    private let read = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private let lostAtEnd = Atomic<Int>(0)
    private let available = DispatchSemaphore(value: 0)

    /// - Parameter minimumSlots: Rounded up to a power of two.
    init(slotBytes: Int, minimumSlots: Int) {
        var slots = 1
        while slots < minimumSlots { slots *= 2 }
        self.slotBytes = slotBytes
        mask = slots - 1
        bytes = .allocate(byteCount: slots * slotBytes, alignment: 64)
        stamps = .allocate(capacity: slots)
        stamps.initialize(repeating: Stamp())
    }

    deinit {
        bytes.deallocate()
        stamps.deallocate()
    }
}

// MARK: - The producer's end

extension FragmentRing {
    /// The next free slot, or nil where the consumer is a whole ring behind.
    func nextFreeSlot() -> UnsafeMutableRawBufferPointer? {
        let position = written.load(ordering: .relaxed)
        guard position - read.load(ordering: .acquiring) <= mask else { return nil }
        return slot(at: position)
    }

    /// Hands the slot of `nextFreeSlot()` to the consumer.
    func commit(_ stamp: Stamp) {
        let position = written.load(ordering: .relaxed)
        stamps[position & mask] = stamp
        written.store(position + 1, ordering: .releasing)
        available.signal()
    }

    /// No more fragments will come.
    ///
    /// - Parameter framesLost: Frames that were dropped after the last fragment because the ring was full.
    func close(framesLost: Int = 0) {
        lostAtEnd.store(framesLost, ordering: .relaxed)
        isClosed.store(true, ordering: .releasing)
        available.signal()
    }
}

// MARK: - The consumer's end

extension FragmentRing {
    /// Frames that were dropped after the last fragment; known when `waitForFragment` has returned false.
    var framesLostAtEnd: Int { lostAtEnd.load(ordering: .relaxed) }

    /// How many fragments wait to be taken.
    var filledCount: Int { written.load(ordering: .acquiring) - read.load(ordering: .relaxed) }

    /// Waits until there is a fragment to take; false when the ring is closed and empty.
    func waitForFragment() -> Bool {
        waitForFragments(1) > 0
    }

    /// Waits until there are so many fragments to take, no more than the ring has slots, or until it is closed.
    ///
    /// - Returns: How many there are.
    func waitForFragments(_ count: Int) -> Int {
        while filledCount < min(count, mask + 1) {
            // Closed is read first, then the count once more: the last commit comes before the closing.
            if isClosed.load(ordering: .acquiring) { return filledCount }
            available.wait()
        }
        return filledCount
    }

    /// The stamp of a fragment that waits to be taken: 0 for the next.
    func stamp(of index: Int) -> Stamp {
        stamps[(read.load(ordering: .relaxed) + index) & mask]
    }

    /// Calls `body` with the next fragment, which has to be there.
    func take<Failure: Error>(
        _ body: (UnsafeRawBufferPointer, Stamp) throws(Failure) -> Void
    ) throws(Failure) {
        let position = read.load(ordering: .relaxed)
        let stamp = stamps[position & mask]
        defer { read.store(position + 1, ordering: .releasing) }
        try body(UnsafeRawBufferPointer(rebasing: slot(at: position)[..<stamp.byteCount]), stamp)
    }

    private func slot(at position: Int) -> UnsafeMutableRawBufferPointer {
        let start = (position & mask) * slotBytes
        return UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + slotBytes])
    }
}
