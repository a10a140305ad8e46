import Glibc

/// A thread of its own for work that blocks, which Swift's shared pool must not be used for.
///
/// Every signal is blocked on it and so left to the threads of the program that uses us; a pipe without a
/// reader is then an error of the write, not a SIGPIPE.
enum DetachedThread {
    /// Starts `body` on a new thread.
    ///
    /// - Parameter purpose: What the thread is for, in the error's words.
    /// - Throws: `audioEngineStartFailed` where the system refuses a thread.
    static func start(for purpose: String, _ body: @escaping @Sendable () -> Void) throws(ACCAudioRecorderError) {
        let box = Unmanaged.passRetained(Body(run: body))
        let status = create(box.toOpaque())
        if status != 0 {
            box.release()
            throw .audioEngineStartFailed(
                .init(
                    .system, "cannot start a thread for \(purpose)", cause: String(cString: strerror(status)),
                    remedy: "End other programs or raise the limit on processes, and try again."))
        }
    }

    private static func create(_ body: UnsafeMutableRawPointer) -> Int32 {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        return pthread_create(&thread, &attributes, { DetachedThread.run($0) }, body)
    }

    private static func run(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        Unmanaged<Body>.fromOpaque(body!).takeRetainedValue().run()
        return nil
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
