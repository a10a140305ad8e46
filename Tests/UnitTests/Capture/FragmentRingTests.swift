import Dispatch
import Testing

@testable import ACCAudioRecorder

@Suite struct FragmentRingTests {
    @Test func handsFragmentsOnInOrder() {
        let ring = FragmentRing(slotBytes: 8, minimumSlots: 4)
        for number in 0..<4 { ring.put(UInt64(number)) }
        var seen: [UInt64] = []
        for _ in 0..<4 { _ = ring.next { bytes, stamp in seen.append(bytes.load(as: UInt64.self) + stamp.hostTime) } }
        #expect(seen == [0, 2, 4, 6])
    }

    @Test func hasNoSlotWhenFull() {
        let ring = FragmentRing(slotBytes: 8, minimumSlots: 3)
        for number in 0..<4 { ring.put(UInt64(number)) }
        #expect(ring.nextFreeSlot() == nil)
        _ = ring.next { _, _ in }
        #expect(ring.nextFreeSlot() != nil)
    }

    /// So a ring of many seconds costs no memory while nothing waits in it.
    @Test func takesTheSlotAgainThatWasGivenBackLast() throws {
        let ring = FragmentRing(slotBytes: 8, minimumSlots: 16)
        let first = try #require(ring.nextFreeSlot()).baseAddress
        for number in 0..<100 {
            #expect(ring.nextFreeSlot()?.baseAddress == first)
            ring.put(UInt64(number))
            _ = ring.next { bytes, _ in #expect(bytes.load(as: UInt64.self) == UInt64(number)) }
        }
    }

    @Test func endsAfterTheLastFragment() {
        let ring = FragmentRing(slotBytes: 8, minimumSlots: 4)
        ring.put(1)
        ring.close()
        #expect(ring.next { _, _ in })
        #expect(!ring.next { _, _ in })
        #expect(!ring.next { _, _ in })
    }

    @Test func aWaitForSeveralEndsAtAnUrgentOneOnce() {
        let ring = FragmentRing(slotBytes: 8, minimumSlots: 8)
        ring.put(0)
        ring.put(1, isUrgent: true)
        #expect(ring.waitForFragments(4, orUrgentOne: true) == 2)
        ring.put(2)
        ring.put(3)
        #expect(ring.waitForFragments(4, orUrgentOne: true) == 4)
    }

    @Test("The consumer can end the ring within a fragment, whatever comes after it", arguments: [0, 4])
    func endsWhereTheConsumerSays(byteCount: Int) {
        let ring = FragmentRing(slotBytes: 8, minimumSlots: 8)
        for number in 0..<3 { ring.put(UInt64(number)) }
        ring.end(within: 1, after: byteCount)
        ring.put(3)
        var taken: [Int] = []
        while ring.next({ bytes, _ in taken.append(bytes.count) }) {}
        #expect(taken == (byteCount > 0 ? [8, byteCount] : [8]))
        #expect(ring.filledCount == 0)
    }

    @Test("A consumer is told that nothing comes, each time, and takes what comes then", .timeLimit(.minutes(1)))
    func tellsThatNothingComes() {
        let ring = FragmentRing(slotBytes: 8, minimumSlots: 4)
        let start = MonotonicClock.now()
        var idleCount = 0
        let count = ring.waitForFragments(1) {
            idleCount += 1
            // Not before the time.
            #expect(MonotonicClock.now() - start >= UInt64(idleCount) * FragmentRing.idleTime)
            if idleCount == 2 { ring.put(7) }
        }
        #expect(count == 1 && idleCount == 2)
        _ = ring.next { bytes, _ in #expect(bytes.load(as: UInt64.self) == 7) }
    }

    /// No wake-up is missed, whichever of the two threads is ahead.
    @Test(.timeLimit(.minutes(1)))
    func wakesAConsumerThatWaitsForSeveralWhenTheyAreThere() async throws {
        let ring = FragmentRing(slotBytes: 8, minimumSlots: 8)
        let counts = Promise<[Int]>()
        try DetachedThread.start("test") {
            var seen: [Int] = []
            for _ in 0..<1000 {
                seen.append(ring.waitForFragments(4))
                for _ in 0..<4 { ring.take { _, _ in } }
            }
            counts.fulfil(seen)
        }
        try DetachedThread.start("test") {
            var number: UInt64 = 0
            while number < 4000 {
                guard ring.nextFreeSlot() != nil else { continue }
                ring.put(number)
                number += 1
            }
        }
        #expect(await counts.value.allSatisfy { (4...8).contains($0) })
    }

    @Test func losesNothingBetweenTwoThreads() async throws {
        let ring = FragmentRing(slotBytes: 8, minimumSlots: 8)
        let count: UInt64 = 200_000
        try DetachedThread.start("test") {
            var number: UInt64 = 0
            while number < count {
                guard ring.nextFreeSlot() != nil else { continue }
                ring.put(number)
                number += 1
            }
            ring.close()
        }
        let inOrder = Promise<Bool>()
        try DetachedThread.start("test") {
            var expected: UInt64 = 0
            var isInOrder = true
            while ring.next({ bytes, stamp in
                isInOrder = isInOrder && bytes.load(as: UInt64.self) == expected && stamp.hostTime == expected
                expected += 1
            }) {}
            inOrder.fulfil(isInOrder && expected == count)
        }
        #expect(await inOrder.value)
    }
}

extension FragmentRing {
    fileprivate func put(_ number: UInt64, isUrgent: Bool = false) {
        guard let slot = nextFreeSlot() else { return }
        slot.storeBytes(of: number, as: UInt64.self)
        commit(Stamp(byteCount: 8, hostTime: number, framesLostBefore: 0), isUrgent: isUrgent)
    }
}

extension FragmentRing {
    /// Waits for the next fragment and takes it; false when the ring is closed and empty.
    fileprivate func next(_ body: (UnsafeRawBufferPointer, Stamp) -> Void) -> Bool {
        guard waitForFragment() else { return false }
        take(body)
        return true
    }
}
