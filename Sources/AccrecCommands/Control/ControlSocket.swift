import ACCAudioRecorder
import Glibc
import Synchronization
import SystemPackage

/// The socket by which other programs of the same user reach a recording: `<process id>-<number>.sock` in
/// `ControlSocket.Directory`.
struct ControlSocket: Hashable {
    let path: String
    let processID: pid_t
    /// The number of the recording in its process, from 1.
    let number: Int

    private static let suffix = ".sock"
    private static let lastNumber = Mutex(0)
    /// How long a client waits for a recording that does not accept its connection or its request, in seconds.
    private static let timeout = 2

    private init(of processID: pid_t, _ number: Int, in directory: String) {
        path = "\(directory)/\(processID)-\(number)\(Self.suffix)"
        self.processID = processID
        self.number = number
    }

    /// The sockets of all recordings, also of some that are no more.
    static func all() -> [ControlSocket] {
        Directory.all.filter(\.isOwn).flatMap { all(in: $0.path) }
            .sorted { ($0.processID, $0.number) < ($1.processID, $1.number) }
    }

    private static func all(in directory: String) -> [ControlSocket] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var sockets: [ControlSocket] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(suffix) else { continue }
            let parts = name.dropLast(suffix.count).split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let processID = pid_t(parts[0]), let number = Int(parts[1]) else { continue }
            sockets.append(ControlSocket(of: processID, number, in: directory))
        }
        return sockets
    }

    // MARK: - The recording's end

    /// Creates a socket for a recording of this process, which only its user can use, and listens without blocking.
    /// Replaces one that a process with the same id has left.
    ///
    /// - Returns: The socket and its descriptor.
    static func listen() throws(Errno) -> (socket: ControlSocket, descriptor: FileDescriptor) {
        let directory = try Directory.create().path
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        let socket = ControlSocket(of: getpid(), number, in: directory)
        // A client takes a socket on which nobody listens for one that was left behind, and removes it.
        let nameless = String(socket.path.dropLast(suffix.count)) + ".new"
        unlink(nameless)
        let descriptor = try open(nameless, Int32(SOCK_NONBLOCK.rawValue)) { bind($0, $1, $2) }
        guard chmod(nameless, 0o600) == 0, Glibc.listen(descriptor.rawValue, 64) == 0,
            rename(nameless, socket.path) == 0
        else {
            let failure = Errno(rawValue: errno)
            unlink(nameless)
            try? descriptor.close()
            throw failure
        }
        return (socket, descriptor)
    }

    /// Removes the socket.
    func remove() {
        unlink(path)
    }

    /// Accepts a connection, but none of another user.
    static func accept(on descriptor: FileDescriptor) throws(Errno) -> FileDescriptor {
        let number = Glibc.accept(descriptor.rawValue, nil, nil)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        // The members of `struct ucred`, which the C library declares for _GNU_SOURCE only.
        var peer = (process: pid_t(), user: uid_t(), group: gid_t())
        var length = socklen_t(MemoryLayout.size(ofValue: peer))
        guard getsockopt(number, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0, peer.user == geteuid(),
            fcntl(number, F_SETFD, FD_CLOEXEC) == 0, fcntl(number, F_SETFL, O_NONBLOCK) == 0
        else {
            close(number)
            throw .permissionDenied
        }
        return FileDescriptor(rawValue: number)
    }

    // MARK: - The other end

    /// Connects; removes a socket on which nobody listens any more.
    func connect() throws(Errno) -> FileDescriptor {
        do throws(Errno) {
            return try Self.open(path, 0) { number, address, length in
                var time = timeval(tv_sec: Self.timeout, tv_usec: 0)
                // Applies to connecting as well (unix(7)).
                setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
                return Glibc.connect(number, address, length)
            }
        } catch {
            if error == .connectionRefused { remove() }
            throw error
        }
    }

    /// Opens a socket of a type with these flags, and binds it to a path or connects it there.
    private static func open(
        _ path: String, _ flags: Int32, _ attach: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(Errno) -> FileDescriptor {
        let address = try LocalAddress(path)
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue) | flags, 0)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        let isAttached = address.withPointer { attach(number, $0, $1) == 0 }
        guard isAttached else {
            let failure = Errno(rawValue: errno)
            close(number)
            throw failure
        }
        return FileDescriptor(rawValue: number)
    }
}

extension ControlSocket {
    /// The directory of the sockets of a user's recordings: `accrec` in the runtime directory, which the environment
    /// names or the system has made, or else one in `/tmp`.
    struct Directory: Equatable {
        let path: String

        /// The runtime directory that the environment names; nil if it names none.
        private static var named: String? {
            Environment.Variable.runtimeDirectory.value.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }

        /// The runtime directory of a user who has logged in, for programs that lack the environment, such as those of
        /// cron.
        private static var standard: String { "/run/user/\(geteuid())" }

        private static var temporary: Directory { Directory(path: "/tmp/accrec-\(geteuid())") }

        private init(path: String) { self.path = path }

        private init(in runtimeDirectory: String) { path = "\(runtimeDirectory)/accrec" }

        /// Where recordings have their sockets if the environment names no directory and the system has made none.
        static var fallback: Directory? { named == nil && !Self.isOwn(standard) ? temporary : nil }

        /// Says where the sockets are if everybody looks elsewhere. A directory of another user gets none.
        static func mentionFallback(isQuiet: Bool) {
            guard !isQuiet, let fallback, !fallback.isForeign else { return }
            StandardError.tell(
                "XDG_RUNTIME_DIR is not set: 'accrec ctl' reaches this recording through '\(fallback.path)'")
        }

        /// Those that may have sockets. A recording need not have the environment of who controls it.
        static var all: [Directory] {
            guard let named, named != standard else { return [Directory(in: standard), temporary] }
            return [Directory(in: named)]
        }

        /// Creates the directory for a recording, which only its user can use.
        static func create() throws(Errno) -> Directory {
            let directory = fallback ?? Directory(in: named ?? standard)
            guard mkdir(directory.path, 0o700) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
            guard directory.isOwn, chmod(directory.path, 0o700) == 0 else { throw .permissionDenied }
            return directory
        }

        /// Whether it exists and belongs to this user. Anybody may have made the one in `/tmp`.
        var isOwn: Bool { Self.isOwn(path) }

        /// Whether it exists and belongs to somebody else, so that nothing in it is to be trusted.
        var isForeign: Bool { PathStem.isTaken(path) && !isOwn }

        private static func isOwn(_ path: String) -> Bool {
            var status = stat()
            return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
        }
    }
}
