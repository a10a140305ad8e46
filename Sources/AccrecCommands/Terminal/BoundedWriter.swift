import ACCAudioRecorder
import Dispatch
import Glibc
import Synchronization
import SystemPackage

/// Writes texts to a descriptor without blocking the caller, and drops further ones while too many wait.
///
/// A queue writes them in order, because a pipe that is not read or a stopped terminal blocks the writer.
final class BoundedWriter: Sendable {
    private let descriptor: Int32
    private let isOwner: Bool
    private let capacity: Int
    private let fail: (@Sendable (Errno) -> Void)?
    private let queue: DispatchQueue
    private let state = Mutex(State())

    private struct State {
        /// The sizes of the texts that wait, and of those that were written, together.
        var waiting = 0
        var written = 0
        var missedCount = 0
        var failure: Errno?
    }

    /// - Parameters:
    ///   - isOwner: Whether it closes the descriptor.
    ///   - label: The name of the queue.
    ///   - capacity: The size of the waiting texts from which on further ones are dropped.
    ///   - fail: Called at the first text that cannot be written, which is the last; nil to go on with the next one.
    init(
        _ descriptor: Int32, isOwner: Bool = false, label: String, capacity: Int,
        fail: (@Sendable (Errno) -> Void)? = nil
    ) {
        self.descriptor = descriptor
        self.isOwner = isOwner
        self.capacity = capacity
        self.fail = fail
        queue = DispatchQueue(label: label)
    }

    deinit {
        if isOwner { close(descriptor) }
    }

    /// Whether everything is written.
    var isIdle: Bool { state.withLock { $0.waiting == 0 } }

    /// The number of texts that were dropped since the last one that was not.
    var missedCount: Int { state.withLock { $0.missedCount } }

    /// Why nothing is written any more.
    var failure: Errno? { state.withLock { $0.failure } }

    /// Appends a text. Returns at once.
    ///
    /// - Parameters:
    ///   - size: How much of the capacity it takes.
    ///   - text: Its bytes, asked for on the queue, with the number of texts that were dropped before it.
    func write(size: Int, _ text: @escaping @Sendable (_ missed: Int) -> [UInt8]) {
        state.withLock { state in
            guard state.waiting < capacity else {
                state.missedCount += 1
                return
            }
            let missed = state.missedCount
            state.missedCount = 0
            state.waiting += size
            queue.async { [self] in
                if failure == nil { put(text(missed)) }
                self.state.withLock { state in
                    state.waiting -= size
                    state.written += size
                }
            }
        }
    }

    /// Waits until everything is written.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait, in seconds; nil for no limit.
    ///   - isExtended: Whether to wait for as long again after each time in which the reader accepted something.
    /// - Returns: Whether everything is written.
    @discardableResult
    func finish(timeout: Double?, isExtended: Bool) -> Bool {
        let written = Promise<Void>()
        queue.async { written.fulfil(()) }
        guard let timeout else {
            written.wait()
            return true
        }
        var last: Int
        repeat {
            last = state.withLock { $0.written }
            if written.wait(for: .seconds(timeout)) != nil { return true }
        } while isExtended && state.withLock({ $0.written }) > last
        return false
    }

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
            guard count > 0 else { return didFail(count < 0 ? Errno(rawValue: errno) : .ioError) }
            rest.removeFirst(count)
        }
    }

    private func didFail(_ error: Errno) {
        guard let fail else { return }
        state.withLock { $0.failure = error }
        fail(error)
    }
}
