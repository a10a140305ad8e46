import Glibc

/// CLOCK_MONOTONIC in nanoseconds: the time base of every `hostTime`. Safe on any thread; does not allocate.
///
/// It stops while the machine sleeps; CLOCK_BOOTTIME does not.
enum MonotonicClock {
    /// The precision of `timeAsleep`, in nanoseconds.
    private static let precision: UInt64 = 1_000_000

    static func now() -> UInt64 {
        now(CLOCK_MONOTONIC)
    }

    /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC, in nanoseconds: grows by the time that the machine sleeps, and is constant
    /// otherwise.
    static func timeAsleep() -> Int64 {
        while true {
            let before = now()
            let sinceBoot = now(CLOCK_BOOTTIME)
            // Read again if the thread was preempted in between.
            if now() - before < precision { return Int64(sinceBoot) - Int64(before) }
        }
    }

    private static func now(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// Any number gives a length, since a decoded report may hold any.
extension Duration {
    /// The length of frames, rounded down to a nanosecond, so that it is the number of frames again when it is multiplied by the rate
    /// and rounded; zero for a sample rate in Hz that is no whole number above 0.
    static func frames(_ count: Int, at sampleRate: Double) -> Duration {
        guard let rate = Int(exactly: sampleRate), rate > 0 else { return .zero }
        let (seconds, rest) = count.quotientAndRemainder(dividingBy: rate)
        let nanoseconds = rate.dividingFullWidth(rest.multipliedFullWidth(by: 1_000_000_000)).quotient
        return .seconds(seconds) + .nanoseconds(nanoseconds)
    }

    /// Seconds to the nearest nanosecond, limited to 30,000 years; zero for NaN.
    static func limited(seconds: Double) -> Duration {
        let seconds = seconds.isNaN ? 0 : min(max(seconds, -1e12), 1e12)
        let whole = seconds.rounded(.towardZero)
        return .seconds(Int(whole)) + .nanoseconds(Int(((seconds - whole) * 1e9).rounded()))
    }

    /// The time in seconds, to the nearest nanosecond: without the digits that a conversion from decimals adds.
    package var seconds: Double { (self / .nanoseconds(1)).rounded() / 1e9 }
}

/// The clock by which a recorder waits. By default it stops while the machine sleeps, when no device can come back; with a
/// paced synthetic source it is the test's.
struct RecorderClock: Sendable {
    /// A time, counted from the clock's creation.
    typealias Instant = Duration

    private let elapsed: @Sendable () -> Instant
    private let wait: @Sendable (Instant) async throws -> Void

    init(_ clock: some Clock<Duration> = SuspendingClock()) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    var now: Instant { elapsed() }

    /// Waits until a promise is fulfilled, and fulfils it at this time if nobody else does.
    func wait(for promise: Promise<Void>, until deadline: Instant) async {
        let timeout = Task {
            try? await sleep(until: deadline)
            promise.fulfil(())
        }
        await withTaskCancellationHandler {
            await promise.value
        } onCancel: {
            promise.fulfil(())
        }
        timeout.cancel()
    }

    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(until deadline: Instant) async throws {
        try await wait(deadline)
    }
}
