import Synchronization

/// The files of a recording that is being started: nothing of them is to be left if the program ends before it begins.
///
/// Either the recording begins or it is abandoned, whichever comes first.
final class StartingOutputs: Sendable {
    private enum State {
        case starting([@Sendable () -> Promise<Void>])
        case begun
        case abandoned
    }

    private let state = Mutex(State.starting([]))

    /// Creates an output, unless the recording was abandoned: then returns nil.
    ///
    /// - Parameter make: Called under the lock, so that no file is created while the program ends.
    func create(
        _ make: () throws(ACCAudioRecorderError) -> OutputWriter
    ) throws(ACCAudioRecorderError) -> OutputWriter? {
        var created: OutputWriter?
        try state.withLock { (state) throws(ACCAudioRecorderError) in
            guard case .starting(let files) = state else { return }
            let writer = try make()
            if writer.path != nil { state = .starting(files + [writer.discarding]) }
            created = writer
        }
        return created
    }

    /// Begins the recording; false if it was abandoned.
    func begin() -> Bool {
        state.withLock { state in
            if case .abandoned = state { return false }
            state = .begun
            return true
        }
    }

    /// Removes the files, unless the recording has begun; false if it has.
    func abandon() async -> Bool {
        let files = state.withLock { state -> [@Sendable () -> Promise<Void>]? in
            switch state {
            case .begun: return nil
            case .abandoned: return []
            case .starting(let files):
                state = .abandoned
                return files
            }
        }
        guard let files else { return false }
        for discard in files { await discard().value }
        return true
    }
}
