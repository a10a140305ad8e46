import Glibc

/// Why an audio file cannot be read or played.
struct AudioFileFailure: RunFailure {
    let description: String

    /// - Parameters:
    ///   - action: What cannot be done: `read`.
    ///   - cause: libsndfile's cause; the system's is used if the file itself cannot be opened.
    init(_ action: String, path: String, cause: String) {
        let isClosed = access(path, R_OK) != 0
        description = "cannot \(action) '\(path)': \(isClosed ? String(cString: strerror(errno)) : cause)"
    }
}
