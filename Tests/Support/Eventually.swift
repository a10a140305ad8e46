/// Waits until a condition gives a value, and returns it.
///
/// This is the only place in the tests that sleeps, and it does so between two looks at a condition, for another
/// process cannot be waited for in any other way that works for all of them.
///
/// - Parameters:
///   - what: what is waited for, in words that complete "no … within 10 seconds"; made only when the wait fails.
///   - seconds: the deadline, counted from now on the monotonic clock. The condition is looked at once at least.
///   - condition: returns `nil` as long as the wait is to go on.
/// - Throws: `DeadlineExceeded`, whatever the condition throws, or `CancellationError`.
public func eventually<Value>(
    _ what: @autoclosure () -> String,
    within seconds: Double = 10,
    _ condition: () async throws -> Value?
) async throws -> Value {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(seconds)
    while true {
        if let value = try await condition() {
            return value
        }
        guard clock.now < deadline else {
            throw DeadlineExceeded(what: what(), seconds: seconds)
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Waits until a condition holds; otherwise as the version that returns a value.
public func eventually(
    _ what: @autoclosure () -> String,
    within seconds: Double = 10,
    _ condition: () async throws -> Bool
) async throws {
    try await eventually(what(), within: seconds) { try await condition() ? () : nil }
}
