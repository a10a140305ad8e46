import Glibc

/// The time zone of this process.
public enum LocalTime {
    /// Runs a body in a time zone, such as `Europe/Berlin`. Nothing else may use local time meanwhile.
    public static func with<Value>(zone: String, _ body: () throws -> Value) rethrows -> Value {
        let before = getenv("TZ").map { String(cString: $0) }
        setenv("TZ", zone, 1)
        tzset()
        defer {
            if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
            tzset()
        }
        return try body()
    }
}
