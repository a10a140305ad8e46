import Dispatch
import Synchronization

/// The queue from the engine to the thread of an output: frames and other orders, in sequence.
///
/// Its capacity is as much as the output may be behind; memory is allocated only as needed.
final class OutputQueue: Sendable {
    enum Order: Sendable {
        case frames(EncodedFrames.Chunk)
        case call(@Sendable (FileRotator) -> Void)
    }

    private struct State {
        var orders: [Order] = []
        /// The last chunk, which is not full yet.
        var filling: EncodedFrames.Chunk?
        var free: [EncodedFrames.Chunk] = []
        /// The number of frames not yet written.
        var frameCount = 0
        var isClosed = false
        /// Whether the thread is carrying out orders.
        var isBusy = false
        /// Whether the engine is writing in its place.
        var isBypassed = false

        mutating func queueFilling() {
            guard let chunk = filling.take() else { return }
            orders.append(.frames(chunk))
        }
    }

    private let state: Mutex<State>
    private let workAvailable = DispatchSemaphore(value: 0)
    private let form: EncodedFrames.Form
    /// The capacity in frames.
    let capacity: Int
    private let chunkCapacity: Int

    /// The size of a chunk in bytes: 0.64 s of 48 kHz stereo, which are then one write.
    private static let chunkSize = 256 << 10
    /// The number of chunks kept for reuse: what the queue of an output needs whose thread is late on a busy machine. Memory that is
    /// not needed is never touched.
    private static let spareChunks = 4

    /// - Parameter capacity: The capacity in frames.
    init(_ form: EncodedFrames.Form, capacity: Int) {
        self.form = form
        self.capacity = capacity
        let chunkCapacity = Self.chunkSize / form.bytesPerFrame
        self.chunkCapacity = chunkCapacity
        // Allocated in advance, so that the engine allocates nothing while the output keeps up.
        let chunks = (0..<Self.spareChunks).map { _ in EncodedFrames.Chunk(form, capacity: chunkCapacity) }
        state = Mutex(State(free: chunks))
    }

    /// The number of frames in the queue. Any thread may call.
    var frameCount: Int { state.withLock { $0.frameCount } }

    /// Whether something is still to be done. Any thread may call.
    var isWaiting: Bool { state.withLock { $0.isBusy || !$0.orders.isEmpty || $0.frameCount > 0 } }

    /// Whether more frames are waiting than an output that keeps up has, but fewer than it is warned of.
    var isFilling: Bool { frameCount > capacity / 8 * 5 }
}

// MARK: - The engine's end

extension OutputQueue {
    /// Writes on the engine's thread, if the thread of the output has nothing to do; that carries out no order meanwhile.
    ///
    /// - Returns: What `write` returns; nil if something is to be done before.
    func bypass<Result>(_ write: () -> Result) -> Result? {
        let isIdle = state.withLock { state in
            guard !state.isBusy, state.orders.isEmpty, state.filling == nil else { return false }
            state.isBypassed = true
            return true
        }
        guard isIdle else { return nil }
        let result = write()
        let hasWork = state.withLock { state in
            state.isBypassed = false
            return state.isClosed || !state.orders.isEmpty
        }
        if hasWork { wake() }
        return result
    }

    /// Appends frames; the caller has checked the capacity.
    func append(_ frames: EncodedFrames) {
        state.withLock { state in
            state.frameCount += frames.count
            var rest = frames
            while rest.count > 0 {
                let chunk = state.filling ?? state.free.popLast() ?? EncodedFrames.Chunk(form, capacity: chunkCapacity)
                state.filling = chunk
                rest = rest.dropFirst(chunk.append(rest))
                if rest.count > 0 { state.queueFilling() }
            }
        }
    }

    /// Appends a call for the thread to make.
    func append(_ call: @escaping @Sendable (FileRotator) -> Void) {
        state.withLock { state in
            state.queueFilling()
            state.orders.append(.call(call))
        }
        wake()
    }

    /// Wakes the thread, which then takes everything in the queue.
    func wake() {
        workAvailable.signal()
    }

    /// Closes the queue: nothing more will be appended.
    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }
}

// MARK: - The thread's end

extension OutputQueue {
    /// Waits for orders.
    ///
    /// - Parameter orders: Replaced by all pending orders.
    /// - Returns: False if the queue is empty and closed.
    func next(_ orders: inout [Order]) -> Bool {
        orders.removeAll(keepingCapacity: true)
        while true {
            let isClosed = state.withLock { state in
                guard !state.isBypassed else { return false }
                state.queueFilling()
                swap(&state.orders, &orders)
                state.isBusy = !orders.isEmpty
                return state.isClosed
            }
            if !orders.isEmpty { return true }
            if isClosed { return false }
            workAvailable.wait()
        }
    }

    /// Takes back a chunk that was written.
    func recycle(_ chunk: EncodedFrames.Chunk) {
        state.withLock { state in
            state.frameCount -= chunk.frameCount
            chunk.removeAll()
            if state.free.count < Self.spareChunks { state.free.append(chunk) }
        }
    }
}
