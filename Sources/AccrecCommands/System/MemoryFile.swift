import CSpawn
import Glibc
import SystemPackage

/// A nameless file in memory, closed when deinitialised: what a program reads, or writes.
struct MemoryFile: ~Copyable {
    let descriptor: Int32

    /// - Parameter text: Read from the beginning.
    init(holding text: String = "") throws(Errno) {
        descriptor = memfd_create("accrec", UInt32(1))
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        do {
            try FileDescriptor(rawValue: descriptor).writeAll(text.utf8)
        } catch {
            throw error as? Errno ?? .ioError
        }
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit {
        close(descriptor)
    }

    /// All that was written.
    ///
    /// - Parameter limit: The largest number of bytes. Where there are more, the rest is left out.
    func bytes(atMost limit: Int) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < limit {
            let count = pread(descriptor, &piece, piece.count, bytes.count)
            guard count >= 0 else { throw Errno(rawValue: errno) }
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return bytes
    }
}
