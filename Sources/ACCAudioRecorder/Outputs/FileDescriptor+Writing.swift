import Glibc
import SystemPackage

extension FileDescriptor {
    /// Writes as many of these bytes as can be written.
    ///
    /// - Parameter offset: Their place in a file; nil for where the descriptor stands.
    /// - Returns: How many they are, and what the system said where that is not all.
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

    /// Brings what was written to the disk, which may take long.
    ///
    /// - Returns: What the system said where that failed; not where the file system knows no such thing.
    func bringToDisk(isDirectory: Bool = false) -> Errno? {
        guard (isDirectory ? fsync(rawValue) : fdatasync(rawValue)) != 0 else { return nil }
        let failure = Errno(rawValue: errno)
        return failure == .invalidArgument || failure == .noFunction || failure == .notSupported ? nil : failure
    }
}
