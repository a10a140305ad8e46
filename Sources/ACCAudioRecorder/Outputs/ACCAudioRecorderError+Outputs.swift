import SystemPackage

extension ACCAudioRecorderError {
    /// The error of an output that ends before the recording does, because of what the system said.
    ///
    /// - Parameter name: The output's, with quotes where it is a path.
    static func cannotGoOn(with name: String, _ cause: Errno) -> ACCAudioRecorderError {
        switch cause {
        case .brokenPipe:
            return cannotGoOn(
                with: name, .readerGone, cause: "its reader closed it",
                remedy: "Keep the reading program running for as long as the recording.")
        case .canceled:
            return cannotGoOn(
                with: name, .readerTooSlow, cause: "its reader takes too little, and no more may wait for it",
                remedy: "Let the reader be faster, or let more wait: --stdout-buffer, --stdout-overflow.")
        case .noSpace, .diskQuotaExceeded:
            return cannotGoOn(
                with: name, .diskFull, cause: "\(cause)",
                remedy: "Make room or record to another disk; what was written is kept.")
        case .readOnlyFileSystem:
            return cannotGoOn(
                with: name, .cannotWrite, cause: "\(cause)",
                remedy: "Record to another disk, and see in the kernel's log why this one may not be written any more.")
        default:
            return cannotGoOn(
                with: name, .cannotWrite, cause: "\(cause)",
                remedy: "Record to another disk, and see in the kernel's log whether this one fails or has gone.")
        }
    }

    /// The error of an output that ends before the recording does, because of what libsndfile said.
    static func cannotGoOn(with name: String, _ failure: SoundFileFailure) -> ACCAudioRecorderError {
        guard let cause = failure.errno else {
            return cannotGoOn(
                with: name, .cannotWrite, cause: failure.message, remedy: "What was written is kept.")
        }
        return cannotGoOn(with: name, cause)
    }

    /// The error of an output that ends before the recording does.
    static func cannotGoOn(
        with name: String, _ reason: Failure.Reason, cause: String, remedy: String
    ) -> ACCAudioRecorderError {
        .outputFailed(.init(reason, "cannot write to \(name) any further", cause: cause, remedy: remedy))
    }
}
