import Glibc
import SystemPackage

/// The service manager that has started this process as a service, by the protocol of sd_notify(3): datagrams of lines, each an
/// assignment such as `READY=1`.
final class ServiceManager: Sendable {
    /// How often to send `WATCHDOG=1`; nil for never.
    let watchdogInterval: Duration?
    private let address: LocalAddress
    private let descriptor: FileDescriptor

    /// What the service manager says to this process alone, and not to programs that it starts.
    static let variables: [Environment.Variable] = [.notifySocket, .watchdogInterval, .watchdogProcess]

    /// How often the watchdog is told at most, whatever the environment says.
    private static let shortestInterval = Duration.milliseconds(100)
    private static let longestInterval = Duration.seconds(86_400)

    /// The one of the environment; nil if this process is no service.
    ///
    /// - Throws: If its socket cannot be one.
    static func ofEnvironment() throws(Errno) -> ServiceManager? {
        guard let name = Environment.Variable.notifySocket.value, !name.isEmpty else { return nil }
        return try ServiceManager(
            name, watchdogInterval: Environment.Variable.watchdogInterval.value,
            watchdogProcess: Environment.Variable.watchdogProcess.value)
    }

    /// - Parameters:
    ///   - name: The path of its socket, or `@` and a name without a file.
    ///   - watchdogInterval: After how long without `WATCHDOG=1` it takes the service for hung, in microseconds.
    ///   - watchdogProcess: The process that it watches; nil for any.
    init(_ name: String, watchdogInterval: String? = nil, watchdogProcess: String? = nil) throws(Errno) {
        guard name.hasPrefix("/") || name.hasPrefix("@") else { throw .addressFamilyNotSupported }
        address = try LocalAddress(name)
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        descriptor = FileDescriptor(rawValue: number)
        let isWatched = watchdogProcess.map { pid_t($0) == getpid() } ?? true
        self.watchdogInterval = watchdogInterval.flatMap { Int64($0) }.flatMap { microseconds in
            guard isWatched, microseconds > 0 else { return nil }
            return min(max(.microseconds(microseconds) / 2, Self.shortestInterval), Self.longestInterval)
        }
    }

    deinit {
        try? descriptor.close()
    }

    /// Sends assignments as one datagram, without waiting.
    ///
    /// - Throws: `Errno.resourceTemporarilyUnavailable` while the service manager has no room for it.
    func send(_ assignments: [String]) throws(Errno) {
        let bytes = Array(assignments.joined(separator: "\n").utf8)
        let result = address.withPointer { address, length in
            sendto(
                descriptor.rawValue, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), address, length)
        }
        guard result < 0 else { return }
        throw Errno(rawValue: errno)
    }
}

/// The address of a socket of this machine (unix(7)).
struct LocalAddress {
    private var address = sockaddr_un()
    private let length: socklen_t

    /// - Parameter name: A path, or `@` and a name without a file.
    /// - Throws: `Errno.invalidArgument` if it is empty, `Errno.fileNameTooLong` if it does not fit.
    init(_ name: String) throws(Errno) {
        var bytes = Array(name.utf8)
        guard !bytes.isEmpty else { throw .invalidArgument }
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .fileNameTooLong }
        if bytes[0] == UInt8(ascii: "@") {
            // Every byte of the length belongs to the name, without a zero at its end.
            bytes[0] = 0
            length = socklen_t((MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 0) + bytes.count)
        } else {
            length = socklen_t(MemoryLayout<sockaddr_un>.size)
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    }

    /// Passes the address to a system call.
    func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
