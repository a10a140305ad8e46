/// A command that the tests depend on could not be run, or failed.
public struct CommandFailure: Error, CustomStringConvertible {
    /// The command line and its error message.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    init(_ command: [String], _ result: ProcessResult) {
        description = "\(command.joined(separator: " ")): \(result.end): \(result.standardError)"
    }
}
