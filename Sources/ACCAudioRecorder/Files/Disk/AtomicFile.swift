import Glibc
import SystemPackage

/// A file that is created exclusively and never overwrites an existing one.
///
/// To replace an existing file, it is written beside it under a hidden name, and renamed only when it is complete. It
/// then has the mode of the old file and, if the system permits, its owner. A symbolic link is kept, and its target is
/// replaced. A file that replaces none can be hidden until it is complete, too. Until then it is locked, so that no other
/// recording replaces it.
struct AtomicFile: ~Copyable {
    /// The final path, as given by the user.
    let path: String
    /// Open for reading and writing.
    var descriptor: FileDescriptor
    /// The directory in which it is created.
    let directory: OutputDirectory
    /// Its final name in the directory, and the name under which it is written.
    let name: String
    let writingName: String
    private let replacesExisting: Bool
    private let replaceable: Set<FileVersion>?
    var identity: FileIdentity
    private let isSynced: Bool

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - replaceable: Of existing files, those that it may replace; nil for any.
    ///   - isHidden: Whether it is hidden until it is complete, even if it may replace no other.
    ///   - isSynced: Whether to sync it before it is renamed, and then its directory.
    /// - Throws: `outputFailed`, with the reason `fileExists` if a file has the name under which it is written.
    init(
        path: String, replacesExisting: Bool, replaceable: Set<FileVersion>? = nil, isHidden: Bool = false,
        isSynced: Bool = false
    ) throws(ACCAudioRecorderError) {
        let target = replacesExisting ? Self.target(of: path) : path
        let name = FilePath(target).lastComponent?.string ?? target
        let isHidden = replacesExisting || isHidden
        do throws(Errno) {
            (directory, descriptor, identity, writingName) = try FreeDescriptors.claim(for: .file) { () throws(Errno) in
                let directory = try OutputDirectory(Self.directory(of: target))
                if replacesExisting, directory.isImmutable(name) { throw .notPermitted }
                guard isHidden else {
                    let (descriptor, identity) = try Self.create(name, in: directory)
                    return (directory, descriptor, identity, name)
                }
                let (descriptor, identity, partName) = try Self.createPart(of: name, in: directory)
                return (directory, descriptor, identity, partName)
            }
        } catch {
            throw Self.failure(creating: path, error)
        }
        FileLock.hold(descriptor)
        (self.path, self.name) = (path, name)
        (self.replacesExisting, self.replaceable, self.isSynced) = (replacesExisting, replaceable, isSynced)
        if replacesExisting, let old = directory.status(of: name), old.st_mode & S_IFMT == S_IFREG {
            Self.copyOwner(old, to: descriptor)
        }
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

    /// Creates the hidden file. A recording that was killed may have left the name of an earlier one, and a process of a
    /// container has the same id each time.
    static func createPart(
        of name: String, in directory: OutputDirectory
    ) throws(Errno) -> (FileDescriptor, FileIdentity, String) {
        var number = 1
        while true {
            let partName = partName(for: name, number)
            do throws(Errno) {
                let (descriptor, identity) = try create(partName, in: directory)
                return (descriptor, identity, partName)
            } catch {
                guard error == .fileExists else { throw error }
                number += 1
            }
        }
    }

    /// The error of a file that cannot be created.
    ///
    /// - Parameter system: The file system of its directory; nil to ask for it.
    static func failure(
        creating path: String, _ cause: Errno, on system: HostFileSystem? = nil
    ) -> ACCAudioRecorderError {
        let what = "cannot create '\(path)'"
        if cause == .fileExists { return .fileExists(what, cause: "\(cause)") }
        // Some file systems say only that the argument is invalid, or that there is no such file.
        if let fitting = (system ?? HostFileSystem(of: directory(of: path)))?.fitting(path), fitting != path {
            return .outputFailed(
                .init(
                    .cannotCreate, what,
                    cause: "its file system allows none of \(HostFileSystem.refusedCharacters) in names",
                    remedy: "Use another name, such as '\(fitting)'."))
        }
        let remedy =
            switch cause {
            case .notPermitted: "Use another name, or let the file be changed (chattr -i)."
            case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "Allow more open files (ulimit -n)."
            default: "Choose a name and a directory you can write to."
            }
        return .outputFailed(.init(.cannotCreate, what, cause: "\(cause)", remedy: remedy))
    }

    /// Copies the mode and the owner of the file to be replaced.
    static func copyOwner(_ old: stat, to descriptor: FileDescriptor) {
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
        /// Whether the file has another name because it must not replace an older one, or could not.
        let isBesideOlder: Bool
        /// The system's error if it could not.
        let obstacle: Errno?
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
        var place = currentPath ?? knownPath
        do throws(Errno) {
            let (size, open) = (size, FileVersion(descriptor))
            if isSynced, let failure = descriptor.sync() { throw failure }
            FileLock.release(descriptor)
            try descriptor.closeAfterWriting()
            let (finalName, obstacle) =
                isHidden ? try moveToPlace(otherName ?? name, isWhole: isWhole) : (name, nil)
            let isPlaced = finalName == name && !directory.hasMoved
            if isHidden { place = isPlaced ? path : directory.path(of: finalName) }
            if isSynced, let failure = directory.sync() { throw failure }
            // Some servers of files set the time of the last change when a file is closed.
            let closed = directory.status(of: finalName).map(FileVersion.init)
            let version = open.flatMap { closed?.isSameFile(as: $0) } == true ? closed : open
            let older = CreatedFile.Older(path: path, target: directory.path(of: name), replaceable: replaceable)
            return Completed(
                file: CreatedFile(
                    path: place, version: version, older: replacesExisting && finalName != name ? older : nil),
                byteCount: size, isBesideOlder: finalName != name, obstacle: obstacle)
        } catch {
            throw .outputFailed(
                .init(
                    .cannotWrite, "cannot complete '\(path)'", cause: "\(error)",
                    remedy: "What was recorded is in '\(place)'."))
        }
    }

    /// Closes the file and moves it to the path for which it was created.
    ///
    /// - Throws: `outputFailed` also if another program has created a file there meanwhile. This one then has a free name
    ///   beside it, which the error states.
    consuming func keepAtPath() throws(ACCAudioRecorderError) {
        let path = path
        let completed = try keep()
        guard completed.isBesideOlder else { return }
        throw .outputFailed(
            .init(
                .fileExists, "cannot create '\(path)'", cause: "another program has created it meanwhile",
                remedy: "What was to be in it is in '\(completed.file.path)'."))
    }

    /// Closes the file and leaves it where it is.
    ///
    /// - Returns: Its path.
    consuming func leave() -> String {
        let place = currentPath ?? knownPath
        // The error that led here has already been reported.
        FileLock.release(descriptor)
        try? descriptor.close()
        return place
    }

    /// Closes the file and removes it.
    consuming func remove() {
        // The file is unwanted, so a failure of either call loses nothing.
        if directory.status(of: writingName).map(FileIdentity.init) == identity {
            unlinkat(directory.descriptor.rawValue, writingName, 0)
        }
        FileLock.release(descriptor)
        try? descriptor.close()
    }

    /// Its current path: the one that the user gave, if it still leads to the file; nil if it cannot be found.
    var currentPath: String? { descriptor.currentPath(knownAs: knownPath) }

    private var knownPath: String { isHidden ? directory.path(of: writingName) : path }

    private var isHidden: Bool { writingName != name }

    /// Renames the hidden file to its final name.
    ///
    /// - Returns: Its new name, and the system's error if it could not replace the file that it was to replace.
    private func moveToPlace(_ name: String, isWhole: Bool) throws(Errno) -> (name: String, obstacle: Errno?) {
        let old = directory.status(of: name)
        let mayReplace = replacesExisting && isWhole && (old.map { CreatedFile.Older.permits($0, replaceable) } ?? true)
        var obstacle: Errno?
        if mayReplace, FileLock.state(of: name, in: directory.descriptor.rawValue) != .held {
            guard renameat(directory.descriptor.rawValue, writingName, directory.descriptor.rawValue, name) != 0 else {
                return (name, nil)
            }
            obstacle = Errno(rawValue: errno)
        }
        var number = obstacle == nil ? 0 : 1
        while true {
            let name = number == 0 ? name : Self.partialName(for: name, number)
            do {
                try rename(toUnused: name)
                return (name, obstacle)
            } catch .fileExists {
                number += 1
            }
        }
    }

    /// Renames the hidden file, unless there is a file of that name.
    private func rename(toUnused newName: String) throws(Errno) {
        let number = directory.descriptor.rawValue
        // Unlike a rename, creating a hard link never replaces a file.
        if linkat(number, writingName, number, newName, 0) == 0 {
            unlinkat(number, writingName, 0)
            return
        }
        let failure = Errno(rawValue: errno)
        // Some file systems have no hard links, or a policy of the system does not permit them.
        guard [.notPermitted, .notSupported, .noFunction, .permissionDenied].contains(failure) else { throw failure }
        guard directory.status(of: newName) == nil else { throw .fileExists }
        guard renameat(number, writingName, number, newName) == 0 else { throw Errno(rawValue: errno) }
    }
}
