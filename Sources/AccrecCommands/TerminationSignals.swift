import Dispatch
import Glibc

/// SIGINT, SIGTERM and SIGHUP, as a stream instead of the end of the process.
struct TerminationSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    /// Each signal as it arrives.
    let arrivals: AsyncStream<Int32>

    /// From now on these signals end nothing by themselves.
    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let sources = Self.numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(number) }
            source.activate()
            return UncheckedSource(source: source)
        }
        continuation.onTermination = { _ in sources.forEach { $0.source.cancel() } }
        arrivals = stream
    }

    /// `@unchecked Sendable`: after it is set up, a source is only cancelled, which any thread may do.
    private struct UncheckedSource: @unchecked Sendable {
        let source: any DispatchSourceSignal
    }
}
