import Synchronization

/// Requests for copies of the items of a ring. Any thread may call.
final class CopyRequests: Sendable {
    /// A copy; nil if the ring has no consumer any more.
    fileprivate typealias Answer = Result<CaptureRing?, CaptureFailure>

    private let waiting = Mutex<[Promise<Answer>]?>([])
    /// Lets the consumer skip the lock if there are no requests.
    private let isWaiting = Atomic<Bool>(false)

    /// Waits for a copy; nil if the ring has no consumer any more.
    ///
    /// - Throws: If there is not enough memory.
    func copy() async throws(CaptureFailure) -> CaptureRing? {
        let copy = Promise<Answer>()
        let isExpected = waiting.withLock { waiting in
            waiting?.append(copy)
            return waiting != nil
        }
        guard isExpected else { return nil }
        isWaiting.store(true, ordering: .releasing)
        return try await copy.value.get()
    }

    /// Admits requests again, because the ring has a consumer again.
    func reopen() {
        waiting.withLock { $0 = $0 ?? [] }
    }

    /// Removes and returns the requests.
    ///
    /// - Parameter isEnding: Whether later requests are refused.
    fileprivate func remove(isEnding: Bool) -> [Promise<Answer>] {
        guard isEnding || isWaiting.exchange(false, ordering: .acquiring) else { return [] }
        return waiting.withLock { waiting in
            defer { waiting = isEnding ? nil : [] }
            return waiting ?? []
        }
    }
}

// MARK: - The consumer's end

extension CaptureRing {
    /// Makes the copies that were asked for: of all items that are in the ring or kept by it, in a closed ring.
    func serveCopies() {
        let requests = copyRequests.remove(isEnding: false)
        guard !requests.isEmpty else { return }
        for request in requests {
            request.fulfil(Result { () throws(CaptureFailure) in try copy() })
        }
    }

    /// Refuses copies from now on, because the consumer is done.
    func endCopies() {
        for request in copyRequests.remove(isEnding: true) { request.fulfil(.success(nil)) }
    }

    private func copy() throws(CaptureFailure) -> CaptureRing {
        let positions = heldPositions
        let copy = try CaptureRing(slotBytes: slotBytes, waitingSlots: max(positions.count, 1))
        for position in positions {
            let item = item(position - self.position)
            if let stamp = item.stamp {
                copy.nextFreeSlot()?.copyMemory(from: bytes(at: position))
                copy.append(stamp)
            } else {
                _ = copy.append(item)
            }
        }
        copy.close(.stopped)
        return copy
    }
}
