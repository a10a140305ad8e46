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
    /// There is no source of that name, or none that may be taken unasked.
    case noSuchDevice = 8
    /// No sound server answered when the take was to begin.
    case noServer = 9
    /// The sound server refused access.
    case permissionDenied = 10
    /// An output could not be created, or exists already.
    case cannotCreate = 11
    /// The take ended as it was asked to, but frames are missing or samples clipped, which `--strict` does not let pass.
    case notPerfect = 12
    /// A mistake on the command line or in the configuration file.
    case usage = 64

    /// The status of a take. A reader that closes a pipe has had enough, which is no failure.
    ///
    /// - Parameter isStrict: Whether frames that are missing and samples that are clipped are one.
    init(_ report: RecordingReport, isStrict: Bool) {
        if let failure = report.failures.last(where: { !$0.isOfReader }) {
            self.init(failure)
        } else {
            self = isStrict && !report.isPerfect ? .notPerfect : .success
        }
    }

    /// The status of a take that ended with this failure.
    init(_ error: ACCAudioRecorderError) {
        switch error {
        case .audioEngineStartFailed(let failure):
            switch failure.reason {
            case .noSuchSource, .ambiguousSource, .noMicrophone: self = .noSuchDevice
            case .noServer: self = .noServer
            case .permissionDenied: self = .permissionDenied
            default: self = .failure
            }
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
    /// The status of a take that ended with this failure.
    init(_ error: ACCAudioRecorderError) { self.init(ExitStatus(error).rawValue) }
}

extension ACCAudioRecorderError {
    /// Whether all that happened is that the reader of a pipe closed it.
    var isOfReader: Bool { failure?.reason == .readerGone }
}

extension RecordingReport {
    /// Whether no frame is missing and no sample clipped.
    fileprivate var isPerfect: Bool {
        framesLost == 0 && clippedCount == 0 && outputs.allSatisfy(\.gaps.isEmpty)
    }
}
