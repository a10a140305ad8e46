/// The supported sound servers. The raw value is the name that `scripts/private-server` uses.
public enum ServerKind: String, CaseIterable, Sendable {
    /// PulseAudio itself.
    case pulseAudio = "pulseaudio"
    /// PipeWire, with WirePlumber, through its PulseAudio protocol.
    case pipeWire = "pipewire"
}
