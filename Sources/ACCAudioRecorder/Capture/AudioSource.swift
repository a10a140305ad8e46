import CPulse

/// A source of the sound server: a microphone, a line input, or the monitor of a sink.
public struct AudioSource: Sendable, Hashable, Identifiable {
    /// The server's number for the source. It changes when the device is plugged in again.
    public let id: UInt32
    /// The server's name for the source, stable over reconnections: what a recording is asked for by.
    public let name: String
    /// The name for people.
    public let description: String
    /// The source's own format, as the server stated it when asked.
    public let sampleSpec: SampleSpec
    /// The position of each channel.
    public let channelMap: ChannelMap
    /// Whether it is the server's default source, at the time it was asked.
    public internal(set) var isDefault: Bool
    /// What it is: built in, on USB, a monitor …
    public let kind: SourceKind
    /// The port that its sound comes in by, for people: `Headset Microphone`; nil where it has none.
    public let port: String?
    /// Whether its device can be heard: false only where the server knows that nothing is plugged in.
    public let isAvailable: Bool
    /// Whether it delivers what another source does, processed by the server: remapped, echo-cancelled …
    public let isFilter: Bool
    /// Whether it delivers anything, at the time it was asked.
    public let state: SourceState
    /// Whether the server replaces its sound by silence.
    public let isMuted: Bool
    /// The volume that the server gives it.
    public let volume: SourceVolume
    /// The server's number for the sink that it is the monitor of; nil for what is no monitor.
    let sinkIndex: UInt32?
    /// That sink, where the server was asked for it: a source that is to be recorded has it.
    var sink: MonitoredSink?
    /// The rate at which the server's graph runs, as far as it says; nil where there is no graph.
    var graphRate: Int?
    /// Whether the server is PipeWire's.
    var isOnPipeWire: Bool { graphRate != nil }

    /// Whether it delivers what a sink plays (the desktop's own sound), rather than what a microphone hears.
    public var isMonitor: Bool { kind == .monitor }

    /// What the server says of the source alone: whether it is the default, `seen(by:)` adds.
    ///
    /// Nil where the source's sample format is unknown to this library.
    init?(pulse info: pa_source_info) {
        guard let spec = SampleSpec(pulse: info.sample_spec), let name = info.name else { return nil }
        let properties = PulseProperties(info.proplist)
        id = info.index
        self.name = String(cString: name)
        description = info.description.map { String(cString: $0) } ?? self.name
        sampleSpec = spec
        channelMap = ChannelMap(pulse: info.channel_map)
        isDefault = false
        sinkIndex = info.monitor_of_sink == accrec_pa_invalid_index ? nil : info.monitor_of_sink
        kind = SourceKind(isMonitorOfSink: sinkIndex != nil) { properties[$0] }
        port = info.active_port?.pointee.description.map { String(cString: $0) }
        isAvailable = info.active_port.map { $0.pointee.available != Int32(PA_PORT_AVAILABLE_NO.rawValue) } ?? true
        isFilter = properties["device.class"] == "filter" || properties["device.master_device"] != nil
        state = SourceState(pulse: info.state) ?? .suspended
        isMuted = info.mute != 0
        volume = SourceVolume(pulse: info.volume)
    }

    /// The same, with what is known of it from what the server says of itself.
    func seen(by server: ServerInfo) -> AudioSource {
        var source = self
        source.isDefault = name == server.defaultSourceName
        source.graphRate = server.graphRate
        return source
    }
}
