/// How long a thread has run, which tells nothing while its program is stopped or gets no processor: what has arrived meanwhile
/// was not read either.
struct RunningClock {
    /// The longest time from one look at what has arrived to the next one, in nanoseconds.
    private static let longestRound: UInt64 = 250_000_000

    private var latest: UInt64?
    private var stopped: UInt64 = 0

    /// The time, in nanoseconds since when CLOCK_MONOTONIC was 0.
    ///
    /// - Parameters:
    ///   - now: In CLOCK_MONOTONIC nanoseconds.
    ///   - hasWaited: Whether the thread has waited in vain since the last call, and those who deliver had their turn: see
    ///     `CaptureRing.Wait.idle`.
    mutating func time(at now: UInt64, hasWaited: Bool) -> UInt64 {
        if let latest, !hasWaited { stopped += max(now - min(latest, now), Self.longestRound) - Self.longestRound }
        latest = now
        return now - min(stopped, now)
    }
}
