import Glibc

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
