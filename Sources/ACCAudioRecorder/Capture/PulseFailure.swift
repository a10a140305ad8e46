import CPulse
import Glibc

/// What libpulse answered when it could not do a thing: its error code and its own words.
struct PulseFailure: Error, Sendable, Equatable {
    let code: pa_error_code_t
    private(set) var message: String
    /// Whether somebody said where the server is, and not libpulse's own rules.
    private var isOfNamedServer = false

    init(code: Int32) {
        self.code = pa_error_code_t(UInt32(bitPattern: code))
        message = String(cString: pa_strerror(code))
    }

    init(_ code: pa_error_code_t) {
        self.init(code: Int32(bitPattern: code.rawValue))
    }

    /// The same, of a server that could not be reached.
    ///
    /// - Parameter serverName: Nil for the one that libpulse's own rules find.
    func reaching(_ serverName: String?) -> PulseFailure {
        guard let name = serverName ?? getenv("PULSE_SERVER").map({ String(cString: $0) }) else { return self }
        var failure = self
        failure.message += " (server '\(name)')"
        failure.isOfNamedServer = serverName != nil
        return failure
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
        case .noServer where isOfNamedServer:
            "See that a sound server runs there and takes connections, and that its address is right."
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
