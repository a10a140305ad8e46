import Dispatch
import Synchronization
import SystemPackage

/// Syncs the files of an output to their disk on its own thread, so that writing continues however long the disk takes.
///
/// Each output has its own, so that a disk that hangs does not delay other outputs. Used by one thread at a time.
final class FileSyncer: Sendable {
    private struct Work {
        let files: [FileDescriptor]
        let directory: OutputDirectory?
    }

    private struct State {
        var work: Work?
        var failure: Errno?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "accrec.sync")
    /// Wakes the queue. Dispatching blocks instead would allocate memory each time, much of which libdispatch keeps.
    ///
    /// `nonisolated(unsafe)`: once set up, a dispatch source is only signalled and cancelled, which any thread may do.
    private nonisolated(unsafe) let wakeSource: any DispatchSourceUserDataAdd

    init() {
        wakeSource = DispatchSource.makeUserDataAddSource(queue: queue)
        wakeSource.setEventHandler { [weak self] in self?.work() }
        wakeSource.activate()
    }

    deinit {
        wakeSource.cancel()
    }

    /// The first error of a sync; the system reports an error only once.
    var failure: Errno? { state.withLock { $0.failure } }

    /// Starts to sync these files, unless a sync is still running.
    ///
    /// - Parameters:
    ///   - files: Must stay open until `settle` returns.
    ///   - directory: The directory of a new file, which is synced too.
    func sync(_ files: [FileDescriptor], in directory: OutputDirectory? = nil) {
        let isFree = state.withLock { state in
            guard state.work == nil else { return false }
            state.work = Work(files: files, directory: directory)
            return true
        }
        if isFree { wakeSource.add(data: 1) }
    }

    /// Waits until the current sync has finished.
    func settle() {
        queue.sync { work() }
    }

    /// Does the pending work, if any. Runs on the queue.
    private func work() {
        guard let work = state.withLock({ $0.work }) else { return }
        let failures = work.files.map { $0.sync() } + [work.directory?.sync()]
        state.withLock { state in
            state.failure = state.failure ?? failures.lazy.compactMap(\.self).first
            state.work = nil
        }
    }
}
