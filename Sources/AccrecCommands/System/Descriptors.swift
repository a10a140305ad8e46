import CSpawn
import Dispatch
import Glibc
import SystemPackage

/// A pipe that child processes do not inherit.
struct PipeEnds: ~Copyable {
    let reading: End
    let writing: End

    init() throws(Errno) {
        let ends = try FileDescriptor.pipe(options: .closeOnExec)
        reading = End(number: ends.readEnd.rawValue)
        writing = End(number: ends.writeEnd.rawValue)
    }
}

extension PipeEnds {
    /// A descriptor that is closed when deinitialised.
    struct End: ~Copyable {
        let number: Int32

        /// Transfers ownership of the descriptor without closing it.
        consuming func release() -> Int32 {
            let number = number
            discard self
            return number
        }

        deinit {
            close(number)
        }
    }
}

/// The standard descriptors 0 to 2, any of which may be closed when the program starts.
enum StandardDescriptors {
    /// Opens the closed ones, so that no file, pipe or connection gets their numbers and is mistaken for standard
    /// output. They get a directory, which can be neither read nor written, nor opened for it by a name such as
    /// `/dev/stdout`.
    ///
    /// Call it before anything else opens a descriptor.
    static func fill() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is this one.
            _ = open("/", O_RDONLY | O_DIRECTORY)
        }
    }

    /// The number of free descriptors that a capturing command needs: about ten for the connection and stream, four for
    /// the runtime's timers, a few for keys, events and the like, and what the recorder keeps free (`FreeDescriptors`).
    private static let countOfCapture = 40
    /// The number of free descriptors that any other command needs.
    private static let countOfOthers = 12

    /// Exits with a message if too few descriptors are available, because libdispatch traps when it gets none.
    ///
    /// First raises the soft limit, so that large batches have enough. Call it while the program has a single thread.
    static func requireEnough(isCapturing: Bool) {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        if getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 4_096))
            setrlimit(resource, &limit)
        }
        let count = isCapturing ? countOfCapture : countOfOthers
        let opened = (0..<count).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        for descriptor in opened where descriptor >= 0 { close(descriptor) }
        guard !opened.allSatisfy({ $0 >= 0 }) else { return }
        // Written directly, since the writer's thread may not start.
        let message = "accrec: too many open files: \(count) are needed. Raise the limit (ulimit -n).\n"
        var request = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        if poll(&request, 1, 1_000) > 0 { _ = write(STDERR_FILENO, message, message.utf8.count) }
        _exit(ExitStatus.failure.rawValue)
    }
}

extension AsyncStream<[UInt8]> {
    /// The bytes of each read of a descriptor, as they arrive, until its end. Reading stops when the stream is no longer
    /// consumed.
    ///
    /// Does not use a dispatch source, because libdispatch on Linux crashes if the other end hangs up while a source is
    /// being cancelled.
    static func reading(_ descriptor: Int32) -> AsyncStream<[UInt8]> {
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

/// A nameless file in memory, closed when deinitialised: what a program reads, or writes.
struct MemoryFile: ~Copyable {
    let descriptor: Int32

    /// - Parameter text: Read from the beginning.
    init(holding text: String = "") throws(Errno) {
        descriptor = memfd_create("accrec", UInt32(1))
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        do {
            try FileDescriptor(rawValue: descriptor).writeAll(text.utf8)
        } catch {
            throw error as? Errno ?? .ioError
        }
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit {
        close(descriptor)
    }

    /// All that was written.
    ///
    /// - Parameter limit: The largest number of bytes. Where there are more, the rest is left out.
    func bytes(atMost limit: Int) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < limit {
            let count = pread(descriptor, &piece, piece.count, bytes.count)
            guard count >= 0 else { throw Errno(rawValue: errno) }
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return bytes
    }
}
