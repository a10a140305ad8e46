import Foundation
import Synchronization

/// A socket that stands in for the service manager's: it keeps what services send (sd_notify(3)).
public final class NotifySocket: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    public let name: String
    private let descriptor: Int32
    private let received = Mutex<[String]>([])

    /// - Parameter name: A path, or `@` and a name without a file.
    public init(_ name: String) throws {
        self.name = name
        descriptor = try Self.open(name) { bind($0, $1, $2) }
    }

    private static func open(
        _ name: String, _ attach: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if name.hasPrefix("@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { attach(descriptor, $0, length) }
        }
        guard result == 0 else { throw CommandFailure("\(name): \(String(cString: strerror(errno)))") }
        return descriptor
    }

    /// Fills the socket, so that it takes nothing more until `lines` are read.
    public func fill() throws {
        let sender = try Self.open(name) { connect($0, $1, $2) }
        defer { close(sender) }
        while send(sender, "X=1", 3, Int32(MSG_DONTWAIT)) >= 0 {}
    }

    deinit {
        close(descriptor)
        if name.hasPrefix("/") { unlink(name) }
    }

    /// The assignments so far, in their order.
    public var lines: [String] {
        received.withLock { lines in
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return lines }
                lines += String(decoding: bytes.prefix(count), as: UTF8.self).components(separatedBy: "\n")
            }
        }
    }

    /// Waits for an assignment that comes after the first `count` ones.
    ///
    /// - Returns: How many there are with it.
    @discardableResult
    public func wait(for text: String, after count: Int = 0, _ process: ChildProcess? = nil) async throws -> Int {
        try await eventually("'\(text)' in \(lines): \(process?.standardError ?? "")", within: 20) {
            lines.indices.dropFirst(count).first { lines[$0].hasPrefix(text) }.map { $0 + 1 }
        }
    }
}
