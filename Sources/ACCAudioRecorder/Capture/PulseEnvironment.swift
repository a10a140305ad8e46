import Glibc
import Synchronization

/// The properties of streams, which the simple API takes from the environment alone: libpulse reads
/// `PULSE_PROP_<name>` whenever it makes a stream.
///
/// `setenv` and `getenv` must not meet. Streams of this library are made one at a time, under a lock, so that none
/// sees another's properties. A `getenv` elsewhere in the process cannot be locked out; glibc never frees a string
/// that the environment had, and grows its table in place after the first time, so that such a call finds what it
/// looks for or, during the few milliseconds of an opening, does not.
enum PulseEnvironment {
    private static let lock = Mutex(())

    /// Makes a stream with the given properties; what the user has set in the environment goes before.
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
