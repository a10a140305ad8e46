import Glibc
import SystemPackage

extension FileDescriptor {
    /// Opens a regular file, without waiting for the other end of a pipe.
    ///
    /// - Returns: Nil for anything else: a directory, a pipe, a device.
    static func openFile(_ path: String, _ mode: AccessMode) throws(Errno) -> FileDescriptor? {
        let file: FileDescriptor
        do {
            file = try open(FilePath(path), mode, options: [.closeOnExec, .nonBlocking])
        } catch {
            throw error as? Errno ?? .ioError
        }
        var status = Glibc.stat()
        if fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return file }
        try? file.close()
        return nil
    }
}

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

extension FileDescriptor {
    /// The largest number of bytes that are copied at once: a recorder that runs for months keeps as much memory.
    private static let copiedAtOnce = 256 << 10

    /// Copies a range of the file to another one.
    ///
    /// - Parameters:
    ///   - offset: Where it begins in the other file.
    ///   - part: The least length of a part in bytes, but for the last one.
    ///   - didCopy: Called after each part.
    func copy(
        _ range: Range<Int>, to new: FileDescriptor, at offset: Int, part: Int = .max,
        didCopy: () throws(Errno) -> Void = {}
    ) throws(Errno) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(range.count, Self.copiedAtOnce), alignment: 16)
        defer { buffer.deallocate() }
        var (done, doneBefore) = (0, 0)
        while done < range.count {
            let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, range.count - done)])
            let count: Int
            do {
                count = try read(fromAbsoluteOffset: Int64(range.lowerBound + done), into: wanted)
            } catch {
                throw error as? Errno ?? .ioError
            }
            guard count > 0 else { throw .ioError }
            let bytes = UnsafeRawBufferPointer(rebasing: wanted[..<count])
            if let failure = new.writeMost(of: bytes, at: Int64(offset + done)).failure { throw failure }
            done += count
            guard done - doneBefore >= part || done == range.count else { continue }
            doneBefore = done
            try didCopy()
        }
    }
}
