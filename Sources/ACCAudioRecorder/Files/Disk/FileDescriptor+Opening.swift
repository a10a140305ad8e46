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
