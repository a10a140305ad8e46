import Dispatch
import Testing

@testable import ACCAudioRecorder

@Suite struct CaptureRingTests {
    @Test func deliversFragmentsInOrder() throws {
        let ring = try CaptureRing(slotBytes: 8, waitingSlots: 4)
        for number in 0..<4 { ring.put(UInt64(number)) }
        var seen: [UInt64] = []
        for _ in 0..<4 { _ = ring.next { bytes, stamp in seen.append(bytes.load(as: UInt64.self) + stamp.hostTime) } }
        #expect(seen == [0, 2, 4, 6])
    }

    @Test func hasNoSlotWhenFull() throws {
        let ring = try CaptureRing(slotBytes: 8, waitingSlots: 4)
        for number in 0..<4 { ring.put(UInt64(number)) }
        #expect(ring.nextFreeSlot() == nil)
        _ = ring.next { _, _ in }
        #expect(ring.nextFreeSlot() != nil)
    }

    /// So a ring with capacity for many seconds uses no memory while it is nearly empty.
    @Test func reusesTheMostRecentlyFreedSlot() throws {
        let ring = try CaptureRing(slotBytes: 8, waitingSlots: 16)
        let first = try #require(ring.nextFreeSlot()).baseAddress
        for number in 0..<100 {
            #expect(ring.nextFreeSlot()?.baseAddress == first)
            ring.put(UInt64(number))
            _ = ring.next { bytes, _ in #expect(bytes.load(as: UInt64.self) == UInt64(number)) }
        }
    }

    @Test("What a ring keeps can be read again, copied, and begun with; the rest is released")
    func keepsTheNewest() async throws {
        let ring = try CaptureRing(slotBytes: 8, waitingSlots: 8, keptBytes: 24)
        for number in 0..<20 {
            #expect(ring.nextFreeSlot() != nil)
            ring.put(UInt64(number))
            ring.remove { bytes, _ in #expect(bytes.stamp?.hostTime == UInt64(number)) }
        }
        ring.put(20)
        #expect(ring.position == 20 && ring.count == 1 && ring.heldPositions == 17..<21)
        #expect(ring.bytes(at: 17).load(as: UInt64.self) == 17)

        let copying = Task { try await ring.copyRequests.copy() }
        let server = Task {
            while !Task.isCancelled {
                ring.serveCopies()
                await Task.yield()
            }
        }
        let copy = try #require(try await copying.value)
        server.cancel()
        await server.value
        var copied: [UInt64] = []
        while copy.next({ bytes, stamp in copied.append(bytes.load(as: UInt64.self) + stamp.hostTime) }) {}
        #expect(copied == [34, 36, 38, 40] && copy.captureEnd == .stopped)

        ring.rewind()
        var again: [UInt64] = []
        while ring.count > 0 { ring.remove { _, bytes in again.append(bytes.load(as: UInt64.self)) } }
        #expect(again == [17, 18, 19, 20])
        ring.endCopies()
        #expect(try await ring.copyRequests.copy() == nil)
    }

    @Test("However little audio there is in what a ring keeps, there is room for what comes, and the newest is kept")
    func keepsItemsWithoutAudio() throws {
        let ring = try CaptureRing(slotBytes: 8, waitingSlots: 4, keptBytes: 24)
        for number in 0..<100 {
            #expect(ring.append(.suspended(.applicationPaused)) && ring.append(.resumed()))
            let slot = try #require(ring.nextFreeSlot())
            slot.storeBytes(of: UInt8(number), as: UInt8.self)
            ring.append(FragmentStamp(byteCount: 1))
            while ring.count > 0 { ring.remove { _, _ in } }
            #expect(ring.leastFreeSlots >= 4)
        }
        #expect(ring.heldPositions.contains(299) && ring.bytes(at: 299)[0] == 99)
        // Its slot may have been used again.
        #expect(!ring.heldPositions.contains(2))
    }

    @Test(
        "A ring for which there is not enough memory is refused", .tags(.skipsAddressSanitizer, .skipsThreadSanitizer))
    func tooLarge() {
        #expect(throws: CaptureFailure.self) { try CaptureRing(slotBytes: 1 << 40, waitingSlots: 1 << 20) }
    }

    @Test func endsAfterTheLastFragment() throws {
        let ring = try CaptureRing(slotBytes: 8, waitingSlots: 4)
        ring.put(1)
        ring.close(.stopped)
        #expect(ring.next { _, _ in })
        #expect(!ring.next { _, _ in })
        #expect(!ring.next { _, _ in })
    }

    @Test("An item that is not a fragment ends a wait for several fragments, once")
    func aWaitForSeveralEndsAtWhatIsNoFragment() throws {
        let ring = try CaptureRing(slotBytes: 8, waitingSlots: 8)
        ring.put(0)
        #expect(ring.append(.suspended(.suspended)))
        #expect(ring.wait(for: 4) == .ready)
        #expect(ring.count == 2)
        #expect(ring.item(1) == .suspended(.suspended))
        for _ in 0..<2 { ring.remove { _, _ in } }
        for number in 2..<6 { ring.put(UInt64(number)) }
        #expect(ring.wait(for: 4) == .ready)
        #expect(ring.count == 4)
        #expect(Array(ring.stamps(awaiting: 3)).map(\.hostTime) == [2, 3, 4])
    }

    @Test("A full ring accepts nothing more, and still reports why the input ended")
    func aFullRing() throws {
        let ring = try CaptureRing(slotBytes: 8, waitingSlots: 4)
        for number in 0..<4 { ring.put(UInt64(number)) }
        for _ in 0..<4 { #expect(ring.append(.hole(frames: 1, .overrun))) }
        #expect(!ring.append(.suspended(.suspended)))
        ring.close(.killed)
        for _ in 0..<8 {
            #expect(ring.wait(for: 1) == .ready)
            ring.remove { _, _ in }
        }
        #expect(ring.wait(for: 1) == .closed)
        #expect(ring.captureEnd == .killed)
    }

    @Test("A wait times out each time if nothing arrives", .timeLimit(.minutes(1)))
    func timesOut() throws {
        let ring = try CaptureRing(slotBytes: 8, waitingSlots: 4)
        let start = MonotonicClock.now()
        for count in 1...2 {
            #expect(ring.wait(for: 1) == .idle)
            // Not before the timeout.
            #expect(MonotonicClock.now() - start >= UInt64(count) * CaptureRing.idleTime)
        }
        ring.put(7)
        #expect(ring.wait(for: 1) == .ready)
        _ = ring.next { bytes, _ in #expect(bytes.load(as: UInt64.self) == 7) }
    }

    /// No wake-up is missed, whichever thread is ahead.
    @Test(.timeLimit(.minutes(1)))
    func wakesAConsumerThatWaitsForSeveral() async throws {
        let ring = try CaptureRing(slotBytes: 8, waitingSlots: 8)
        let counts = Promise<[Int]>()
        try DetachedThread.start("test") {
            var seen: [Int] = []
            for _ in 0..<1000 {
                _ = ring.wait(for: 4)
                seen.append(ring.count)
                for _ in 0..<4 { ring.remove { _, _ in } }
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
        let ring = try CaptureRing(slotBytes: 8, waitingSlots: 8)
        let count: UInt64 = 200_000
        try DetachedThread.start("test") {
            var number: UInt64 = 0
            while number < count {
                guard ring.nextFreeSlot() != nil else { continue }
                ring.put(number)
                number += 1
            }
            ring.close(.stopped)
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

extension CaptureRing {
    fileprivate func put(_ number: UInt64) {
        guard let slot = nextFreeSlot() else { return }
        slot.storeBytes(of: number, as: UInt64.self)
        append(FragmentStamp(byteCount: 8, hostTime: number))
    }

    /// Waits for the next fragment and consumes it; false when the ring is closed and empty.
    fileprivate func next(_ body: (UnsafeRawBufferPointer, FragmentStamp) -> Void) -> Bool {
        guard wait(for: 1) == .ready else { return false }
        remove { item, bytes in body(bytes, item.stamp ?? FragmentStamp()) }
        return true
    }
}
