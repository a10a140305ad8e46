import Glibc
import Synchronization

/// Signals as a stream instead of what they do by themselves.
///
/// The main thread takes them, for it has nothing else to do: all other threads have them blocked, those that run tasks as
/// well as those of this program and of libpulse.
struct Signals {
    /// Those that end a take: SIGINT, SIGTERM, and SIGHUP, unless the program is to outlive its terminal, or was started
    /// to (as with nohup).
    ///
    /// - Parameter others: Others, to be heard in the same stream.
    static func ofTermination(heedsHangUp: Bool = true, and others: [Int32] = []) -> Signals {
        if !heedsHangUp { signal(SIGHUP, SIG_IGN) }
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        let isHangUpIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
        return Signals((isHangUpIgnored ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]) + others)
    }

    /// Each signal as it arrives.
    let arrivals: AsyncStream<Int32>

    /// From now on these signals end nothing by themselves.
    init(_ numbers: [Int32]) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        continuation.onTermination = { _ in
            Self.listeners.withLock { listeners in numbers.forEach { listeners[$0] = nil } }
        }
        arrivals = stream
        Self.listeners.withLock { listeners in numbers.forEach { listeners[$0] = continuation } }
        for number in numbers { signal(number) { Signals.pending.bitwiseOr(1 << UInt64($0), ordering: .relaxed) } }
    }

    private static let listeners = Mutex<[Int32: AsyncStream<Int32>.Continuation]>([:])
    /// Those that came, a bit for each. All that a handler may do is to set one.
    private static let pending = Atomic<UInt64>(0)

    /// Hands on what arrives, for as long as the process lives. For the main thread.
    static func take() -> Never {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        var none = sigset_t()
        sigemptyset(&none)
        while true {
            let arrived = pending.exchange(0, ordering: .relaxed)
            for number in Int32(1)..<64 where arrived & 1 << UInt64(number) != 0 {
                _ = listeners.withLock { $0[number] }?.yield(number)
            }
            sigsuspend(&none)
        }
    }
}
