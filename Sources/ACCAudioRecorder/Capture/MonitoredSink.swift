/// The sink whose monitor a source is, and how its volume and mute affect the monitor.
public struct MonitoredSink: Sendable, Hashable, Codable {
    /// How a sink's volume affects what its monitor delivers.
    public enum VolumeEffect: String, Sendable, Hashable, CaseIterable, Codable {
        /// The monitor's samples are scaled by it.
        case applied
        /// The device applies it after the monitor, but the server first applies whatever the device's volume steps
        /// cannot represent.
        case perhapsApplied = "perhaps_applied"
        /// Not at all: the monitor delivers the samples before the volume.
        case none
    }

    /// The sink's name at the server.
    public let name: String
    /// The human-readable name.
    public let description: String
    /// The sink's volume.
    public let volume: SourceVolume
    /// How the volume affects what the monitor delivers.
    public let volumeEffect: VolumeEffect
    /// Whether the sink is muted and its monitor therefore silent.
    public let isMonitorMuted: Bool

    private enum CodingKeys: String, CodingKey {
        case name, description, volume
        case volumeEffect = "volume_effect"
        case isMonitorMuted = "is_monitor_muted"
    }

    /// Creates a sink, for tests of code that receives warnings.
    ///
    /// - Parameters:
    ///   - name: The sink's name at the server.
    ///   - description: The human-readable name; nil for the name.
    ///   - volume: The sink's volume.
    ///   - volumeEffect: How the volume affects what the monitor delivers.
    ///   - isMonitorMuted: Whether the sink is muted and its monitor therefore silent.
    public init(
        name: String, description: String? = nil, volume: SourceVolume, volumeEffect: VolumeEffect = .none,
        isMonitorMuted: Bool = false
    ) {
        self.name = name
        self.description = description ?? name
        self.volume = volume
        self.volumeEffect = volumeEffect
        self.isMonitorMuted = isMonitorMuted
    }

    /// Whether the volume changes, or may change, what the monitor delivers.
    var changesMonitor: Bool { !volume.isUnity && volumeEffect != .none }
}
