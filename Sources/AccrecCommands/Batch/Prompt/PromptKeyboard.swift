import Glibc

/// The terminal of somebody who is recorded, whose keys are read as they are pressed, for as long as it is ours.
actor PromptKeyboard {
    /// The keys.
    nonisolated let keys: AsyncStream<PromptKey>
    private let continuation: AsyncStream<PromptKey>.Continuation
    private var mode: TerminalMode?
    private var reading: Task<Void, Never>?
    private var looking: Task<Void, Never>?

    /// How often it is seen whether a terminal that was left is ours again.
    private static let lookInterval = Duration.milliseconds(250)

    init() {
        (keys, continuation) = AsyncStream.makeStream(of: PromptKey.self)
    }

    /// Reads keys, as soon as the terminal is ours.
    ///
    /// - Parameter isBack: Told when it is.
    func begin(_ isBack: @escaping @Sendable () async -> Void) async {
        guard reading == nil else { return }
        guard let mode = TerminalMode.begin(on: STDIN_FILENO) else {
            looking = Task { [weak self] in
                try? await Task.sleep(for: Self.lookInterval)
                if !Task.isCancelled { await self?.begin(isBack) }
            }
            return
        }
        self.mode = consume mode
        reading = Task { [continuation] in
            for await bytes in IncomingBytes.of(STDIN_FILENO) {
                for key in PromptKey.keys(in: bytes) { continuation.yield(key) }
            }
            // The terminal has gone.
            if !Task.isCancelled { continuation.yield(.quit) }
        }
        await isBack()
    }

    /// Leaves the terminal as it was.
    func end() {
        looking?.cancel()
        reading?.cancel()
        reading = nil
        mode = nil
    }
}
