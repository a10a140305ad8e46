import Glibc
import Synchronization

/// Sets stream properties for the simple API, which takes them only from the environment: libpulse reads
/// `PULSE_PROP_<name>` whenever it creates a stream.
///
/// `setenv` and `getenv` must not run at the same time. This library creates its streams one at a time, under a lock,
/// so that none sees another's properties. A `getenv` elsewhere in the process cannot be locked out. glibc never frees a
/// string of the environment, but each further variable of the first opening may move its table, which such a call may
/// be reading. Later openings use the place of the earlier variables: at worst, such a call does not find its variable
/// during the few milliseconds of an opening.
enum PulseEnvironment {
    private static let lock = Mutex(())

    /// Creates a stream with the given properties; what the user has set in the environment overrides them.
    static func with(_ properties: [String: String], makeStream: () -> OpaquePointer?) -> OpaquePointer? {
        var stream: OpaquePointer?
        lock.withLock { _ in
            let variables = properties.map { (name: "PULSE_PROP_\($0.key)", value: $0.value) }
                .filter { getenv($0.name) == nil }
            for variable in variables { setenv(variable.name, variable.value, 1) }
            defer { for variable in variables { unsetenv(variable.name) } }
            stream = makeStream()
        }
        return stream
    }
}
