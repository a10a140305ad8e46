import Glibc
import SystemPackage

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
