import CPulse

extension CaptureFailure {
    /// Creates a failure from libpulse's error code.
    init(code: Int32) {
        // libpulse's error for a request made after the connection has ended.
        let isTooLate = code == Int32(PA_ERR_BADSTATE.rawValue)
        let code = isTooLate ? Int32(PA_ERR_CONNECTIONTERMINATED.rawValue) : code
        let reason: ACCAudioRecorderError.Failure.Reason
        switch pa_error_code_t(UInt32(bitPattern: code)) {
        case PA_ERR_CONNECTIONREFUSED, PA_ERR_CONNECTIONTERMINATED, PA_ERR_INVALIDSERVER: reason = .noServer
        case PA_ERR_NOENTITY: reason = .noSuchSource
        case PA_ERR_ACCESS, PA_ERR_AUTHKEY, PA_ERR_FORKED: reason = .permissionDenied
        case PA_ERR_TIMEOUT: reason = .timedOut
        case PA_ERR_KILLED: reason = .streamKilled
        default: reason = .server
        }
        self.init(reason, String(cString: pa_strerror(code)))
    }

    init(_ code: pa_error_code_t) {
        self.init(code: Int32(bitPattern: code.rawValue))
    }

    /// Why a source cannot be opened whose stream has ended before.
    init(opening end: CaptureEnd) {
        switch end {
        case .failed(let failure): self = failure
        case .serverLost: self.init(PA_ERR_CONNECTIONTERMINATED)
        case .sourceRemoved: self.init(PA_ERR_NOENTITY)
        case .moved: self.init(.server, "the server has put the stream on another source")
        case .stopped, .killed: self.init(PA_ERR_KILLED)
        }
    }
}
