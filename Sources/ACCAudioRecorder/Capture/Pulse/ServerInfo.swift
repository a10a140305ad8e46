import CPulse
import Glibc

/// What the sound server says about itself.
struct ServerInfo: Sendable {
    /// The default source, if the server has one.
    let defaultSourceName: String?
    /// The default sink, if the server has one.
    let defaultSinkName: String?
    /// PipeWire's default graph rate in Hz (it may be configured to switch to others); nil for PulseAudio, which has no
    /// graph.
    let graphRate: Int?

    init(pulse info: pa_server_info) {
        defaultSourceName = info.default_source_name.map { String(cString: $0) }
        let isPipeWire = info.server_name.map { strstr($0, "PipeWire") != nil } ?? false
        graphRate = isPipeWire ? Int(info.sample_spec.rate) : nil
        defaultSinkName = info.default_sink_name.map { String(cString: $0) }
    }
}
