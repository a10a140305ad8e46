import Glibc
import SystemPackage

/// A hidden file of lines of this user that several processes read and change, one at a time: opened and locked, until it goes
/// out of scope.
struct SharedLines: ~Copyable {
    private let descriptor: FileDescriptor
    private let name: String
    private let directory: OutputDirectory

    /// The largest size in bytes.
    private static let largestSize = 256 << 20
    /// How often, and at which interval in microseconds, a file is tried that another process has opened.
    private static let (attempts, interval) = (20, 50_000 as UInt32)

    /// Opens the file, and creates it if there is none. Waits for at most a second.
    ///
    /// - Throws: `permissionDenied` for another user's file, or one that is not regular or is too large; `wouldBlock` if another
    ///   process does not close it.
    init(_ name: String, in directory: OutputDirectory) throws(Errno) {
        (self.name, self.directory) = (name, directory)
        for attempt in 1...Self.attempts {
            let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
            let number = openat(directory.descriptor.rawValue, name, flags, 0o600)
            guard number >= 0 else { throw Errno(rawValue: errno) }
            let descriptor = FileDescriptor(rawValue: number)
            // Where the file system has no locks, each process trusts that it is the only one.
            let isLocked = flock(number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
            var status = stat()
            fstat(number, &status)
            let isOwn = status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
            guard isOwn, status.st_size <= Self.largestSize else {
                try? descriptor.close()
                throw .permissionDenied
            }
            // Another process may have replaced it.
            if isLocked, directory.status(of: name).map(FileIdentity.init) == FileIdentity(status) {
                self.descriptor = descriptor
                return
            }
            try? descriptor.close()
            // The system has no wait for a lock that ends after a time.
            if attempt < Self.attempts { usleep(Self.interval) }
        }
        throw .wouldBlock
    }

    deinit {
        // What was written is complete.
        try? descriptor.close()
    }

    /// Differs once it was changed.
    var version: FileVersion? { FileVersion(descriptor) }

    /// The lines, without their ends.
    func lines() throws(Errno) -> [ArraySlice<UInt8>] {
        do {
            let count = Int(try descriptor.seek(offset: 0, from: .end))
            guard count > 0 else { return [] }
            let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
                while length < count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[length...])
                    let read = try descriptor.read(fromAbsoluteOffset: Int64(length), into: rest)
                    guard read > 0 else { return }
                    length += read
                }
            }
            return bytes.split(separator: UInt8(ascii: "\n"))
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Adds lines. If not all can be written, none is.
    func append(_ lines: [String]) throws(Errno) {
        do {
            let end = try descriptor.seek(offset: 0, from: .end)
            do {
                try Self.write(lines, to: descriptor)
            } catch {
                _ = ftruncate(descriptor.rawValue, off_t(end))
                throw error
            }
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Replaces the file by one with these lines. This one must not be used any more.
    func replace(with lines: [String]) throws(Errno) {
        let (file, _, partName) = try AtomicFile.createPart(of: name, in: directory)
        let place = directory.descriptor.rawValue
        do {
            defer { try? file.close() }
            _ = fchmod(file.rawValue, 0o600)
            try Self.write(lines, to: file)
            guard renameat(place, partName, place, name) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            unlinkat(place, partName, 0)
            throw error as? Errno ?? .ioError
        }
    }

    private static func write(_ lines: [String], to file: FileDescriptor) throws {
        try file.writeAll(lines.map { $0 + "\n" }.joined().utf8)
    }
}
