import Synchronization

/// The files of a recording that is being started. If the program ends before the recording begins, none of them is left.
///
/// Either the recording begins or it is abandoned, whichever comes first.
final class StartingOutputs: Sendable {
    private enum State {
        /// With the files created so far, and the end of the creation of another one.
        case starting([@Sendable () -> Promise<[OutputReport]>], creation: Promise<Void>?)
        case begun
        /// Fulfilled when the files are removed.
        case abandoned(Promise<Void>)
    }

    private let state = Mutex(State.starting([], creation: nil))

    /// How long the files of an abandoned start may take to be removed: a disk that does not answer must not hold up the
    /// end of the program.
    private static let longestRemoval = Duration.seconds(1)

    /// Creates an output, unless the recording was abandoned: then returns nil, and leaves no file. Call it for one output
    /// after another.
    ///
    /// - Parameter make: Called on a thread of its own, because it takes as long as the disk, which may not answer at all.
    func create(
        _ make: @escaping @Sendable () throws(ACCAudioRecorderError) -> sending OutputWriter
    ) async throws(ACCAudioRecorderError) -> OutputWriter? {
        let creation = Promise<Void>()
        let isStarting = state.withLock { state in
            guard case .starting(let files, _) = state else { return false }
            state = .starting(files, creation: creation)
            return true
        }
        guard isStarting else { return nil }
        defer { creation.fulfil(()) }
        let writer = try await Self.make(make)
        let isWanted = state.withLock { state in
            guard case .starting(let files, _) = state else { return false }
            state = .starting(files + (writer.path == nil ? [] : [writer.discarding]), creation: nil)
            return true
        }
        if isWanted { return writer }
        _ = await writer.discard().value
        return nil
    }

    private static func make(
        _ make: @escaping @Sendable () throws(ACCAudioRecorderError) -> sending OutputWriter
    ) async throws(ACCAudioRecorderError) -> OutputWriter {
        let made = Promise<Result<Made, ACCAudioRecorderError>>()
        try DetachedThread.start("new output") {
            made.fulfil(Result { () throws(ACCAudioRecorderError) in Made(writer: try make()) })
        }
        return try await made.value.get().writer
    }

    /// `@unchecked Sendable`: the thread that made the output does not use it any more, and only one task gets it.
    private struct Made: @unchecked Sendable {
        let writer: OutputWriter
    }

    /// Begins the recording; false if it was abandoned.
    func begin() -> Bool {
        state.withLock { state in
            if case .abandoned = state { return false }
            state = .begun
            return true
        }
    }

    /// Whether the recording has begun.
    var hasBegun: Bool { state.withLock { if case .begun = $0 { true } else { false } } }

    /// Removes the files, unless the recording has begun; false if it has.
    ///
    /// Waits for a file that is being created, but not for long.
    func abandon() async -> Bool {
        let isRemoved = Promise<Void>()
        let earlier: State = state.withLock { state in
            defer { if case .starting = state { state = .abandoned(isRemoved) } }
            return state
        }
        switch earlier {
        case .begun: return false
        case .abandoned(let isRemoved): await isRemoved.value
        case .starting(let files, let creation):
            Task {
                for discard in files { _ = await discard().value }
                await creation?.value
                isRemoved.fulfil(())
            }
            Task {
                try? await Task.sleep(for: Self.longestRemoval)
                isRemoved.fulfil(())
            }
            await isRemoved.value
        }
        return true
    }
}

/// The call of a start, which its task may cancel until the recording begins.
final class StartCall: Sendable {
    private enum State {
        /// Other commands are carried out before it.
        case waiting
        case running(StartingOutputs)
        case cancelled
    }

    private let state = Mutex(State.waiting)

    /// Begins to carry it out; false if it was cancelled.
    func begin(creating outputs: StartingOutputs) -> Bool {
        state.withLock { state in
            if case .cancelled = state { return false }
            state = .running(outputs)
            return true
        }
    }

    /// Removes its files, unless the recording has begun; false if it has.
    func cancel() async -> Bool {
        let earlier = state.withLock { state in
            defer { state = .cancelled }
            return state
        }
        if case .running(let outputs) = earlier { return await outputs.abandon() }
        return true
    }
}
