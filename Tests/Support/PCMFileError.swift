/// A file that violates its format.
public struct PCMFileError: Error, CustomStringConvertible {
    /// The file and what is wrong with it.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
