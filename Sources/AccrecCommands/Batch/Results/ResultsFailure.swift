/// Why the results of a batch cannot be kept.
struct ResultsFailure: Error, CustomStringConvertible {
    let path: String
    let cause: String
    let remedy: String

    var description: String { "cannot keep the results in '\(path)': \(cause). \(remedy)" }
}
