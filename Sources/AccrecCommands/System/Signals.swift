import CSpawn
import Glibc
import Synchronization

/// Delivers signals as a stream instead of their default action.
///
/// The main thread delivers them, since it has nothing else to do.
struct Signals {
    /// Termination signals: SIGINT, SIGTERM, and SIGHUP unless the program should outlive its terminal or was started
    /// with SIGHUP ignored (as by nohup).
    ///
    /// - Parameter others: Further signals to receive.
    static func ofTermination(endsOnHangUp: Bool = true, and others: [Int32] = []) -> Signals {
        if !endsOnHangUp { signal(SIGHUP, SIG_IGN) }
        return Signals((isIgnored(SIGHUP) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]) + others)
    }

    /// Undoes what the program that started this one may have passed on: blocked signals, which could not end a recording, and
    /// an ignored SIGCHLD, with which the end of a child process goes unnoticed.
    ///
    /// Call it while the program has a single thread.
    ///
    /// - Parameter isJob: Whether SIGINT and SIGTERM end the program from now on although they were ignored, as a shell
    ///   without job control lets its background jobs ignore SIGINT.
    static func resetInherited(isJob: Bool) {
        for number in isJob ? [SIGCHLD, SIGINT, SIGTERM] : [SIGCHLD] { signal(number, SIG_DFL) }
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    /// Whether a signal is currently ignored.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// A received signal.
    struct Arrival: Sendable {
        let number: Int32
        /// When a signal of this number last arrived, in nanoseconds of CLOCK_MONOTONIC.
        let time: UInt64

        /// A signal that arrives now.
        static func now(_ number: Int32) -> Arrival { Arrival(number: number, time: Signals.now) }
    }

    /// Each signal as it arrives.
    let arrivals: AsyncStream<Arrival>

    /// Replaces the default action of these signals from now on.
    init(_ numbers: [Int32]) {
        let (stream, continuation) = AsyncStream.makeStream(of: Arrival.self)
        continuation.onTermination = { _ in
            Self.listeners.withLock { listeners in numbers.forEach { listeners[$0] = nil } }
        }
        arrivals = stream
        Self.listeners.withLock { listeners in numbers.forEach { listeners[$0] = continuation } }
        // Initialise the lazy statics now, since a signal handler must not.
        _ = (Self.pending.load(ordering: .relaxed), Self.bell, Self.times[0].load(ordering: .relaxed))
        for number in numbers {
            signal(number) {
                // Record the time here, since delivery may be delayed.
                Signals.times[Int($0)].store(Signals.now, ordering: .relaxed)
                Signals.pending.bitwiseOr(1 << UInt64($0), ordering: .releasing)
                sem_post(Signals.bell)
            }
        }
    }

    private static let listeners = Mutex<[Int32: AsyncStream<Arrival>.Continuation]>([:])
    /// Pending signals, one bit each.
    private static let pending = Atomic<UInt64>(0)
    /// The last arrival of each signal.
    private static let times = InlineArray<64, Atomic<UInt64>> { _ in Atomic(0) }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Wakes the main thread. `sem_post` is one of the few ways to wake a thread from a signal handler.
    ///
    /// `nonisolated(unsafe)`: a semaphore may be used from any thread, and this one is never destroyed.
    private nonisolated(unsafe) static let bell: UnsafeMutablePointer<sem_t> = {
        let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
        return semaphore
    }()

    /// Delivers signals for as long as the process lives. Call it on the main thread.
    static func deliver() -> Never {
        while true {
            // May return early when interrupted by a handler; then nothing is pending.
            sem_wait(bell)
            let arrived = pending.exchange(0, ordering: .acquiring)
            for number in Int32(1)..<64 where arrived & 1 << UInt64(number) != 0 {
                let arrival = Arrival(number: number, time: times[Int(number)].load(ordering: .relaxed))
                _ = listeners.withLock { $0[number] }?.yield(arrival)
            }
        }
    }
}
