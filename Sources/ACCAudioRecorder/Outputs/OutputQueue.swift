import Dispatch
import Synchronization

/// What is on its way to an output, between the engine and the thread that writes: samples, and what else is to be
/// done with the output, in order.
///
/// It takes as much as an output may be behind; the memory for that is taken while it is needed.
final class OutputQueue: Sendable {
    enum Order: Sendable {
        case samples(SampleChunk)
        case call(@Sendable (OutputFiles) -> Void)
    }

    private struct State {
        var orders: [Order] = []
        /// The last chunk, which has room left.
        var filling: SampleChunk?
        var free: [SampleChunk] = []
        /// Bytes of samples that are not written yet.
        var byteCount = 0
        var isClosed = false

        mutating func queueFilling() {
            guard let chunk = filling.take() else { return }
            orders.append(.samples(chunk))
        }
    }

    private let state = Mutex(State())
    private let somethingToDo = DispatchSemaphore(value: 0)
    /// How many bytes of samples it takes.
    let capacity: Int
    private let chunkCapacity: Int

    /// What the memory is taken in, in bytes.
    private static let chunkSize = 128 << 10
    /// How many chunks are kept for later: what a queue needs whose output is not behind.
    private static let spareChunks = 2

    /// - Parameters:
    ///   - frameSize: In bytes; a chunk holds whole frames.
    ///   - capacity: In bytes.
    init(frameSize: Int, capacity: Int) {
        self.capacity = capacity
        chunkCapacity = Self.chunkSize / frameSize * frameSize
    }

    /// How many bytes of samples wait to be written. Any thread.
    var byteCount: Int { state.withLock { $0.byteCount } }
}

// MARK: - The engine's end

extension OutputQueue {
    /// Takes samples, for which there has to be room.
    func append(_ samples: UnsafeRawBufferPointer) {
        state.withLock { state in
            state.byteCount += samples.count
            var rest = samples
            while !rest.isEmpty {
                let chunk = state.filling ?? state.free.popLast() ?? SampleChunk(byteCapacity: chunkCapacity)
                state.filling = chunk
                rest = UnsafeRawBufferPointer(rebasing: rest[chunk.append(rest)...])
                if !rest.isEmpty { state.queueFilling() }
            }
        }
    }

    /// Lets the thread do something, after what came before.
    func append(_ call: @escaping @Sendable (OutputFiles) -> Void) {
        state.withLock { state in
            state.queueFilling()
            state.orders.append(.call(call))
        }
        wake()
    }

    /// Wakes the thread, which then takes everything there is.
    func wake() {
        somethingToDo.signal()
    }

    /// No more will come.
    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }
}

// MARK: - The thread's end

extension OutputQueue {
    /// Waits until there is something to do.
    ///
    /// - Parameter orders: Is exchanged for what there is to do; false when nothing more will come.
    func next(_ orders: inout [Order]) -> Bool {
        orders.removeAll(keepingCapacity: true)
        while true {
            let isClosed = state.withLock { state in
                state.queueFilling()
                swap(&state.orders, &orders)
                return state.isClosed
            }
            if !orders.isEmpty { return true }
            if isClosed { return false }
            somethingToDo.wait()
        }
    }

    /// The chunk is written.
    func recycle(_ chunk: SampleChunk) {
        state.withLock { state in
            state.byteCount -= chunk.byteCount
            chunk.removeAll()
            if state.free.count < Self.spareChunks { state.free.append(chunk) }
        }
    }
}
