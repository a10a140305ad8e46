import Glibc
import SystemPackage

/// A file that is created exclusively and never overwrites an existing one.
///
/// To replace an existing file, it is written beside it under a hidden name, and renamed only when it is complete. It
/// then has the mode of the old file and, if the system permits, its owner. A symbolic link is kept, and its target is
/// replaced. A file that replaces none can be hidden until it is complete, too.
struct AtomicFile: ~Copyable {
    /// The final path, as given by the user.
    let path: String
    /// Open for reading and writing.
    let descriptor: FileDescriptor
    /// The directory in which it is created.
    let directory: OutputDirectory
    /// Its final name in the directory, and the name under which it is written.
    private let name: String
    private let writingName: String
    private let replacesExisting: Bool
    private let identity: FileIdentity
    private let isSynced: Bool

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - isHidden: Whether it is hidden until it is complete, even if it may replace no other.
    ///   - isSynced: Whether to sync it before it is renamed, and then its directory.
    /// - Throws: `outputFailed`, with the reason `fileExists` if a file has the name under which it is written.
    init(
        path: String, replacesExisting: Bool, isHidden: Bool = false, isSynced: Bool = false
    ) throws(ACCAudioRecorderError) {
        let target = replacesExisting ? Self.target(of: path) : path
        let name = FilePath(target).lastComponent?.string ?? target
        let writingName = replacesExisting || isHidden ? Self.partName(for: name) : name
        do throws(Errno) {
            (directory, descriptor, identity) = try FreeDescriptors.claim(for: .file) { () throws(Errno) in
                let directory = try OutputDirectory(Self.directory(of: target))
                let (descriptor, identity) = try Self.create(writingName, in: directory)
                return (directory, descriptor, identity)
            }
        } catch {
            throw Self.failure(creating: writingName, for: path, error)
        }
        (self.path, self.name, self.writingName) = (path, name, writingName)
        (self.replacesExisting, self.isSynced) = (replacesExisting, isSynced)
        if replacesExisting { copyOwner() }
    }

    private static func create(
        _ name: String, in directory: OutputDirectory
    ) throws(Errno) -> (FileDescriptor, FileIdentity) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = openat(directory.descriptor.rawValue, name, flags, 0o666)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        let descriptor = FileDescriptor(rawValue: number)
        guard let identity = FileIdentity(descriptor) else { throw .badFileDescriptor }
        return (descriptor, identity)
    }

    private static func failure(creating name: String, for path: String, _ cause: Errno) -> ACCAudioRecorderError {
        let what = "cannot create '\(path)'"
        if cause == .fileExists, !name.hasSuffix(partSuffix) { return .fileExists(what, cause: "\(cause)") }
        let remedy =
            switch cause {
            case .fileExists:
                "Another recording is replacing that file, or was killed. Check whether '\(name)' beside it is still needed."
            case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "Allow more open files (ulimit -n)."
            default: "Choose a name and a directory you can write to."
            }
        let reason: ACCAudioRecorderError.Failure.Reason = cause == .fileExists ? .fileExists : .cannotCreate
        return .outputFailed(.init(reason, what, cause: "\(cause)", remedy: remedy))
    }

    /// Copies the mode and the owner of the file to be replaced.
    private func copyOwner() {
        guard let old = directory.status(of: name), old.st_mode & S_IFMT == S_IFREG else { return }
        // Only an administrator can give files away; the group at least can be kept by a member of it.
        if fchown(descriptor.rawValue, old.st_uid, old.st_gid) != 0 {
            _ = fchown(descriptor.rawValue, uid_t.max, old.st_gid)
        }
        _ = fchmod(descriptor.rawValue, old.st_mode & 0o777)
    }

    /// The current size in bytes.
    var size: Int {
        var status = stat()
        return fstat(descriptor.rawValue, &status) == 0 ? Int(status.st_size) : 0
    }
}

// MARK: - Completion

extension AtomicFile {
    /// A file that is complete.
    struct Completed {
        let file: CreatedFile
        /// The size in bytes.
        let byteCount: Int
        /// Whether the file has another name because it must not replace an older one.
        let isBesideOlder: Bool
    }

