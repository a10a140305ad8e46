import ACCAudioRecorder
import ArgumentParser

/// The exit statuses of failures that scripts tell apart.
extension ExitCode {
    /// The device went, and did not come back in time.
    static let deviceLost = ExitCode(3)
    /// The sound server went, and did not come back in time.
    static let serverLost = ExitCode(4)
    /// Somebody ended the stream at the server.
    static let streamKilled = ExitCode(5)

    /// The status of a take that ended with this failure.
    init(_ error: ACCAudioRecorderError) {
        switch error {
        case .captureFailed(let failure) where failure.reason == .deviceLost: self = .deviceLost
        case .captureFailed(let failure) where failure.reason == .noServer: self = .serverLost
        case .captureFailed(let failure) where failure.reason == .streamKilled: self = .streamKilled
        default: self = .failure
        }
    }
}
