/// Why events cannot be written.
struct EventLogFailure: Error, CustomStringConvertible {
    let name: String
    let cause: any Error

    var description: String {
        "cannot write events to \(name): \(cause). Name a file that can be written, or a descriptor that is open."
    }
}
