/// Why an audio file cannot be read or played.
struct AudioFileFailure: RunFailure {
    let description: String

    /// - Parameters:
    ///   - action: What cannot be done: `read`.
    ///   - cause: The system's or libsndfile's cause.
    init(_ action: String, path: String, cause: String) {
        description = "cannot \(action) '\(path)': \(cause)"
    }
}
