/// Waits until a condition returns a value, and returns it.
///
/// This is the only place in the tests that sleeps. It polls, because no other way of waiting works for all other
/// processes. The condition is no length of time: where time itself has to pass, ``SampleClock`` counts frames.
///
/// - Parameters:
///   - what: A description of the condition that completes "no … within 10 seconds"; evaluated only on failure.
///   - seconds: The deadline from now, by the monotonic clock. The condition is checked at least once.
///   - condition: Returns `nil` while the wait should continue.
/// - Throws: `DeadlineExceeded`, errors of the condition, or `CancellationError`.
public func eventually<Value>(
    _ what: @autoclosure () -> String,
    within seconds: Double = 30,
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

/// Waits until a condition holds, like the version that returns a value.
public func eventually(
    _ what: @autoclosure () -> String,
    within seconds: Double = 30,
    _ condition: () async throws -> Bool
) async throws {
    try await eventually(what(), within: seconds) { try await condition() ? () : nil }
}
