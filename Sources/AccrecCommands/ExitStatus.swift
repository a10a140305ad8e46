import ACCAudioRecorder
import ArgumentParser

/// What the program ends with, for scripts. The manual page documents each.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    /// Any failure but the following ones.
    case failure = 1
    /// The device went, and did not come back in time.
    case deviceLost = 3
    /// The sound server went, and did not come back in time.
    case serverLost = 4
    /// Somebody ended the stream at the server.
    case streamKilled = 5
    /// The disk of an output was full, or the user's share of it.
    case diskFull = 6
    /// A file could not be mended, for it is of no known format, or too much of it is damaged.
    case notMended = 7
    /// A mistake on the command line or in the configuration file.
    case usage = 64

    /// The status of a take.
    init(_ report: RecordingReport) {
        self = report.failures.last.map(ExitStatus.init) ?? .success
    }

    /// The status of a take that ended with this failure.
    init(_ error: ACCAudioRecorderError) {
        switch error {
        case .captureFailed(let failure) where failure.reason == .deviceLost: self = .deviceLost
        case .captureFailed(let failure) where failure.reason == .noServer: self = .serverLost
        case .captureFailed(let failure) where failure.reason == .streamKilled: self = .streamKilled
        case .outputFailed(let failure) where failure.reason == .diskFull: self = .diskFull
        case .repairFailed(let failure) where failure.reason == .damaged: self = .notMended
        default: self = .failure
        }
    }
}

extension ExitCode {
    /// The status of a take that ended with this failure.
    init(_ error: ACCAudioRecorderError) { self.init(ExitStatus(error).rawValue) }
}
