import Glibc
import Synchronization

/// The ring buffer that carries the items of an input from the capture thread to the engine thread.
///
/// The capture thread copies a fragment into a slot, and the engine thread processes it in place. Neither ever waits
/// for a lock. There is one producer and one consumer. The ring holds entries; the entry of a fragment has the number
/// of its slot. Positions are never wrapped, and the index of an entry is `position & mask`. The slot that was freed
/// last is used next, so only as many slots as ever waited at once are touched, and these stay in the caches.
///
/// A ring may keep the newest of the items that its consumer has removed: the consumer can read their fragments again
/// (`bytes(at:)`), begin with them again (`rewind`), or have them copied (`CaptureRing+Copy`). Items without audio
/// among them never leave too little room for the next items.
///
/// `@unchecked Sendable`: an entry and its slot belong to the producer until `append` stores `written` (release), then
/// to the consumer, which sees them by loading `written` (acquire), until `remove` stores `read` (release), which the
/// producer loads (acquire) before it reuses them. `freeSlots`, `freeCount`, `usedCount` and `reclaimed` belong to the
/// producer, `next`, `nextStamps` and `keptByteCount` to the consumer. `end` is written before `closed` is stored (release), and
/// read after `closed` was loaded (acquire).
final class CaptureRing: @unchecked Sendable {
    /// An item in the ring, and the slot of a fragment.
    private struct Entry: BitwiseCopyable {
        var item: CaptureItem
        var slot = 0
    }

    /// A frame in a fragment of the ring.
    struct Place: Sendable, Hashable {
        /// The position of the fragment.
        var position: Int
        /// Counted from the fragment's first frame; negative for a frame before it.
        var frame: Int
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
    /// The slots.
    private let bytes: UnsafeMutableRawPointer
    private let entries: UnsafeMutablePointer<Entry>
    /// A stack of `freeCount` slot numbers: the slots that the producer knows to be free again.
    private let freeSlots: UnsafeMutablePointer<Int>
    private var freeCount = 0
    /// The number of slots that were ever used.
    private var usedCount = 0
    /// The position up to which the producer has reclaimed slots.
    private var reclaimed = 0
    private let written = Atomic<Int>(0)
    /// The position of the first item that the consumer still needs.
    private let read = Atomic<Int>(0)
    /// The position of the item that the consumer removes next.
    private var next = 0
    /// The result of `stamps(awaiting:)`, whose memory is used again.
    private var nextStamps: [FragmentStamp] = []
    /// The bytes of audio that the ring keeps when they are removed, and those of the items that it has kept.
    private let keptBytes: Int
    private var keptByteCount = 0
    /// The most items that the ring keeps, so that items without audio leave slots for the next ones.
    private let mostKeptItems: Int
    /// The position at which the consumer wants to be woken.
    private let wanted = Atomic<Int>(1)
    /// The position after the last item other than a fragment; the consumer is woken for such an item at once.
    private let urgentEnd = Atomic<Int>(0)
    private let closed = Atomic<Bool>(false)
    private var end = CaptureEnd.stopped
    private let consumer: ThreadWaker
    /// Requests for copies of what the ring holds.
    let copyRequests = CopyRequests()

    /// As many fragments as are looked at together where one is late; more only if they are shorter than usual.
    private static let usualLookahead = 128

    /// How long a wait lasts without a wake-up, in nanoseconds.
    static let idleTime: UInt64 = 2_000_000_000
    /// How long the producer then has to deliver what has arrived meanwhile, in nanoseconds, in case this process was stopped.
    private static let producersTurn: UInt64 = 250_000_000

