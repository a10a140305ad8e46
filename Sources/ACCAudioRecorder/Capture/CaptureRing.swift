import Synchronization

/// The ring buffer that carries the items of an input from the capture thread to the engine thread.
///
/// The capture thread copies a fragment into a slot, and the engine thread processes it in place. Neither ever waits
/// for a lock. There is one producer and one consumer. The ring holds entries; the entry of a fragment has the number
/// of its slot. Positions are never wrapped, and the index of an entry is `position & mask`. The slot that was freed
/// last is used next, so only as many slots as ever waited at once are touched, and these stay in the caches.
///
/// `@unchecked Sendable`: an entry and its slot belong to the producer until `append` stores `written` (release), then
/// to the consumer, which sees them by loading `written` (acquire), until `remove` stores `read` (release), which the
/// producer loads (acquire) before it reuses them. `free`, `freeCount` and `reclaimed` belong to the producer. `end` is
/// written before `isClosed` is stored (release), and read after that was loaded (acquire).
final class CaptureRing: @unchecked Sendable {
    /// An item in the ring, and the slot of a fragment.
    private struct Entry {
        var item = CaptureItem.resumed
        var slot = 0
    }

    /// Why a consumer's wait ended.
    enum Wait {
        /// There is at least one item, perhaps fewer than requested.
        case ready
        /// Nothing arrived for `idleTime`.
        case idle
        /// The ring is closed and empty.
        case closed
    }

    /// The size of a slot in bytes.
    let slotBytes: Int
    /// The number of slots.
    let slotCount: Int
    private let mask: Int
    private let bytes: UnsafeMutableRawBufferPointer
    private let entries: UnsafeMutableBufferPointer<Entry>
    /// A stack of `freeCount` slot numbers: the free slots that the producer knows of.
    private let free: UnsafeMutableBufferPointer<Int>
    private var freeCount: Int
    /// The position up to which the producer has reclaimed slots.
    private var reclaimed = 0
    private let written = Atomic<Int>(0)
    private let read = Atomic<Int>(0)
    /// The position at which the consumer wants to be woken.
    private let wanted = Atomic<Int>(1)
    /// The position after the last item other than a fragment; the consumer is woken for such an item at once.
    private let urgentEnd = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private var end = CaptureEnd.stopped
    private let consumer = ThreadWaker()

    /// How long a wait lasts without a wake-up, in nanoseconds.
    static let idleTime: UInt64 = 2_000_000_000
    /// A wait this much longer than `idleTime` (in nanoseconds) was itself delayed, for example because this process
    /// was stopped.
    private static let shortestDelay: UInt64 = 500_000_000

