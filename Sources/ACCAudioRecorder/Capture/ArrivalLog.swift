/// When the bytes of a stream arrived, for those that have not been read yet.
///
/// What waits because the ring is full is stamped with its arrival, so that it does not look late. Used by one thread at a
/// time; allocates nothing after its creation.
struct ArrivalLog {
    /// An arrival: its last byte's end, counted from the stream's beginning, and its time in CLOCK_MONOTONIC nanoseconds.
    private struct Arrival {
        var end: Int64
        var time: UInt64
    }

    /// The most arrivals that are told apart: twenty seconds of fragments of 20 ms.
    private static let capacity = 1_024

    private var arrivals = [Arrival](repeating: Arrival(end: 0, time: 0), count: capacity)
    private var first = 0
    private var count = 0

    /// Adds what has arrived.
    ///
    /// - Parameters:
    ///   - end: The number of bytes that have arrived since the beginning.
    ///   - time: In CLOCK_MONOTONIC nanoseconds.
    mutating func add(upTo end: Int64, at time: UInt64) {
        let last = (first + count - 1) & (Self.capacity - 1)
        guard count == 0 || end > arrivals[last].end else { return }
        // Beyond the capacity, arrivals count as one: the ring has been full for so long that more will be lost anyway.
        guard count < Self.capacity else {
            arrivals[last].end = end
            return
        }
        arrivals[(last + 1) & (Self.capacity - 1)] = Arrival(end: end, time: time)
        count += 1
    }

    /// When the byte before this position arrived, in CLOCK_MONOTONIC nanoseconds; nil if it has not arrived yet. Forgets
    /// what arrived before.
    ///
    /// - Parameter end: Not smaller than in earlier calls.
    mutating func time(ofByteBefore end: Int64) -> UInt64? {
        while count > 0, arrivals[first].end < end {
            first = (first + 1) & (Self.capacity - 1)
            count -= 1
        }
        return count > 0 ? arrivals[first].time : nil
    }
}
