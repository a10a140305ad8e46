import Foundation

/// The result of a finished process.
public struct ProcessResult: Sendable {
    /// How it ended.
    public let end: ProcessEnd
    /// Its standard output.
    public let standardOutput: Data
    /// Its standard error.
    public let standardError: String

    /// Its standard output as text.
    public var text: String { String(decoding: standardOutput, as: UTF8.self) }
}