    /// - Parameters:
    ///   - waitingSlots: The number of slots for what waits for the consumer.
    ///   - keptBytes: The bytes of audio to keep when they are removed.
    ///   - consumer: Wakes the consumer, which may take from other rings as well.
    /// - Throws: If there is not enough memory.
    init(
        slotBytes: Int, waitingSlots: Int, keptBytes: Int = 0, consumer: ThreadWaker = ThreadWaker()
    ) throws(CaptureFailure) {
        self.consumer = consumer
        // Half as many again as full fragments need, because a short one or another item takes the place of one.
        mostKeptItems = (3 * keptBytes / slotBytes + 1) / 2
        slotCount = waitingSlots + mostKeptItems
        // Usually, at most one other item comes between two fragments.
        var entryCount = 1
        while entryCount < 2 * slotCount { entryCount *= 2 }
        mask = entryCount - 1
        self.slotBytes = slotBytes
        self.keptBytes = keptBytes
        // Nothing is written here before it is used, so memory that is never used is never occupied.
        let memory = [
            slotCount * slotBytes, entryCount * MemoryLayout<Entry>.stride, slotCount * MemoryLayout<Int>.stride,
        ].map { Self.allocate($0) }
        guard let bytes = memory[0], let entries = memory[1], let freeSlots = memory[2] else {
            for part in memory { free(part) }
            throw CaptureFailure(.system, String(cString: strerror(ENOMEM)))
        }
        nextStamps.reserveCapacity(Self.usualLookahead)
        self.bytes = bytes
        self.entries = entries.bindMemory(to: Entry.self, capacity: entryCount)
        self.freeSlots = freeSlots.bindMemory(to: Int.self, capacity: slotCount)
    }

    deinit {
        free(bytes)
        free(entries)
        free(freeSlots)
    }

    /// Unlike Swift's own allocation, which ends the program if there is not enough memory.
    private static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        var memory: UnsafeMutableRawPointer?
        return posix_memalign(&memory, 64, byteCount) == 0 ? memory : nil
    }
}

// MARK: - The producer's end

extension CaptureRing {
    /// The next free slot; nil if the ring is full.
    func nextFreeSlot() -> UnsafeMutableRawBufferPointer? {
        reclaim()
        guard hasRoom else { return nil }
        if freeCount > 0 { return slot(freeSlots[freeCount - 1]) }
        return usedCount < slotCount ? slot(usedCount) : nil
    }

    /// Hands the slot of `nextFreeSlot()` to the consumer.
    func append(_ stamp: FragmentStamp) {
        let slot: Int
        if freeCount > 0 {
            freeCount -= 1
            slot = freeSlots[freeCount]
        } else {
            slot = usedCount
            usedCount += 1
        }
        append(Entry(item: .fragment(stamp), slot: slot), isUrgent: false)
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
        closed.store(true, ordering: .releasing)
        consumer.wake()
    }

    /// Wakes the consumer, for something that is not in the ring. Any thread may call.
    func wakeConsumer() { consumer.wake() }

    /// How many items the consumer waits for, at least one.
    var awaitedCount: Int { max(wanted.load(ordering: .relaxed) - written.load(ordering: .relaxed), 1) }

    /// How many slots are free at least. In contrast to `nextFreeSlot`, changes nothing, not even which slot is the next.
    var leastFreeSlots: Int { slotCount - (written.load(ordering: .relaxed) - read.load(ordering: .acquiring)) }

    private var hasRoom: Bool { written.load(ordering: .relaxed) - reclaimed <= mask }

    private func append(_ entry: Entry, isUrgent: Bool) {
        let position = written.load(ordering: .relaxed)
        (entries + (position & mask)).initialize(to: entry)
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
                (freeSlots + freeCount).initialize(to: entry.slot)
                freeCount += 1
            }
            reclaimed += 1
        }
    }
}

// MARK: - The consumer's end

extension CaptureRing {
    /// The number of items that were not removed yet.
    var count: Int { written.load(ordering: .acquiring) - next }

    /// The share of the slots that are not free.
    var fullness: Double { Double(count) / Double(slotCount) }

    /// Why the input ended; valid after a wait has returned `closed`.
    var captureEnd: CaptureEnd { end }

    /// The number of items that fit into the ring beside those that it keeps, at least one.
    private var room: Int { max(slotCount - (next - read.load(ordering: .relaxed)), 1) }

