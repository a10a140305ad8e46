import Glibc

/// The time zone of this process. Nothing else may use local time while it is another one.
public enum LocalTime {
    /// Runs a body in a time zone, such as `Europe/Berlin`.
    public static func with<Value>(zone: String, _ body: () throws -> Value) rethrows -> Value {
        let before = change(to: zone)
        defer { change(to: before) }
        return try body()
    }

    /// Runs a body in a time zone, such as `Europe/Berlin`.
    public static func with<Value>(
        zone: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        let before = change(to: zone)
        defer { change(to: before) }
        return try await body()
    }

    /// - Parameter zone: Nil for the system's.
    /// - Returns: The zone before.
    @discardableResult private static func change(to zone: String?) -> String? {
        let before = getenv("TZ").map { String(cString: $0) }
        if let zone { setenv("TZ", zone, 1) } else { unsetenv("TZ") }
        tzset()
        return before
    }
}
