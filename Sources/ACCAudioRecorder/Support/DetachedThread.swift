import CSemaphore
import CThreadName
import Glibc

/// Starts threads for blocking work, which must not run on Swift's shared thread pool.
///
/// All signals are blocked on these threads and so delivered to the host program's threads; writing to a pipe without a
/// reader is thus an error instead of a SIGPIPE.
enum DetachedThread {
    /// Starts `body` on a new thread.
    ///
    /// - Parameter name: The thread's name in system tools, at most 15 bytes.
    /// - Throws: `audioEngineStartFailed` if the system cannot start a thread.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(ACCAudioRecorderError) {
        let box = Unmanaged.passRetained(Body(name: name, run: body))
        let status = create(box.toOpaque())
        if status != 0 {
            box.release()
            throw .audioEngineStartFailed(
                .init(
                    .system, "cannot start the thread of the \(name)", cause: String(cString: strerror(status)),
                    remedy: "End other programs, or raise the limit on processes (ulimit -u)."))
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
        let body = Unmanaged<Body>.fromOpaque(body!).takeRetainedValue()
        // The name is not essential.
        _ = pthread_setname_np(pthread_self(), body.name)
        body.run()
        return nil
    }

    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }
}

/// Wakes a waiting thread. The wait has a deadline that does not depend on the system time.
///
/// Any thread may wake it at any time; a wake-up before the wait is not lost.
///
/// `@unchecked Sendable`, because POSIX lets any thread call `sem_post` and `sem_clockwait` at any time, the pointer never
/// changes, and the semaphore is destroyed with the last reference, after which nobody can call.
final class ThreadWaker: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func wake() {
        sem_post(semaphore)
    }

    /// Waits to be woken; false if the deadline passes first.
    ///
    /// - Parameter deadline: In CLOCK_MONOTONIC nanoseconds.
    func wait(until deadline: UInt64) -> Bool {
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        while sem_clockwait(semaphore, CLOCK_MONOTONIC, &time) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
