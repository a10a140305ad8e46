import Glibc

/// A variable of the environment that the library reads.
enum RecorderVariable: String, CaseIterable {
    /// The server, for libpulse.
    case server = "PULSE_SERVER"
    /// The directory in which libpulse looks for the server's socket.
    case runtimeDirectory = "XDG_RUNTIME_DIR"
    /// The source to record, where none is chosen.
    case source = "PULSE_SOURCE"
    /// Set inside a snap.
    case snap = "SNAP"

    /// Its value; nil where it is not set.
    var value: String? { getenv(rawValue).map { String(cString: $0) } }
}
