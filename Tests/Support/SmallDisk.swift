import Foundation
import Glibc

/// A small disk: an in-memory file system of a given size.
public struct SmallDisk: Sendable {
    /// Its mount point.
    public let directory: URL

    /// Whether this process may mount one.
    public static let isPossible = (try? mount(byteCount: 1 << 20))?.unmount() != nil
    /// Why tests that need one are skipped.
    public static let absence = "a tmpfs cannot be mounted here"

    /// Runs a body with a new, empty disk of a size in bytes, a multiple of 4096.
    public static func with<Value>(byteCount: Int, _ body: (SmallDisk) async throws -> Value) async throws -> Value {
        let disk = try mount(byteCount: byteCount)
        defer { disk.unmount() }
        return try await body(disk)
    }

    /// Runs a body with a new, empty disk that does not say when its files were created, as NFS. It has no size.
    public static func withoutBirthTimes<Value>(_ body: (SmallDisk) async throws -> Value) async throws -> Value {
        let disk = try mount("ramfs", "")
        defer { disk.unmount() }
        return try await body(disk)
    }

    /// Detaches the disk as if it were unplugged: open files stay open, but their paths no longer exist.
    public func detach() {
        umount2(directory.path, Int32(MNT_DETACH))
    }

    /// Uses up this many bytes, like another program would.
    public func fill(byteCount: Int) throws {
        let path = directory.appending(path: "other").path
        let file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        defer { close(file) }
        guard file >= 0, posix_fallocate(file, 0, byteCount) == 0 else { throw CommandFailure("cannot fill \(path)") }
    }

    /// Uses up all that is free, also while others write.
    public func fill() throws {
        let path = directory.appending(path: "other").path
        let file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CommandFailure("cannot create \(path)") }
        defer { close(file) }
        let block = [UInt8](repeating: 0, count: 4_096)
        while write(file, block, block.count) == block.count {}
    }

    private static func mount(byteCount: Int) throws -> SmallDisk { try mount("tmpfs", "size=\(byteCount)") }

    private static func mount(_ kind: String, _ options: String) throws -> SmallDisk {
        let directory = FileManager.default.temporaryDirectory.appending(path: "accrec-disk.\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        guard Glibc.mount("none", directory.path, kind, 0, options) == 0 else {
            let cause = String(cString: strerror(errno))
            try FileManager.default.removeItem(at: directory)
            throw CommandFailure("cannot mount a \(kind): \(cause)")
        }
        return SmallDisk(directory: directory)
    }

    private func unmount() {
        detach()
        rmdir(directory.path)
    }
}
