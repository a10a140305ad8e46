import CPulse

@testable import ACCAudioRecorder

extension AudioSource {
    /// A source as a server would describe it.
    static func made(
        _ name: String, rate: UInt32 = 48_000, isDefault: Bool = false, isMonitor: Bool = false
    ) -> AudioSource {
        name.withCString { bytes in
            var info = pa_source_info()
            info.name = bytes
            info.monitor_of_sink = isMonitor ? 1 : accrec_pa_invalid_index
            info.sample_spec = pa_sample_spec(format: PA_SAMPLE_S16LE, rate: rate, channels: 2)
            pa_channel_map_init_stereo(&info.channel_map)
            pa_cvolume_set(&info.volume, 2, pa_volume_t(PA_VOLUME_NORM))
            return AudioSource(pulse: info, defaultSourceName: isDefault ? name : nil)!
        }
    }
}
