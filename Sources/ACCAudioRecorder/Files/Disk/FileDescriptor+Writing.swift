import Glibc
import SystemPackage

extension FileDescriptor {
    /// Writes as many of these bytes as possible.
    ///
    /// - Parameter offset: Their offset in the file; nil for the descriptor's current position.
    /// - Returns: The number of bytes written, and the error if that is not all.
    func writeMost(of bytes: UnsafeRawBufferPointer, at offset: Int64? = nil) -> (byteCount: Int, failure: Errno?) {
        var rest = bytes
        do {
            while !rest.isEmpty {
                let count: Int
                if let offset {
                    count = try write(toAbsoluteOffset: offset + Int64(bytes.count - rest.count), rest)
                } else {
                    count = try write(rest)
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return (bytes.count, nil)
        } catch {
            return (bytes.count - rest.count, error as? Errno ?? .ioError)
        }
    }

    /// Closes the descriptor; an error may concern an earlier write.
    func closeAfterWriting() throws(Errno) {
        guard Glibc.close(rawValue) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Syncs what was written to the disk, which may take long.
    ///
    /// - Returns: The error; nil if it succeeded or the file system does not support syncing.
    func sync(isDirectory: Bool = false) -> Errno? {
        guard (isDirectory ? fsync(rawValue) : fdatasync(rawValue)) != 0 else { return nil }
        let failure = Errno(rawValue: errno)
        // Some file systems of user space and of networks have no sync of a directory, and say so by the last two.
        let unsupported: [Errno] =
            [.invalidArgument, .noFunction, .notSupported]
            + (isDirectory ? [.badFileDescriptor, .permissionDenied] : [])
        return unsupported.contains(failure) ? nil : failure
    }
}
