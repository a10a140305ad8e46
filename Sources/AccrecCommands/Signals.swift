import Dispatch
import Glibc

/// Signals as a stream instead of what they do by themselves.
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

    /// From now on these signals end nothing by themselves. To be called once for each of them: libdispatch does not take a
    /// signal up again.
    init(_ numbers: [Int32]) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let isHeard = DispatchSemaphore(value: 0)
        let sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(number) }
            source.setRegistrationHandler { isHeard.signal() }
            source.activate()
            return DispatchSourceBox(source: source)
        }
        // Until then a signal is lost.
        for _ in sources { isHeard.wait() }
        continuation.onTermination = { _ in sources.forEach { $0.source.cancel() } }
        arrivals = stream
    }
}
