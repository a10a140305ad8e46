import FoundationEssentials

extension Date {
    /// The instant of a time in CLOCK_MONOTONIC nanoseconds.
    init(hostTime: UInt64) {
        self.init(timeIntervalSince1970: (WallClock.bootTime + .nanoseconds(hostTime)) / .seconds(1))
    }
}

/// Dates are written to JSON in UTC, to the millisecond (ISO 8601).
extension Date {
    private static let styleInJSON = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The date in JSON: `2026-11-23T18:42:34.512Z`.
    package var textInJSON: String { formatted(Self.styleInJSON) }

    /// - Throws: If it is no date.
    init(textInJSON text: String) throws {
        self = try Self.styleInJSON.parse(text)
    }
}
