import CPulse

/// The sink whose monitor a source is, and what of its volume and mute the monitor delivers.
public struct MonitoredSink: Sendable, Hashable {
    /// What a sink's volume does to what its monitor delivers.
    public enum VolumeEffect: Sendable, Hashable {
        /// It is the monitor's volume, too.
        case applied
        /// The device applies it, behind the monitor; but what the device's steps cannot do the server does before.
        case perhapsApplied
        /// None: the monitor delivers what was there before it.
        case none
    }

    /// The server's name for the sink.
    public let name: String
    /// The name for people.
    public let description: String
    /// The sink's volume.
    public let volume: SourceVolume
    /// What that does to what the monitor delivers.
    public let volumeEffect: VolumeEffect
    /// Whether the sink is muted and its monitor therefore silent.
    public let isMonitorMuted: Bool

    /// What the monitor delivers is nowhere stated, but measured and read in the servers' sources. PulseAudio's monitor
    /// delivers what is rendered for the device: with the mute, and with the volume where that is not the device's
    /// (`HW_VOLUME_CTRL`) or another sink's (no `DECIBEL_VOLUME`, which what PulseAudio does itself always has).
    /// PipeWire's delivers what is there before both, unless the sink's properties have it otherwise.
    ///
    /// - Parameter isPipeWire: Whether the server is PipeWire.
    init?(pulse info: pa_sink_info, isPipeWire: Bool) {
        guard let name = info.name else { return nil }
        self.name = String(cString: name)
        description = info.description.map { String(cString: $0) } ?? self.name
        volume = SourceVolume(pulse: info.volume)
        if isPipeWire {
            let isApplied = ["true", "1"].contains(PulseProperties(info.proplist)["monitor.channel-volumes"])
            volumeEffect = isApplied ? .applied : .none
            isMonitorMuted = isApplied && info.mute != 0
        } else {
            let flags = info.flags.rawValue
            if flags & PA_SINK_HW_VOLUME_CTRL.rawValue != 0 {
                volumeEffect = .perhapsApplied
            } else {
                volumeEffect = flags & PA_SINK_DECIBEL_VOLUME.rawValue != 0 ? .applied : .none
            }
            isMonitorMuted = info.mute != 0
        }
    }

    /// Whether its volume changes, or may change, what the monitor delivers.
    var changesMonitor: Bool { !volume.isUnity && volumeEffect != .none }
}
