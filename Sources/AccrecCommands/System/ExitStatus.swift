import ACCAudioRecorder
import ArgumentParser

/// The program's exit statuses. The manual page documents them.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    /// Any failure without a status of its own.
    case failure = 1
    /// The device was lost and did not return in time.
    case deviceLost = 3
    /// The sound server was lost and did not return in time.
    case serverLost = 4
    /// The stream was killed at the server.
    case streamKilled = 5
    /// The disk of an output was full, or the user's quota exceeded.
    case diskFull = 6
    /// A file could not be repaired, because its format is unknown or too much of it is damaged.
    case notMended = 7
    /// There is no such source, none that may be chosen automatically, or the application has played nothing.
    case noSuchDevice = 8
    /// No sound server answered at the start of the recording.
    case noServer = 9
    /// The sound server refused access.
    case permissionDenied = 10
    /// An output could not be created or already exists.
    case cannotCreate = 11
    /// The recording ended normally, but `--strict` rejects its missing frames, clipped samples or silent channels.
    case notPerfect = 12
    /// A check of files has found something wrong.
    case notGood = 13
    /// A mistake on the command line or in the configuration file.
    case usage = 64

    /// The status of a recording. That the reader closed the pipe is not a failure.
    ///
    /// - Parameter isStrict: Whether missing frames, clipped samples and silent channels are a failure.
    init(_ report: RecordingReport, isStrict: Bool) {
        if let failure = report.failures.last(where: { !$0.isOfReader }) {
            self.init(failure)
        } else {
            self = isStrict && !report.isPerfect ? .notPerfect : .success
        }
    }

    /// The status for a recording that ended with this failure.
    init(_ error: ACCAudioRecorderError) {
        switch error {
        case .audioFormatCreationFailed: self = .usage
        case .audioEngineStartFailed(let failure):
            switch failure.reason {
            case .noSuchSource, .ambiguousSource, .noMicrophone: self = .noSuchDevice
            // A server that does not answer counts as none.
            case .noServer, .timedOut: self = .noServer
            case .permissionDenied: self = .permissionDenied
            default: self = .failure
            }
        case .nothingRecorded(let failure) where failure.reason == .noSuchSource: self = .noSuchDevice
        case .captureFailed(let failure) where failure.reason == .deviceLost: self = .deviceLost
        case .captureFailed(let failure) where failure.reason == .noServer: self = .serverLost
        case .captureFailed(let failure) where failure.reason == .streamKilled: self = .streamKilled
        case .outputFailed(let failure) where failure.reason == .diskFull: self = .diskFull
        case .outputFailed(let failure) where failure.reason == .cannotCreate || failure.reason == .fileExists:
            self = .cannotCreate
        case .repairFailed(let failure) where failure.reason == .damaged: self = .notMended
        default: self = .failure
        }
    }
}

extension ExitCode {
    /// The exit code for a recording that ended with this failure.
    init(_ error: ACCAudioRecorderError) { self.init(ExitStatus(error).rawValue) }
}

extension ACCAudioRecorderError {
    /// Whether the only cause is that the reader closed the pipe.
    var isOfReader: Bool { failure?.reason == .readerGone }
}

extension RecordingReport {
    /// Whether nothing is missing, no samples are clipped or were replaced, and no microphone's channel was silent.
    fileprivate var isPerfect: Bool {
        !hasLosses && clippedCount == 0 && nonFiniteCount == 0
            && !findings.contains { [.silence, .dead].contains($0.kind) }
    }
}

/// A failure of a command that was used correctly. The program prints it and exits with `ExitStatus.failure`.
struct RunFailure: Error, CustomStringConvertible {
    /// What failed: `cannot play 'take.wav'`.
    let what: String
    let cause: String
    /// What to do, as a sentence; nil for nothing that would help.
    let remedy: String?
    /// Whether the only cause is that the reader closed the pipe, which is not a failure of the program.
    let isOfReader: Bool

    init(_ what: String, _ cause: String, _ remedy: String? = nil, isOfReader: Bool = false) {
        self.what = what
        self.cause = cause
        self.remedy = remedy
        self.isOfReader = isOfReader
    }

    var description: String { "\(what): \(cause)" + (remedy.map { ". \($0)" } ?? "") }
}
