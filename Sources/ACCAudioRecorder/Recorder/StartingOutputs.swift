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

    /// Adds an output that was created.
    func add(_ writer: OutputWriter) {
        guard writer.path != nil else { return }
        let discard = writer.discarding
        state.withLock { state in
            if case .starting(let files) = state { state = .starting(files + [discard]) }
        }
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
