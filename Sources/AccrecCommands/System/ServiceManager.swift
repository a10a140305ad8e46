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