    /// Waits until there are `count` items (at most as many as fit) or an item other than a fragment, or until the ring is
    /// closed.
    ///
    /// - Parameter hasNews: Whether something else has happened that the waker was woken for.
    func wait(for count: Int, orUntil hasNews: () -> Bool = { false }) -> Wait {
        let position = next + min(count, room)
        wanted.store(position, ordering: .sequentiallyConsistent)
        while written.load(ordering: .sequentiallyConsistent) < position, !hasNews() {
            if urgentEnd.load(ordering: .acquiring) > next, self.count > 0 { return .ready }
            // `isClosed` is read before the count, because the last item is appended before closing.
            if isClosed { return self.count > 0 ? .ready : .closed }
            if isIdle { return self.count > 0 ? .ready : .idle }
        }
        return .ready
    }

    /// Waits for the producer, and returns whether it has delivered nothing for `idleTime`.
    ///
    /// If the process was stopped for longer than `idleTime`, this wait is over before the producer has run. So a short wait
    /// follows, and is repeated until it takes no longer than it should.
    private var isIdle: Bool {
        if consumer.wait(until: MonotonicClock.now() + Self.idleTime) { return false }
        while true {
            let begin = MonotonicClock.now()
            if consumer.wait(until: begin + Self.producersTurn) { return false }
            if MonotonicClock.now() < begin + 2 * Self.producersTurn { return true }
        }
    }

    /// An item in the ring: 0 for the next one.
    func item(_ index: Int) -> CaptureItem {
        entries[(next + index) & mask].item
    }

    /// Waits for `count` fragments, or until another kind of item follows.
    ///
    /// - Parameter hasNews: Whether the wait is over for another reason.
    /// - Returns: Their stamps; fewer if another kind of item follows or no more arrive.
    func stamps(awaiting count: Int, orUntil hasNews: () -> Bool = { false }) -> ArraySlice<FragmentStamp> {
        if self.count < count { _ = wait(for: min(count, max(room / 2, 1)), orUntil: hasNews) }
        return stamps(atMost: count)
    }

    /// The stamps of the next fragments, at most `count`; fewer if no more have arrived, or another kind of item follows.
    func stamps(atMost count: Int) -> ArraySlice<FragmentStamp> {
        nextStamps.removeAll(keepingCapacity: true)
        for index in 0..<min(count, self.count) {
            guard let stamp = item(index).stamp else { break }
            nextStamps.append(stamp)
        }
        return nextStamps[...]
    }

    /// Calls `body` with the next item, which must exist, and the bytes of its fragment (empty for other items), then
    /// removes it.
    func remove<Failure: Error>(
        _ body: (CaptureItem, UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let position = next
        defer {
            next += 1
            keptByteCount += entries[position & mask].item.stamp?.byteCount ?? 0
            releaseOldItems()
        }
        try body(entries[position & mask].item, bytes(at: position))
    }

    /// Whether nothing more is appended.
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// The position of the next item, which counts all items before it.
    var position: Int { next }

    /// The bytes of the fragment at a position that is in the ring or kept by it (`heldPositions`); empty for other items.
    func bytes(at position: Int) -> UnsafeRawBufferPointer {
        let entry = entries[position & mask]
        guard case .fragment(let stamp) = entry.item else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: slot(entry.slot)[..<stamp.byteCount])
    }

    /// The positions of the items in the ring and of those that it keeps.
    var heldPositions: Range<Int> { read.load(ordering: .relaxed)..<written.load(ordering: .acquiring) }

    /// Makes the oldest item that is kept the next one.
    func rewind() {
        next = read.load(ordering: .relaxed)
        keptByteCount = 0
    }

    /// Releases the oldest items, as long as the others have as much audio as is to be kept, or are too many.
    private func releaseOldItems() {
        var first = read.load(ordering: .relaxed)
        while first < next {
            let size = entries[first & mask].item.stamp?.byteCount ?? 0
            guard keptByteCount - size >= keptBytes || next - first > mostKeptItems else { break }
            keptByteCount -= size
            first += 1
        }
        read.store(first, ordering: .releasing)
    }

    private func slot(_ number: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: bytes + number * slotBytes, count: slotBytes)
    }
}
