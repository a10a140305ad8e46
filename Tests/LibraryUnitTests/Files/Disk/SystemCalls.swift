import Glibc
import Synchronization

/// System calls of this process that tests record, because no file shows their order, or let fail: a function of the program
/// itself takes precedence over one of the C library.
enum SystemCalls {
    enum Call {
        case syncFile, syncDirectory
        /// A file gets another name.
        case name
    }

    /// The error with which a hard link fails, as on exFAT, which has none; 0 if there are some.
    static let linkFailure = Atomic<Int32>(0)
    /// The error with which a file cannot be synced; 0 if it can.
    static let fileFailure = Atomic<Int32>(0)
    /// The error with which a directory cannot be synced; 0 if it can.
    static let directoryFailure = Atomic<Int32>(0)
    /// Whether files can be neither changed nor replaced.
    static let areImmutable = Atomic(false)
    private static let calls = Mutex<[Call]?>(nil)

    /// Begins to record calls.
    static func beginRecording() {
        calls.withLock { $0 = [] }
    }

    /// Ends it, and returns the calls in order.
    static func endRecording() -> [Call] {
        calls.withLock { $0.take() ?? [] }
    }

    fileprivate static func record(_ call: Call) {
        calls.withLock { $0?.append(call) }
    }

    /// The C library's own function.
    fileprivate static func original<Function>(_ name: String, as _: Function.Type) -> Function {
        let next = UnsafeMutableRawPointer(bitPattern: -1)
        return unsafeBitCast(dlsym(next, name), to: Function.self)
    }
}

private typealias Sync = @convention(c) (Int32) -> Int32
private typealias Path = UnsafePointer<CChar>
private typealias Rename = @convention(c) (Int32, Path, Int32, Path) -> Int32
private typealias Access = @convention(c) (Int32, Path, Int32, Int32) -> Int32
private typealias Link = @convention(c) (Int32, Path, Int32, Path, Int32) -> Int32

@_cdecl("fdatasync")
func syncOfData(_ file: Int32) -> Int32 {
    SystemCalls.record(.syncFile)
    let failure = SystemCalls.fileFailure.load(ordering: .relaxed)
    guard failure == 0 else {
        errno = failure
        return -1
    }
    return SystemCalls.original("fdatasync", as: Sync.self)(file)
}

@_cdecl("fsync")
func syncOfAll(_ file: Int32) -> Int32 {
    SystemCalls.record(.syncDirectory)
    let failure = SystemCalls.directoryFailure.load(ordering: .relaxed)
    guard failure == 0 else {
        errno = failure
        return -1
    }
    return SystemCalls.original("fsync", as: Sync.self)(file)
}

@_cdecl("renameat")
func renaming(_ old: Int32, _ oldPath: UnsafePointer<CChar>, _ new: Int32, _ newPath: UnsafePointer<CChar>) -> Int32 {
    guard !SystemCalls.areImmutable.load(ordering: .relaxed) else {
        errno = EPERM
        return -1
    }
    SystemCalls.record(.name)
    return SystemCalls.original("renameat", as: Rename.self)(old, oldPath, new, newPath)
}

@_cdecl("faccessat")
func access(_ directory: Int32, _ path: UnsafePointer<CChar>, _ mode: Int32, _ flags: Int32) -> Int32 {
    guard !SystemCalls.areImmutable.load(ordering: .relaxed) else {
        errno = EPERM
        return -1
    }
    return SystemCalls.original("faccessat", as: Access.self)(directory, path, mode, flags)
}

@_cdecl("linkat")
func linking(
    _ old: Int32, _ oldPath: UnsafePointer<CChar>, _ new: Int32, _ newPath: UnsafePointer<CChar>, _ flags: Int32
) -> Int32 {
    let failure = SystemCalls.linkFailure.load(ordering: .relaxed)
    guard failure == 0 else {
        errno = failure
        return -1
    }
    SystemCalls.record(.name)
    return SystemCalls.original("linkat", as: Link.self)(old, oldPath, new, newPath, flags)
}
