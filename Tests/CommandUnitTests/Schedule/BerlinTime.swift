import TestSupport
import Testing

@testable import AccrecCommands

/// Runs each test in Berlin's time zone, whose clocks go forward on 29 March 2026 at 02:00, and back on 25 October at 03:00.
/// The time zone is the process's, so a suite with this trait is serialized.
struct BerlinTime: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await LocalTime.with(zone: "Europe/Berlin", function)
    }

    /// The instant of a date and time, by default in Berlin, in seconds since 1970.
    static func instant(_ text: String) throws -> Int {
        guard case .instant(let instant)? = WallTime(text) else { throw CancellationError() }
        return instant
    }
}

extension Trait where Self == BerlinTime {
    static var berlin: Self { BerlinTime() }
}
