import CPulse

/// What the sound server says about itself.
struct ServerInfo: Sendable {
    /// The source that the server would take, if it has any.
    let defaultSourceName: String?
    /// The sink that the server would play on, if it has any.
    let defaultSinkName: String?

    init(pulse info: pa_server_info) {
        defaultSourceName = info.default_source_name.map { String(cString: $0) }
        defaultSinkName = info.default_sink_name.map { String(cString: $0) }
    }
}
