import Synchronization

/// Fragments on their way from the capture thread to the engine thread.
///
/// The capture thread reads into slots, one fragment each, and the engine thread works from them in place: nothing is
/// copied, and neither ever waits for a lock. One producer, one consumer. What waits is a ring of entries, each with the
/// number of its slot; positions run free, and an entry is `position & mask`. The slot that was given back last is taken
/// next, so that only as much memory is touched as fragments ever waited at once, and that is still in the caches.
///
/// `@unchecked Sendable`: an entry and its slot belong to the producer until `commit` stores `written` (release), then to
/// the consumer, who sees them by loading `written` (acquire), until `take` stores `read` (release), which the producer
/// loads (acquire) before it takes them back. `free`, `freeCount` and `reclaimed` are the producer's alone, `end`
/// the consumer's.
final class FragmentRing: @unchecked Sendable {
    /// What the capture thread found out about a fragment.
    struct Stamp {
        /// Whole frames in the slot; less than a full slot at the end of a capture, and where the server told of a change.
        var byteCount = 0
        /// When the first frame was captured, in CLOCK_MONOTONIC nanoseconds, as far as the server's latency says.
        var hostTime: UInt64 = 0
        /// When the last frame was read, in CLOCK_MONOTONIC nanoseconds.
        var arrivalTime: UInt64 = 0
        /// For how long the machine had slept by then, in nanoseconds, from some moment on.
        var timeAsleep: Int64 = 0
        /// Frames that were dropped just before this fragment because the ring was full.
        var framesLostBefore = 0
        /// How often the server had told of a change by then; nil where it may have told of one that was not heard.
        var changeCount: Int?
        /// The `changeCount` of the fragment before.
        var changeCountBefore: Int?
        /// How much of this fragment had been read, in bytes, while it was still that.
        var unchangedByteCount = 0
    }

    /// A fragment that waits.
    private struct Entry {
        var stamp = Stamp()
        var slot = 0
    }

    /// The size of a slot in bytes.
    let slotBytes: Int
    private let mask: Int
    private let bytes: UnsafeMutableRawBufferPointer
    private let entries: UnsafeMutableBufferPointer<Entry>
    /// The numbers of the free slots that the producer knows of, a stack of `freeCount`.
    private let free: UnsafeMutableBufferPointer<Int>
    private var freeCount: Int
    /// The position up to which the producer has taken back what the consumer is done with.
    private var reclaimed = 0
    private let written = Atomic<Int>(0)
    private let read = Atomic<Int>(0)
    /// The position at which the consumer wants to be woken.
    private let wanted = Atomic<Int>(1)
    private let isUrgent = Atomic<Bool>(false)
    private let isClosed = Atomic<Bool>(false)
    private let lostAtEnd = Atomic<Int>(0)
    /// The position behind which the consumer takes nothing.
    private var end = Int.max
    private let consumer = ThreadWaker()

    /// After how long without a wake-up a consumer is told that nothing comes, in nanoseconds.
    static let idleTime: UInt64 = 2_000_000_000
    /// A wait that takes so much longer was held up itself: by a stop of this program, say.
    private static let shortestHoldUp: UInt64 = 500_000_000

    /// - Parameter minimumSlots: Rounded up to a power of two.
    init(slotBytes: Int, minimumSlots: Int) {
        var slots = 1
        while slots < minimumSlots { slots *= 2 }
        self.slotBytes = slotBytes
        mask = slots - 1
        bytes = .allocate(byteCount: slots * slotBytes, alignment: 64)
        entries = .allocate(capacity: slots)
        entries.initialize(repeating: Entry())
        free = .allocate(capacity: slots)
        _ = free.initialize(from: (0..<slots).reversed())
        freeCount = slots
    }

    deinit {
        bytes.deallocate()
        entries.deallocate()
        free.deallocate()
    }
}

// MARK: - The producer's end

extension FragmentRing {
    /// The next free slot, or nil where the consumer is a whole ring behind.
    func nextFreeSlot() -> UnsafeMutableRawBufferPointer? {
        let end = read.load(ordering: .acquiring)
        while reclaimed < end {
            free[freeCount] = entries[reclaimed & mask].slot
            freeCount += 1
            reclaimed += 1
        }
        return freeCount > 0 ? slot(free[freeCount - 1]) : nil
    }

