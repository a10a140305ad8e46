extension Duration {
    /// The length of frames, rounded down to a nanosecond.
    ///
    /// - Parameters:
    ///   - count: The number of frames, at least 0.
    ///   - sampleRate: In Hz, above 0.
    static func frames(_ count: Int, at sampleRate: Int) -> Duration {
        let (seconds, rest) = count.quotientAndRemainder(dividingBy: sampleRate)
        return .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / sampleRate)
    }
}