    /// Closes the file and moves it to its final path.
    ///
    /// - Parameters:
    ///   - isWhole: Whether it may replace another file, if it was created to do so. Otherwise it gets a free name beside
    ///     that.
    ///   - otherName: Its final name, if that is another one by now; for a hidden file.
    consuming func keep(
        isWhole: Bool = true, as otherName: String? = nil
    ) throws(ACCAudioRecorderError) -> Completed {
        let placeUntilNow = currentPath ?? knownPath
        do throws(Errno) {
            let (size, version) = (size, FileVersion(descriptor))
            if isSynced, let failure = descriptor.sync() { throw failure }
            try descriptor.closeAfterWriting()
            let finalName = writingName == name ? name : try moveToPlace(otherName ?? name, isWhole: isWhole)
            if isSynced, let failure = directory.sync() { throw failure }
            let isPlaced = finalName == name && !directory.hasMoved
            let finalPath = writingName == name ? placeUntilNow : isPlaced ? path : directory.path(of: finalName)
            return Completed(
                file: CreatedFile(path: finalPath, version: version), byteCount: size,
                isBesideOlder: finalName != name)
        } catch {
            throw .outputFailed(
                .init(
                    .cannotWrite, "cannot complete '\(path)'", cause: "\(error)",
                    remedy: "What was recorded is in '\(placeUntilNow)'."))
        }
    }

    /// Closes the file and leaves it where it is.
    ///
    /// - Returns: Its path.
    consuming func leave() -> String {
        let place = currentPath ?? knownPath
        // The error that led here has already been reported.
        try? descriptor.close()
        return place
    }

    /// Closes the file and removes it.
    consuming func remove() {
        // The file is unwanted, so a failure of either call loses nothing.
        if directory.status(of: writingName).map(FileIdentity.init) == identity {
            unlinkat(directory.descriptor.rawValue, writingName, 0)
        }
        try? descriptor.close()
    }

    /// Its current path: the one that the user gave, if it still leads to the file; nil if it cannot be found.
    var currentPath: String? { descriptor.currentPath(knownAs: knownPath) }

    private var knownPath: String { writingName == name ? path : directory.path(of: writingName) }

    /// Renames the hidden file to its final name.
    ///
    /// - Returns: Its new name.
    private func moveToPlace(_ name: String, isWhole: Bool) throws(Errno) -> String {
        let old = directory.status(of: name)
        if replacesExisting, isWhole, old == nil || old.map({ $0.st_mode & S_IFMT == S_IFREG }) == true {
            try rename(to: name, replacesExisting: true)
            return name
        }
        var number = 0
        while true {
            let name = number == 0 ? name : Self.partialName(for: name, number)
            do {
                try rename(to: name, replacesExisting: false)
                return name
            } catch .fileExists {
                number += 1
            }
        }
    }

    private func rename(to newName: String, replacesExisting: Bool) throws(Errno) {
        let number = directory.descriptor.rawValue
        if !replacesExisting {
            // Unlike a rename, creating a hard link never replaces a file.
            if linkat(number, writingName, number, newName, 0) == 0 {
                unlinkat(number, writingName, 0)
                return
            }
            let failure = Errno(rawValue: errno)
            // Some file systems have no hard links.
            guard [.notPermitted, .notSupported, .noFunction].contains(failure) else { throw failure }
            guard directory.status(of: newName) == nil else { throw .fileExists }
        }
        guard renameat(number, writingName, number, newName) == 0 else { throw Errno(rawValue: errno) }
    }
}

/// A file that was created, with its version to recognise it by later.
struct CreatedFile: Sendable {
    let path: String
    let version: FileVersion?

    /// Removes the file, unless it was changed or replaced.
    func remove() throws(Errno) {
        guard let present = FileVersion(path: path) else { return }
        guard present == version else { throw .fileExists }
        guard unlink(path) == 0 || errno == ENOENT else { throw Errno(rawValue: errno) }
    }
}
