/// The error of a backend: its reason, and the backend's own message.
struct CaptureFailure: Error, Sendable, Equatable {
    /// The reason, which users of the library can distinguish.
    let reason: ACCAudioRecorderError.Failure.Reason
    /// The backend's own message.
    private(set) var message: String
    /// Whether the configuration names the server.
    private var isOfNamedServer = false

    init(_ reason: ACCAudioRecorderError.Failure.Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// This failure with the address of the server that could not be reached.
    ///
    /// - Parameters:
    ///   - address: The address; nil if libpulse chose it by its own rules.
    ///   - isNamed: Whether the configuration names it.
    func reaching(_ address: String?, isNamed: Bool) -> CaptureFailure {
        guard let address else { return self }
        var failure = self
        failure.message += " (server '\(address)')"
        failure.isOfNamedServer = isNamed
        return failure
    }

    /// What the user can do about it.
    var remedy: String {
        switch reason {
        case .noServer where isOfNamedServer:
            "Check the address, and that a sound server accepts connections there."
        case .noServer:
            "Start PulseAudio or PipeWire's PulseAudio server, or set PULSE_SERVER to its address."
        case .noSuchSource:
            "List the sources, and name one of them."
        case .permissionDenied:
            "Record as the user whose session runs the sound server, or give access to its cookie."
        case .timedOut:
            "Check whether the sound server is overloaded or stopped, and try again."
        case .streamKilled:
            "Somebody ended the stream at the server. What was recorded is kept."
        case .system:
            "End other programs, or raise the limits (ulimit)."
        default:
            "Check the sound server's log, and try again."
        }
    }
}

extension ACCAudioRecorderError.Failure {
    /// Creates a failure from what was being done and the backend's error.
    init(_ what: String, _ failure: CaptureFailure) {
        self.init(failure.reason, what, cause: failure.message, remedy: failure.remedy)
    }
}
