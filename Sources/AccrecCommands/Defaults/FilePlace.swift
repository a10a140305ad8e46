/// A line of a file.
struct FilePlace: Equatable, CustomStringConvertible {
    let path: String
    /// Counted from 1.
    let line: Int

    var description: String { "\(path):\(line)" }
}