    /// - Parameter minimumSlots: Rounded up to a power of two.
    init(slotBytes: Int, minimumSlots: Int) {
        var slots = 1
        while slots < minimumSlots { slots *= 2 }
        self.slotBytes = slotBytes
        slotCount = slots
        // At most one other item comes between two fragments.
        mask = 2 * slots - 1
        bytes = .allocate(byteCount: slots * slotBytes, alignment: 64)
        entries = .allocate(capacity: 2 * slots)
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

extension CaptureRing {
    /// The next free slot; nil if the ring is full.
    func nextFreeSlot() -> UnsafeMutableRawBufferPointer? {
        reclaim()
        return freeCount > 0 && hasRoom ? slot(free[freeCount - 1]) : nil
    }

    /// Hands the slot of `nextFreeSlot()` to the consumer.
    func append(_ stamp: FragmentStamp) {
        freeCount -= 1
        append(Entry(item: .fragment(stamp), slot: free[freeCount]), isUrgent: false)
    }

    /// Appends an item other than a fragment and wakes the consumer; false if the ring is full.
    func append(_ item: CaptureItem) -> Bool {
        reclaim()
        guard hasRoom else { return false }
        append(Entry(item: item), isUrgent: true)
        return true
    }

    /// Closes the ring: no more items will come, for this reason.
    func close(_ end: CaptureEnd) {
        self.end = end
        isClosed.store(true, ordering: .releasing)
        consumer.wake()
    }

    private var hasRoom: Bool { written.load(ordering: .relaxed) - reclaimed <= mask }

    private func append(_ entry: Entry, isUrgent: Bool) {
        let position = written.load(ordering: .relaxed)
        entries[position & mask] = entry
        if isUrgent { urgentEnd.store(position + 1, ordering: .releasing) }
        // Sequentially consistent, so that either the consumer sees this entry before it waits, or this thread sees
        // `wanted`.
        written.store(position + 1, ordering: .sequentiallyConsistent)
        if isUrgent || position + 1 >= wanted.load(ordering: .sequentiallyConsistent) { consumer.wake() }
    }

    private func reclaim() {
        let end = read.load(ordering: .acquiring)
        while reclaimed < end {
            let entry = entries[reclaimed & mask]
            if case .fragment = entry.item {
                free[freeCount] = entry.slot
                freeCount += 1
            }
            reclaimed += 1
        }
    }
}

// MARK: - The consumer's end

extension CaptureRing {
    /// The number of items in the ring.
    var count: Int { written.load(ordering: .acquiring) - read.load(ordering: .relaxed) }

    /// Why the input ended; valid after a wait has returned `closed`.
    var captureEnd: CaptureEnd { end }

    /// Waits until there are `count` items (at most `slotCount`) or an item other than a fragment, or until the ring is
    /// closed.
    func wait(for count: Int) -> Wait {
        let next = read.load(ordering: .relaxed)
        let position = next + min(count, slotCount)
        wanted.store(position, ordering: .sequentiallyConsistent)
        while written.load(ordering: .sequentiallyConsistent) < position {
            if urgentEnd.load(ordering: .acquiring) > next, self.count > 0 { return .ready }
            // `isClosed` is read before the count, because the last item is appended before closing.
            if isClosed.load(ordering: .acquiring) { return self.count > 0 ? .ready : .closed }
            let deadline = MonotonicClock.now() + Self.idleTime
            if !consumer.wait(until: deadline), MonotonicClock.now() < deadline + Self.shortestDelay {
                return self.count > 0 ? .ready : .idle
            }
        }
        return .ready
    }

    /// An item in the ring: 0 for the next one.
    func item(_ index: Int) -> CaptureItem {
        entries[(read.load(ordering: .relaxed) + index) & mask].item
    }

    /// The stamps of the next items, up to the first that is not a fragment.
    struct Stamps: RandomAccessCollection {
        let startIndex = 0
        let endIndex: Int
        fileprivate let ring: CaptureRing

        subscript(index: Int) -> FragmentStamp { ring.item(index).stamp ?? FragmentStamp() }
    }

    /// Waits for `count` fragments, or until another kind of item follows.
    ///
    /// - Returns: Their stamps; fewer if another kind of item follows or no more arrive.
    func stamps(awaiting count: Int) -> Stamps {
        if self.count < count { _ = wait(for: min(count, slotCount / 2)) }
        let present = 0..<min(count, self.count)
        return Stamps(endIndex: present.first { item($0).stamp == nil } ?? present.upperBound, ring: self)
    }

    /// Removes the oldest items, as long as the others hold at least this many bytes of audio.
    func removeItems(keeping byteCount: Int) {
        var total = (0..<count).reduce(0) { $0 + (item($1).stamp?.byteCount ?? 0) }
        while count > 0 {
            total -= item(0).stamp?.byteCount ?? 0
            guard total >= byteCount else { return }
            remove { _, _ in }
        }
    }

    /// Calls `body` with the next item, which must exist, and the bytes of its fragment (empty for other items), then
    /// removes it.
    func remove<Failure: Error>(
        _ body: (CaptureItem, UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let position = read.load(ordering: .relaxed)
        let entry = entries[position & mask]
        defer { read.store(position + 1, ordering: .releasing) }
        guard case .fragment(let stamp) = entry.item else {
            return try body(entry.item, UnsafeRawBufferPointer(start: nil, count: 0))
        }
        try body(entry.item, UnsafeRawBufferPointer(rebasing: slot(entry.slot)[..<stamp.byteCount]))
    }

    private func slot(_ number: Int) -> UnsafeMutableRawBufferPointer {
        let start = number * slotBytes
        return UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + slotBytes])
    }
}
