/// A source of the sound server: a microphone, a line input, or the monitor of a sink.
///
/// In JSON a source is an object with `index`, `name`, `description`, `kind`, `port`, `state`, `is_default`, `is_monitor`,
/// `is_filter`, `is_muted`, `is_available`, `volume` in percent, `sample_format`, `sample_rate`, `channels` and
/// `channel_map`. A decoded source belongs to no server.
public struct AudioSource: Sendable, Hashable, Identifiable {
    /// The source's index at the server. It changes when the device is plugged in again.
    public let id: UInt32
    /// The source's name at the server, by which a recording requests it. It stays the same when the device is plugged
    /// in again.
    public let name: String
    /// The human-readable name.
    public let description: String
    /// The source's own format, as the server states it.
    public let sampleSpec: SampleSpec
    /// The position of each channel.
    public let channelMap: ChannelMap
    /// Whether it was the server's default source when the server was asked.
    public internal(set) var isDefault: Bool
    /// The kind of source: built in, USB, a monitor …
    public let kind: SourceKind
    /// The human-readable name of the active port, such as `Headset Microphone`; nil if the source has none.
    public let port: String?
    /// Whether the device can be used: false only if the server knows that nothing is plugged in.
    public let isAvailable: Bool
    /// Whether the server makes it from another source: remapped, echo-cancelled …
    public let isFilter: Bool
    /// Whether it was delivering audio when the server was asked.
    public let state: SourceState
    /// Whether it is muted at the server.
    public let isMuted: Bool
    /// Its volume at the server.
    public let volume: SourceVolume
    /// The index of the sink that it is the monitor of; nil if it is not a monitor.
    let sinkIndex: UInt32?
    /// That sink, if the server was asked for it; always set for a source that is to be recorded.
    var sink: MonitoredSink?
    /// The rate of the server's graph in Hz, as far as known; nil if there is no graph.
    var graphRate: Int?
    /// Whether the server is PipeWire.
    var isOnPipeWire: Bool { graphRate != nil }

    /// Whether it delivers what a sink plays (the desktop's own sound) rather than what a microphone records.
    public var isMonitor: Bool { kind == .monitor }

    /// The format of its frames, with all channels.
    var form: StreamFormat { StreamFormat(sampleRate: sampleSpec.sampleRate, channelMap: channelMap) }

    /// Creates a source that belongs to no server, for tests of code that receives sources.
    ///
    /// - Parameters:
    ///   - id: The source's index at the server.
    ///   - name: The source's name at the server.
    ///   - description: The human-readable name; nil for the name.
    ///   - sampleSpec: The source's own format.
    ///   - channelMap: The position of each channel; nil for the standard ones.
    ///   - isDefault: Whether it is the server's default source.
    ///   - kind: The kind of source.
    ///   - port: The human-readable name of the active port.
    ///   - isAvailable: Whether the device can be used.
    ///   - isFilter: Whether the server makes it from another source.
    ///   - state: Whether it is delivering audio.
    ///   - isMuted: Whether it is muted at the server.
    ///   - volume: Its volume at the server; nil for 100 %.
    public init(
        id: UInt32 = 0, name: String, description: String? = nil, sampleSpec: SampleSpec,
        channelMap: ChannelMap? = nil, isDefault: Bool = true, kind: SourceKind = .virtual, port: String? = nil,
        isAvailable: Bool = true, isFilter: Bool = false, state: SourceState = .running, isMuted: Bool = false,
        volume: SourceVolume? = nil
    ) {
        self.id = id
        self.name = name
        self.description = description ?? name
        self.sampleSpec = sampleSpec
        self.channelMap = channelMap ?? .standard(channelCount: sampleSpec.channelCount)
        self.isDefault = isDefault
        self.kind = kind
        self.port = port
        self.isAvailable = isAvailable
        self.isFilter = isFilter
        self.state = state
        self.isMuted = isMuted
        self.volume = volume ?? .unity(channelCount: sampleSpec.channelCount)
        sinkIndex = nil
    }
}

/// Whether a source delivers audio.
public enum SourceState: String, Sendable, Hashable, CaseIterable, Codable {
    /// A client is recording from it.
    case running
    /// No client is recording from it.
    case idle
    /// It is suspended: because no client is recording, on request, or because another program uses the device.
    case suspended
}
