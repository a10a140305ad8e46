import Foundation

/// TCP ports for servers on the loopback interface.
public enum LoopbackPort {
    /// A currently unused port on 127.0.0.1.
    public static func free() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw CommandFailure("socket: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // Port 0 lets the system choose.
        let result = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                bind(descriptor, address.baseAddress!, size) == 0
                    && getsockname(descriptor, address.baseAddress!, &size) == 0
            }
        }
        guard result else { throw CommandFailure("bind: \(String(cString: strerror(errno)))") }
        return Int(in_port_t(bigEndian: address.sin_port))
    }
}
