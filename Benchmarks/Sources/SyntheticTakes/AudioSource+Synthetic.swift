import CPulse

@testable import ACCAudioRecorder

extension AudioSource {
    /// A source as a server would describe it.
    public static func synthetic(_ spec: SampleSpec) -> AudioSource {
        var info = pa_source_info()
        info.monitor_of_sink = accrec_pa_invalid_index
        info.sample_spec = spec.pulse
        guard pa_channel_map_init_extend(&info.channel_map, UInt32(spec.channelCount), PA_CHANNEL_MAP_AUX) != nil else {
            preconditionFailure("no channel map of \(spec.channelCount) channels")
        }
        pa_cvolume_set(&info.volume, UInt32(spec.channelCount), pa_volume_t(PA_VOLUME_NORM))
        info.proplist = pa_proplist_new()
        defer { pa_proplist_free(info.proplist) }
        return "synthetic".withCString { name in
            info.name = name
            guard let source = AudioSource(pulse: info) else {
                preconditionFailure("no source of \(spec)")
            }
            return source
        }
    }
}
