/// The sound servers that the recorder works with. The raw value is what `scripts/private-server` calls them.
public enum ServerKind: String, CaseIterable, Sendable {
    /// PulseAudio itself.
    case pulseAudio = "pulseaudio"
    /// PipeWire, with WirePlumber, through its PulseAudio protocol.
    case pipeWire = "pipewire"
}
