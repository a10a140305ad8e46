import Glibc

/// Reads single key presses from the terminal while this process is in its foreground.
actor Keyboard<Press: Sendable> {
    /// The pressed keys.
    nonisolated let keys: AsyncStream<Press>
    private let continuation: AsyncStream<Press>.Continuation
    private let decode: @Sendable ([UInt8]) -> [Press]
    private let end: Press
    private var mode: TerminalMode?
    private var reading: Task<Void, Never>?
    private var polling: Task<Void, Never>?

    /// How often to check whether this job is in the terminal's foreground again.
    private static var pollInterval: Duration { .milliseconds(250) }

    /// - Parameters:
    ///   - end: The key that stands for the end of the input, when the terminal was closed.
    ///   - decode: The keys for bytes from the terminal.
    init(end: Press, _ decode: @escaping @Sendable ([UInt8]) -> [Press]) {
        self.end = end
        self.decode = decode
        (keys, continuation) = AsyncStream.makeStream(of: Press.self)
    }

    /// Starts reading keys as soon as this job is in the terminal's foreground.
    ///
    /// - Parameter isBack: Called at that moment.
    func begin(_ isBack: @escaping @Sendable () async -> Void) async {
        guard reading == nil else { return }
        guard let mode = TerminalMode.begin(on: STDIN_FILENO) else {
            polling = Task { [weak self] in
                try? await Task.sleep(for: Self.pollInterval)
                if !Task.isCancelled { await self?.begin(isBack) }
            }
            return
        }
        self.mode = consume mode
        reading = Task { [continuation, decode, end] in
            for await bytes in IncomingBytes.of(STDIN_FILENO) {
                for key in decode(bytes) { continuation.yield(key) }
            }
            if !Task.isCancelled { continuation.yield(end) }
        }
        await isBack()
    }

    /// Restores the terminal.
    func release() {
        polling?.cancel()
        reading?.cancel()
        reading = nil
        mode = nil
    }
}
