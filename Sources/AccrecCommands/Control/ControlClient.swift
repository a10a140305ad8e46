import FoundationEssentials
import Glibc
import SystemPackage

/// A connection to a running recording.
struct ControlClient: ~Copyable {
    private let descriptor: FileDescriptor
    private var received: [UInt8] = []

    /// The longest line in bytes: a report with a hundred thousand gaps.
    private static let longestLine = 32 << 20

    init(_ socket: ControlSocket) throws(Errno) {
        descriptor = try socket.connect()
    }

    deinit {
        try? descriptor.close()
    }

    /// Sends a request.
    func send(_ request: ControlRequest) throws {
        try descriptor.writeAll(JSONText.line(request).utf8)
    }

    /// The next line, without its newline; nil once the recording has closed the connection.
    ///
    /// - Parameter timeout: In milliseconds; nil to wait as long as it takes.
    mutating func nextLine(within timeout: Int32? = nil) throws(Errno) -> Data? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeFirst(end + 1) }
                return Data(received[..<end])
            }
            var polled = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, timeout ?? -1) != 0 else { throw .timedOut }
            guard received.count < Self.longestLine, let bytes = try readBytes() else { return nil }
            received += bytes
        }
    }

    /// What comes next, as it is; nil once the recording has closed the connection.
    mutating func nextBytes() throws(Errno) -> [UInt8]? {
        if !received.isEmpty {
            defer { received = [] }
            return received
        }
        return try readBytes()
    }

    private func readBytes() throws(Errno) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor.rawValue, &bytes, bytes.count)
            if count > 0 { return Array(bytes.prefix(count)) }
            if count == 0 || errno == ECONNRESET { return nil }
            if errno != EINTR { throw Errno(rawValue: errno) }
        }
    }
}
