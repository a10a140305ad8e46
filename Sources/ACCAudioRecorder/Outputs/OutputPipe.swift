import Glibc
import Synchronization
import SystemPackage

/// A descriptor that somebody else has opened for an output, and keeps: it takes bytes at its reader's pace.
final class OutputPipe: Sendable {
    let descriptor: FileDescriptor
    private let isGivenUp = Atomic(false)

    /// What can be written at once where the system says that something can be, after POSIX.
    private static let atomicSize = 4096
    /// How long it takes to notice that it is given up, in milliseconds.
    private static let lookInterval: Int32 = 100

    init(_ descriptor: Int32) {
        self.descriptor = FileDescriptor(rawValue: descriptor)
    }

    /// Nothing more is to be written, not even what is being written. Any thread.
    func giveUp() {
        isGivenUp.store(true, ordering: .relaxed)
    }

    /// Waits until the reader has taken all of these bytes.
    ///
    /// - Returns: How many it has taken, and what the system said where that is not all; `canceled` where the pipe was
    ///   given up.
    func write(_ bytes: UnsafeRawBufferPointer) -> (byteCount: Int, failure: Errno?) {
        var written = 0
        while written < bytes.count {
            if let failure = waitForRoom() { return (written, failure) }
            let end = min(written + Self.atomicSize, bytes.count)
            let (count, failure) = descriptor.writeMost(of: UnsafeRawBufferPointer(rebasing: bytes[written..<end]))
            written += count
            // Somebody has opened it so that nothing waits.
            if let failure, failure != .wouldBlock { return (written, failure) }
        }
        return (written, nil)
    }

    private func waitForRoom() -> Errno? {
        while true {
            var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
            let count = poll(&request, 1, Self.lookInterval)
            // Only now, for whoever gives it up may let the descriptor be another's.
            if isGivenUp.load(ordering: .relaxed) { return .canceled }
            // What is wrong with the descriptor the write tells.
            if count > 0 || count < 0 && errno != EINTR { return nil }
        }
    }
}
