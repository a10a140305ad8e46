import CPulse
import Glibc

/// Why the sound server of a session cannot be reached, as far as the sockets of this machine tell.
struct AbsentServer {
    let reason: ACCAudioRecorderError.Failure.Reason
    let cause: String
    let remedy: String

    /// More sessions are not looked through.
    private static let mostSessions = 64

    /// Nil if nothing is known that would help.
    ///
    /// - Parameters:
    ///   - runtimeDirectory: The value of `XDG_RUNTIME_DIR`; nil if it is not set. libpulse looks for the socket there.
    ///   - sessions: The directory that has the runtime directories of all users, by their numbers.
    init?(user: uid_t = getuid(), runtimeDirectory: String?, sessions: String = "/run/user") {
        let usual = "\(sessions)/\(user)"
        let own = runtimeDirectory ?? usual
        let socket = Self.socket(in: own)
        if Self.isForbidden(socket) {
            self.init(forbidden: socket)
        } else if runtimeDirectory == nil, access(socket, F_OK) == 0 {
            self.init(
                .noServer, "XDG_RUNTIME_DIR is not set", "Set it to '\(usual)', where the sound server has its socket.")
        } else if access(socket, F_OK) != 0, access("\(own)/pipewire-0", F_OK) == 0 {
            self.init(
                .noServer, "PipeWire runs, but its PulseAudio server does not",
                "Start it by 'systemctl --user start pipewire-pulse'; Debian has it in the package pipewire-pulse.")
        } else if access(socket, F_OK) != 0, let other = Self.otherUser(than: user, in: sessions) {
            let (name, home) = Self.account(of: other)
            let socket = Self.socket(in: "\(sessions)/\(other)")
            self.init(
                .noServer, "you are \(Self.account(of: user).name), and the server that runs is that of \(name)",
                "Record as \(name), or with PULSE_SERVER='unix:\(socket)' and PULSE_COOKIE='\(home)/.config/pulse/cookie'."
            )
        } else if runtimeDirectory == nil {
            self.init(
                .noServer, "XDG_RUNTIME_DIR is not set, and '\(usual)' has no socket of a sound server",
                "Record in the session of a user, or set PULSE_SERVER to the server's address.")
        } else {
            return nil
        }
    }

    /// Nil if the address is not that of a socket in the file system, or nothing forbids its use.
    ///
    /// - Parameter address: As the user gives it: `unix:/run/user/1000/pulse/native`, or the path alone.
    init?(address: String) {
        let path = address.hasPrefix("unix:") ? String(address.dropFirst(5)) : address
        guard path.hasPrefix("/"), Self.isForbidden(path) else { return nil }
        self.init(forbidden: path)
    }

    private init(forbidden socket: String) {
        self.init(
            .permissionDenied, "no permission for '\(socket)'",
            "Record as the user whose session runs the sound server.")
    }

    private static func isForbidden(_ socket: String) -> Bool { access(socket, W_OK) != 0 && errno == EACCES }

    private init(_ reason: ACCAudioRecorderError.Failure.Reason, _ cause: String, _ remedy: String) {
        (self.reason, self.cause, self.remedy) = (reason, cause, remedy)
    }

    private static func socket(in runtimeDirectory: String) -> String { "\(runtimeDirectory)/pulse/native" }

    /// A user with a server in whose runtime directory we may look.
    private static func otherUser(than user: uid_t, in sessions: String) -> uid_t? {
        guard let directory = opendir(sessions) else { return nil }
        defer { closedir(directory) }
        for _ in 0..<mostSessions {
            guard let entry = readdir(directory) else { return nil }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let number = uid_t(name), number != user, access(socket(in: "\(sessions)/\(name)"), F_OK) == 0 {
                return number
            }
        }
        return nil
    }

    private static func account(of user: uid_t) -> (name: String, home: String) {
        var (entry, buffer) = (passwd(), [CChar](repeating: 0, count: 4_096))
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name,
            let home = entry.pw_dir
        else { return ("user \(user)", "~") }
        return (String(cString: name), String(cString: home))
    }
}

extension CaptureFailure {
    /// This failure to connect, with the server's address, or what is known of the absence of a server that has none.
    ///
    /// - Parameter serverName: As the configuration names it; nil if it does not.
    func reaching(_ serverName: String?) -> CaptureFailure {
        if self == CaptureFailure(PA_ERR_CONNECTIONTERMINATED) {
            return CaptureFailure(
                reason: reason, message: "the server ended the connection",
                remedy:
                    "It may have as many clients as it takes, which are 64 by default: end some of them, and try again."
            )
        }
        let address = serverName ?? RecorderVariable.server.value
        let absence =
            address.map(AbsentServer.init(address:))
            ?? AbsentServer(runtimeDirectory: RecorderVariable.runtimeDirectory.value)
        guard reason == .noServer, let absence else {
            return address.map { atServer($0, isNamed: serverName != nil) } ?? self
        }
        return CaptureFailure(reason: absence.reason, message: absence.cause, remedy: absence.remedy)
    }
}
