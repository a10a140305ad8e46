import Dispatch
import Glibc

/// What comes from a descriptor, as it comes, until its end.
///
/// No dispatch source reads it: where the other end hangs up while a source is cancelled, libdispatch on Linux crashes.
enum IncomingBytes {
    /// The bytes of each read. Nothing is read any more once nobody waits for it.
    static func of(_ descriptor: Int32) -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            continuation.finish()
            return stream
        }
        let (stopped, stop) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Closing it wakes the reader.
        continuation.onTermination = { _ in close(stop) }
        DispatchQueue(label: "accrec.input").async {
            var bytes = [UInt8](repeating: 0, count: 64)
            while wait(for: descriptor, or: stopped) {
                let count = read(descriptor, &bytes, bytes.count)
                // Its other end is gone, or it is a terminal that is another job's.
                guard count > 0 else { break }
                continuation.yield(Array(bytes.prefix(count)))
            }
            continuation.finish()
            close(stopped)
        }
        return stream
    }

    /// Waits until there is something to read; false where it is to be stopped.
    private static func wait(for descriptor: Int32, or stopped: Int32) -> Bool {
        var polled = [descriptor, stopped].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&polled, 2, -1) < 0 && errno == EINTR {}
        return polled[1].revents == 0
    }
}
