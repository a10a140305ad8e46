import CFileSystem
import Glibc
import Synchronization
import SystemPackage

/// A descriptor that accepts bytes at its reader's pace: opened by others and not closed here, or a named pipe or
/// device opened here.
final class OutputPipe: Sendable {
    let descriptor: FileDescriptor
    private let isOwned: Bool
    private let isPipe: Bool
    private let isGivenUp = Atomic(false)

    /// The number of bytes that a pipe takes as a whole, and without blocking when poll reports room, according to POSIX (PIPE_BUF).
    static let atomicSize = 4096
    /// The interval, in milliseconds, at which a blocked write checks whether the pipe was given up.
    private static let pollInterval: Int32 = 100

    init(_ descriptor: Int32) {
        self.descriptor = FileDescriptor(rawValue: descriptor)
        isOwned = false
        isPipe = self.descriptor.isPipe
    }

    /// Opens a named pipe that has a reader, or a device.
    init(path: String) throws(ACCAudioRecorderError) {
        // Non-blocking, so that a pipe without a reader fails at once.
        let number = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        let failure = Errno(rawValue: errno)
        guard number >= 0 else { throw .cannotOpen(path, failure) }
        guard isatty(number) == 0 else {
            close(number)
            throw .outputFailed(
                .init(
                    .cannotCreate, "cannot write to '\(path)'", cause: "it is a terminal",
                    remedy: "Name a file or a pipe."))
        }
        descriptor = FileDescriptor(rawValue: number)
        isOwned = true
        isPipe = descriptor.isPipe
    }

    deinit {
        // Each write has already reported its errors.
        if isOwned { try? descriptor.close() }
    }

    /// Stops writing, even if a write is in progress. Any thread may call.
    func giveUp() {
        isGivenUp.store(true, ordering: .relaxed)
    }

    /// Writes all of these bytes, waiting for the reader.
    ///
    /// - Returns: The number of bytes written, and the error if that is not all: `canceled` if the pipe was given up.
    func write(_ bytes: UnsafeRawBufferPointer) -> (byteCount: Int, failure: Errno?) {
        var written = 0
        while written < bytes.count {
            if let failure = waitForRoom() { return (written, failure) }
            let end = min(written + Self.atomicSize, bytes.count)
            let (count, failure) = descriptor.writeMost(of: UnsafeRawBufferPointer(rebasing: bytes[written..<end]))
            written += count
            // `wouldBlock` means that the descriptor is non-blocking.
            if let failure, failure != .wouldBlock { return (written, failure) }
        }
        return (written, nil)
    }

    /// Writes all of these bytes, at most `atomicSize`, or none, without waiting for the reader.
    ///
    /// Other programs may write to the same open pipe, so it is not made non-blocking; the one opened here is. Kernels before Linux
    /// 6.4 refuse such a write, and later ones refuse it to a named pipe that others have opened.
    ///
    /// - Returns: Whether they were written. If they were not, `write` waits for room, or returns the error.
    func writeAtOnce(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard isPipe, !isGivenUp.load(ordering: .relaxed) else { return false }
        let write = isOwned ? Glibc.write : accrec_write_without_waiting
        return write(descriptor.rawValue, bytes.baseAddress, bytes.count) == bytes.count
    }

    private func waitForRoom() -> Errno? {
        while true {
            var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
            let count = poll(&request, 1, Self.pollInterval)
            // Checked after the poll, because whoever gives the pipe up may then reuse the descriptor.
            if isGivenUp.load(ordering: .relaxed) { return .canceled }
            // The write will report errors of the descriptor.
            if count > 0 || count < 0 && errno != EINTR { return nil }
        }
    }
}

extension FileDescriptor {
    fileprivate var isPipe: Bool {
        var status = Glibc.stat()
        return fstat(rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}
