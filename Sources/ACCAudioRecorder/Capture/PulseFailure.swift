import CPulse

/// What libpulse answered when it could not do a thing: its error code and its own words.
struct PulseFailure: Error, Sendable, Equatable {
    let code: pa_error_code_t
    let message: String

    init(code: Int32) {
        self.code = pa_error_code_t(UInt32(bitPattern: code))
        message = String(cString: pa_strerror(code))
    }

    init(_ code: pa_error_code_t) {
        self.init(code: Int32(bitPattern: code.rawValue))
    }

    /// The kind of failure that a user of the library tells apart.
    var reason: ACCAudioRecorderError.Failure.Reason {
        switch code {
        case PA_ERR_CONNECTIONREFUSED, PA_ERR_CONNECTIONTERMINATED, PA_ERR_INVALIDSERVER: .noServer
        case PA_ERR_NOENTITY: .noSuchSource
        case PA_ERR_ACCESS, PA_ERR_AUTHKEY, PA_ERR_FORKED: .permissionDenied
        case PA_ERR_TIMEOUT: .timedOut
        case PA_ERR_KILLED: .streamKilled
        default: .server
        }
    }

    /// What a person can do about it.
    var remedy: String {
        switch reason {
        case .noServer:
            "Start PulseAudio or PipeWire's pulse server, or say with PULSE_SERVER where it is."
        case .noSuchSource:
            "List the sources and name one of them."
        case .permissionDenied:
            "Record as the user whose session runs the sound server, or give access to its cookie."
        case .timedOut:
            "See whether the sound server is overloaded or stopped, and try again."
        case .streamKilled:
            "Somebody ended the stream at the server: see who, and start again; what was recorded is kept."
        default:
            "See the sound server's log, and try again."
        }
    }
}
