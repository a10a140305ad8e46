import CPulse
import Glibc

@testable import ACCAudioRecorder

extension AudioSource {
    /// A source as described by a server.
    ///
    /// - Parameter isAvailable: Nil if the source has no port.
    static func made(
        _ name: String, rate: UInt32 = 48_000, isDefault: Bool = false, isMonitor: Bool = false, index: UInt32 = 0,
        description: String? = nil, properties: [String: String] = [:], state: pa_source_state_t = PA_SOURCE_IDLE,
        isMuted: Bool = false, isAvailable: Bool? = nil, port portName: String = "Microphone"
    ) -> AudioSource {
        var info = pa_source_info()
        info.index = index
        info.monitor_of_sink = isMonitor ? 1 : accrec_pa_invalid_index
        info.sample_spec = pa_sample_spec(format: PA_SAMPLE_S16LE, rate: rate, channels: 2)
        pa_channel_map_init_stereo(&info.channel_map)
        pa_cvolume_set(&info.volume, 2, pa_volume_t(PA_VOLUME_NORM))
        info.state = state
        info.mute = isMuted ? 1 : 0
        info.proplist = pa_proplist_new()
        defer { pa_proplist_free(info.proplist) }
        for (key, value) in properties { pa_proplist_sets(info.proplist, key, value) }
        var port = pa_source_port_info()
        port.available = Int32((isAvailable == true ? PA_PORT_AVAILABLE_YES : PA_PORT_AVAILABLE_NO).rawValue)
        let portText = strdup(portName)
        defer { free(portText) }
        port.description = UnsafePointer(portText)
        return withUnsafeMutablePointer(to: &port) { port in
            info.active_port = isAvailable == nil ? nil : port
            return name.withCString { name in
                (description ?? "").withCString { text in
                    info.name = name
                    info.description = description == nil ? nil : text
                    var source = AudioSource(pulse: info)!
                    source.isDefault = isDefault
                    return source
                }
            }
        }
    }
}
