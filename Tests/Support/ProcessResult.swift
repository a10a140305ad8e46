import Foundation

/// What a process left behind.
public struct ProcessResult: Sendable {
    /// How it ended.
    public let end: ProcessEnd
    /// Everything it wrote to its standard output.
    public let standardOutput: Data
    /// Everything it wrote to its standard error.
    public let standardError: String

    /// Its standard output as text.
    public var text: String { String(decoding: standardOutput, as: UTF8.self) }
}
