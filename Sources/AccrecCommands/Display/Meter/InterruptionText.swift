import ACCAudioRecorder

/// An interruption in words: its cause, since when it lasts, and when it ends the recording.
struct InterruptionText: Equatable {
    private let cause: String
    /// Nil if it is not stated.
    private let since: String?
    /// Nil if it lasts as long as its cause.
    private let end: String?

    /// An interruption of which only the cause is stated.
    init(_ cause: String) {
        (self.cause, since, end) = (cause, nil, nil)
    }

    /// - Parameters:
    ///   - start: When it began, in seconds since 1970.
    ///   - longestWait: How long it may last, in seconds. During a call a recording waits as long as that lasts.
    init(_ interruption: RecordingInterruption, since start: Int, longestWait: Double = .infinity) {
        cause = "\(interruption)"
        since = "since \(TimeText.timeOfDay(of: start))"
        let hasEnd = interruption != .call && longestWait < 1e9
        end = hasEnd ? "ends at \(TimeText.timeOfDay(of: start + Int(longestWait.rounded(.up))))" : nil
    }

    /// The whole text, then the same in shorter forms, the last of which is the cause.
    var forms: [String] {
        guard let since else { return [cause] }
        guard let end else { return ["\(cause) \(since)", cause] }
        return ["\(cause) \(since), \(end)", "\(cause), \(end)", cause]
    }

    /// Since when it lasts, and when it ends the recording; then the latter alone, or the former if there is none. Empty if
    /// neither is stated.
    var times: [String] {
        guard let since else { return [] }
        return end.map { ["\(since), \($0)", $0] } ?? [since]
    }
}
