import ACCAudioRecorder
import Dispatch
import Glibc
import Synchronization

/// Writes messages to a descriptor without blocking the caller.
///
/// A queue writes them in order, because a pipe that is not read or a stopped terminal blocks the writer. The buffer is
/// limited. Further messages are dropped, and the next one says how many.
final class MessageWriter: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "accrec.messages")
    private let state = Mutex(State())

    private struct State {
        var waitingByteCount = 0
        var writtenByteCount = 0
        var missedCount = 0
    }

    /// The maximum number of buffered bytes.
    private static let capacity = 1 << 18

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Whether everything is written.
    var isIdle: Bool { state.withLock { $0.waitingByteCount == 0 } }

    /// Appends bytes to the queue. Returns at once.
    func write(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        state.withLock { state in
            guard state.waitingByteCount < Self.capacity else {
                state.missedCount += 1
                return
            }
            let missed = state.missedCount
            state.missedCount = 0
            state.waitingByteCount += bytes.count
            queue.async { [self] in
                if missed > 0 {
                    put(Array("accrec: \(missed) messages were dropped here: the reader was too slow\n".utf8))
                }
                put(bytes)
                self.state.withLock { state in
                    state.waitingByteCount -= bytes.count
                    state.writtenByteCount += bytes.count
                }
            }
        }
    }

    /// Waits until everything is written, for as long as there is progress.
    ///
    /// - Parameter stallTimeout: How long the reader may accept nothing, in seconds; nil for no limit.
    func finish(stallTimeout: Double?) {
        let written = Promise<Void>()
        queue.async { written.fulfil(()) }
        guard let stallTimeout else { return written.wait() }
        var last: Int
        repeat {
            last = state.withLock { $0.writtenByteCount }
            if written.wait(for: .seconds(stallTimeout)) != nil { return }
        } while state.withLock({ $0.writtenByteCount }) > last
    }

    /// Writes all bytes. Ignores errors: a closed standard error must not end a take, and there is nowhere to report
    /// it.
    private func put(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Another process that shares the descriptor has made it non-blocking.
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&request, 1, -1)
                continue
            }
            guard count > 0 else { return }
            rest.removeFirst(count)
        }
    }
}
