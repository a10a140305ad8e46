/// Any number gives a length, since a decoded report may hold any.
extension Duration {
    /// The length of frames, rounded down to a nanosecond; zero for a sample rate in Hz that is not above 0.
    static func frames(_ count: Int, at sampleRate: Int) -> Duration {
        guard sampleRate > 0 else { return .zero }
        let (seconds, rest) = count.quotientAndRemainder(dividingBy: sampleRate)
        let nanoseconds = sampleRate.dividingFullWidth(rest.multipliedFullWidth(by: 1_000_000_000)).quotient
        return .seconds(seconds) + .nanoseconds(nanoseconds)
    }

    /// Seconds, limited to 30,000 years; zero for NaN.
    static func limited(seconds: Double) -> Duration {
        seconds.isNaN ? .zero : .seconds(min(max(seconds, -1e12), 1e12))
    }
}
