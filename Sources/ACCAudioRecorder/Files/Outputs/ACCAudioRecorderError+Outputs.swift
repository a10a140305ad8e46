import SystemPackage

extension ACCAudioRecorderError {
    /// A named pipe or device cannot be opened for writing.
    static func cannotOpen(_ path: String, _ cause: Errno) -> ACCAudioRecorderError {
        let hasNoReader = cause == .noSuchAddressOrDevice
        return .outputFailed(
            .init(
                .cannotCreate, "cannot write to '\(path)'", cause: hasNoReader ? "nobody is reading it" : "\(cause)",
                remedy: hasNoReader ? "Start its reader first." : "Name something you can write to."))
    }

    /// The file exists and must not be replaced.
    static func fileExists(_ what: String, cause: String) -> ACCAudioRecorderError {
        .outputFailed(
            .init(
                .fileExists, what, cause: cause, remedy: "Use another name, or allow replacing it.",
                recoveryOption: .replaceFile))
    }

    /// A recording is complete or has ended, but cannot have the name of the older file that it was to replace.
    ///
    /// - Parameters:
    ///   - name: The output's name, in quotes if it is a path.
    ///   - cause: Nil if the recording is not complete.
    ///   - path: Where what was recorded is.
    static func cannotReplace(_ name: String, _ cause: String?, keptIn path: String) -> ACCAudioRecorderError {
        .outputFailed(
            .init(
                .fileExists, "cannot replace \(name)", cause: cause ?? "the new recording is not complete",
                remedy: "The old file is unchanged; what was recorded is in '\(path)'."))
    }

    /// An output ends before the recording because of a system error.
    ///
    /// - Parameter name: The output's name, in quotes if it is a path.
    static func cannotGoOn(with name: String, _ cause: Errno) -> ACCAudioRecorderError {
        switch cause {
        case .brokenPipe:
            return cannotGoOn(
                with: name, .readerGone, cause: "its reader closed it",
                remedy: "Keep the reading program running until the recording ends.")
        case .canceled:
            return cannotGoOn(
                with: name, .readerTooSlow, cause: "its reader is too slow and its buffer is full",
                remedy: "Use a faster reader, or a larger buffer.", recoveryOption: .allowDelay)
        case .noSpace, .diskQuotaExceeded:
            return cannotGoOn(
                with: name, .diskFull, cause: "\(cause)",
                remedy: "Free some space, or record to another disk. What was written is kept.")
        case .fileTooLarge:
            return cannotGoOn(
                with: name, .cannotWrite, cause: "\(cause)",
                remedy: "Split recordings into files of a size that the disk allows (FAT32: below 4 GiB).")
        case .readOnlyFileSystem:
            return cannotGoOn(
                with: name, .cannotWrite, cause: "\(cause)",
                remedy: "Record to another disk, and check the kernel's log for why this one became read-only.")
        default:
            return cannotGoOn(
                with: name, .cannotWrite, cause: "\(cause)",
                remedy: "Record to another disk, and check the kernel's log for errors of this one.")
        }
    }

    /// An output ends before the recording because of an error of libsndfile.
    static func cannotGoOn(with name: String, _ failure: SoundFileFailure) -> ACCAudioRecorderError {
        guard let cause = failure.errno else {
            return cannotGoOn(
                with: name, .cannotWrite, cause: failure.message, remedy: "What was written is kept.")
        }
        return cannotGoOn(with: name, cause)
    }

    /// An output ends before the recording.
    static func cannotGoOn(
        with name: String, _ reason: Failure.Reason, cause: String, remedy: String,
        recoveryOption: Failure.RecoveryOption? = nil
    ) -> ACCAudioRecorderError {
        .outputFailed(
            .init(
                reason, "cannot continue writing to \(name)", cause: cause, remedy: remedy,
                recoveryOption: recoveryOption))
    }
}
