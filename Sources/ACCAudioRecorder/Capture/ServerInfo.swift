import CPulse
import Glibc

/// What the sound server says about itself.
struct ServerInfo: Sendable {
    /// The source that the server would take, if it has any.
    let defaultSourceName: String?
    /// The sink that the server would play on, if it has any.
    let defaultSinkName: String?
    /// The rate of PipeWire's graph, in Hz, unless it was told or allowed to run at another; nil for PulseAudio, which
    /// has none.
    let graphRate: Int?

    init(pulse info: pa_server_info) {
        defaultSourceName = info.default_source_name.map { String(cString: $0) }
        let isPipeWire = info.server_name.map { strstr($0, "PipeWire") != nil } ?? false
        graphRate = isPipeWire ? Int(info.sample_spec.rate) : nil
        defaultSinkName = info.default_sink_name.map { String(cString: $0) }
    }
}
