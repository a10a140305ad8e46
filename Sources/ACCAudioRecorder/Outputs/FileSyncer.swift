import Dispatch
import Synchronization
import SystemPackage

/// Has what was written to the files of an output brought to their disk, by a thread of its own: however long the disk
/// takes, writing goes on.
///
/// Each output has one, so that a disk that hangs holds up no other. Used by one thread at a time.
final class FileSyncer: Sendable {
    private struct State {
        var isAtWork = false
        var failure: Errno?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "accrec.sync")

    /// What the system said when something could not be brought to the disk, which it says only once.
    var failure: Errno? { state.withLock { $0.failure } }

    /// Brings to the disk what was written to these files until now, unless it is still at it.
    ///
    /// - Parameters:
    ///   - files: Stay open until it has settled.
    ///   - path: A new file, whose directory is brought there as well.
    func sync(_ files: [FileDescriptor], directoryOf path: String? = nil) {
        let isFree = state.withLock { state in
            defer { state.isAtWork = true }
            return !state.isAtWork
        }
        guard isFree else { return }
        queue.async { [self] in
            let failures = files.map { $0.bringToDisk() } + [path.flatMap(NewFile.bringDirectoryToDisk)]
            state.withLock { state in
                state.failure = state.failure ?? failures.lazy.compactMap(\.self).first
                state.isAtWork = false
            }
        }
    }

    /// Waits until it is done with what it was asked for.
    func settle() {
        queue.sync {}
    }
}
