import Dispatch
import Synchronization
import SystemPackage

/// Has what was written to the files of an output brought to their disk, by a thread of its own: however long the disk
/// takes, writing goes on.
///
/// Each output has one, so that a disk that hangs holds up no other. Used by one thread at a time.
final class FileSyncer: Sendable {
    private struct Work {
        let files: [FileDescriptor]
        let path: String?
    }

    private struct State {
        var work: Work?
        var failure: Errno?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "accrec.sync")
    /// Wakes the queue. What is handed to the queue itself takes memory each time, of which libdispatch keeps a good part.
    ///
    /// `nonisolated(unsafe)`: after it is set up, a source is only told of work and cancelled, which any thread may do.
    private nonisolated(unsafe) let bell: any DispatchSourceUserDataAdd

    init() {
        bell = DispatchSource.makeUserDataAddSource(queue: queue)
        bell.setEventHandler { [weak self] in self?.work() }
        bell.activate()
    }

    deinit {
        bell.cancel()
    }

    /// What the system said when something could not be brought to the disk, which it says only once.
    var failure: Errno? { state.withLock { $0.failure } }

    /// Brings to the disk what was written to these files until now, unless it is still at it.
    ///
    /// - Parameters:
    ///   - files: Stay open until it has settled.
    ///   - path: A new file, whose directory is brought there as well.
    func sync(_ files: [FileDescriptor], directoryOf path: String? = nil) {
        let isFree = state.withLock { state in
            guard state.work == nil else { return false }
            state.work = Work(files: files, path: path)
            return true
        }
        if isFree { bell.add(data: 1) }
    }

    /// Waits until it is done with what it was asked for.
    func settle() {
        queue.sync { work() }
    }

    /// Does what it was asked for, if that is not done. On the queue.
    private func work() {
        guard let work = state.withLock({ $0.work }) else { return }
        let failures = work.files.map { $0.bringToDisk() } + [work.path.flatMap(NewFile.bringDirectoryToDisk)]
        state.withLock { state in
            state.failure = state.failure ?? failures.lazy.compactMap(\.self).first
            state.work = nil
        }
    }
}
