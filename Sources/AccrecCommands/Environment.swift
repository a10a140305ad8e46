import Glibc

/// What the program was started with, one variable at a time: a dictionary of all costs a take's start.
enum Environment {
    /// The value of a variable; nil where it is not set.
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