    /// Hands the slot of `nextFreeSlot()` to the consumer.
    ///
    /// - Parameter isUrgent: Whether a consumer that waits for several is to look at this one at once.
    func commit(_ stamp: Stamp, isUrgent: Bool = false) {
        let position = written.load(ordering: .relaxed)
        freeCount -= 1
        entries[position & mask] = Entry(stamp: stamp, slot: free[freeCount])
        // Either the consumer sees this fragment before it waits, or this thread sees what it wants.
        written.store(position + 1, ordering: .sequentiallyConsistent)
        if isUrgent { self.isUrgent.store(true, ordering: .releasing) }
        if isUrgent || position + 1 >= wanted.load(ordering: .sequentiallyConsistent) { consumer.wake() }
    }

    /// No more fragments will come.
    ///
    /// - Parameter framesLost: Frames that were dropped after the last fragment because the ring was full.
    func close(framesLost: Int = 0) {
        lostAtEnd.store(framesLost, ordering: .relaxed)
        isClosed.store(true, ordering: .releasing)
        consumer.wake()
    }
}

// MARK: - The consumer's end

extension FragmentRing {
    /// Frames that were dropped after the last fragment; known when `waitForFragment` has returned false.
    var framesLostAtEnd: Int { lostAtEnd.load(ordering: .relaxed) }

    /// How many slots there are.
    var slotCount: Int { mask + 1 }

    /// How many fragments wait to be taken.
    var filledCount: Int { min(written.load(ordering: .acquiring), end) - read.load(ordering: .relaxed) }

    /// Waits until there is a fragment to take; false when the ring is closed and empty.
    func waitForFragment() -> Bool {
        waitForFragments(1) > 0
    }

    /// Waits until there are so many fragments to take, no more than the ring has slots, or until it is closed.
    ///
    /// - Parameters:
    ///   - endsEarly: Whether one that is urgent ends the wait.
    ///   - noteIdle: Called each time that nothing has come for `idleTime`.
    /// - Returns: How many there are; fewer also where the consumer takes no more.
    func waitForFragments(
        _ count: Int, orUrgentOne endsEarly: Bool = false, noteIdle: () -> Void = {}
    ) -> Int {
        let position = min(read.load(ordering: .relaxed) + min(count, slotCount), end)
        wanted.store(position, ordering: .sequentiallyConsistent)
        while written.load(ordering: .sequentiallyConsistent) < position {
            // Closed is read first, then the count once more: the last commit comes before the closing.
            if isClosed.load(ordering: .acquiring) { return filledCount }
            if endsEarly, isUrgent.exchange(false, ordering: .acquiring), filledCount > 0 { return filledCount }
            let deadline = MonotonicClock.now() + Self.idleTime
            if !consumer.wait(until: deadline), MonotonicClock.now() < deadline + Self.shortestHoldUp { noteIdle() }
        }
        return filledCount
    }

    /// The stamp of a fragment that waits to be taken: 0 for the next.
    func stamp(of index: Int) -> Stamp {
        entries[(read.load(ordering: .relaxed) + index) & mask].stamp
    }

    /// The stamps of the next fragments that wait to be taken.
    func stamps(_ count: Int) -> some RandomAccessCollection<Stamp> {
        (0..<count).lazy.map { self.stamp(of: $0) }
    }

    /// Takes nothing that comes after the beginning of a fragment that waits.
    ///
    /// - Parameter byteCount: The length of the beginning, whole frames, less than there are; 0 for none.
    func end(within index: Int, after byteCount: Int) {
        let position = read.load(ordering: .relaxed) + index
        entries[position & mask].stamp.byteCount = byteCount
        end = byteCount > 0 ? position + 1 : position
    }

    /// Calls `body` with the next fragment, which has to be there.
    func take<Failure: Error>(
        _ body: (UnsafeRawBufferPointer, Stamp) throws(Failure) -> Void
    ) throws(Failure) {
        let position = read.load(ordering: .relaxed)
        let entry = entries[position & mask]
        defer { read.store(position + 1, ordering: .releasing) }
        try body(UnsafeRawBufferPointer(rebasing: slot(entry.slot)[..<entry.stamp.byteCount]), entry.stamp)
    }

    private func slot(_ number: Int) -> UnsafeMutableRawBufferPointer {
        let start = number * slotBytes
        return UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + slotBytes])
    }
}
