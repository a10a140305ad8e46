import ACCAudioRecorder
import Glibc
import SystemPackage

/// The directory of the sockets of a user's takes: `accrec` in the runtime directory, which the environment names or the
/// system has made, or else one in `/tmp`.
struct SocketDirectory: Equatable {
    let path: String

    /// The runtime directory that the environment names; nil if it names none.
    private static var named: String? {
        EnvironmentVariable.runtimeDirectory.value.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// The runtime directory of a user who has logged in, for programs that lack the environment, such as those of cron.
    private static var standard: String { "/run/user/\(geteuid())" }

    private static var temporary: SocketDirectory { SocketDirectory(path: "/tmp/accrec-\(geteuid())") }

    private init(path: String) { self.path = path }

    private init(in runtimeDirectory: String) { path = "\(runtimeDirectory)/accrec" }

    /// Where takes have their sockets if the environment names no directory and the system has made none.
    static var fallback: SocketDirectory? { named == nil && !Self.isOwn(standard) ? temporary : nil }

    /// Says where the sockets are, unless that is where everybody looks.
    static func mentionFallback(isQuiet: Bool) {
        guard !isQuiet, let fallback else { return }
        StandardError.tell("XDG_RUNTIME_DIR is not set: 'accrec ctl' reaches this recording through '\(fallback.path)'")
    }

    /// Those that may have sockets. A take need not have the environment of who controls it.
    static var all: [SocketDirectory] {
        guard let named, named != standard else { return [SocketDirectory(in: standard), temporary] }
        return [SocketDirectory(in: named)]
    }

    /// Creates the directory for a take, which only its user can use.
    static func create() throws(Errno) -> SocketDirectory {
        let directory = fallback ?? SocketDirectory(in: named ?? standard)
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
