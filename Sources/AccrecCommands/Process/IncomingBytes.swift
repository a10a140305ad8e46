import Dispatch
import Glibc

/// Reads a descriptor as bytes arrive, until its end.
///
/// Does not use a dispatch source, because libdispatch on Linux crashes if the other end hangs up while a source is
/// being cancelled.
enum IncomingBytes {
    /// The bytes of each read. Reading stops when the stream is no longer consumed.
    static func of(_ descriptor: Int32) -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            continuation.finish()
            return stream
        }
        let (stopped, stop) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Closing the pipe wakes the reader.
        continuation.onTermination = { _ in close(stop) }
        DispatchQueue(label: "accrec.input").async {
            var bytes = [UInt8](repeating: 0, count: 64)
            while wait(for: descriptor, or: stopped) {
                let count = read(descriptor, &bytes, bytes.count)
                // The other end is closed, or the terminal belongs to another job.
                guard count > 0 else { break }
                continuation.yield(Array(bytes.prefix(count)))
            }
            continuation.finish()
            close(stopped)
        }
        return stream
    }

    /// Waits for data; returns false when stopped.
    private static func wait(for descriptor: Int32, or stopped: Int32) -> Bool {
        var polled = [descriptor, stopped].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&polled, 2, -1) < 0 && errno == EINTR {}
        return polled[1].revents == 0
    }
}
