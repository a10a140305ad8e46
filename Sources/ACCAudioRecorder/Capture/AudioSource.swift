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
    /// The name of the source that it is made from; nil if it is no filter, or the server does not say it.
    var masterName: String?
    /// What PipeWire calls a filter and its own record stream in common; nil for all others.
    var linkGroup: String?
    /// The index of the sink whose monitor it is made from, itself or through other filters; nil for all others.
    var filteredSinkIndex: UInt32?
    /// That sink, if the server was asked for it; always set for a source that is to be recorded.
    var sink: MonitoredSink?
    /// The rate of the server's graph in Hz, as far as known; nil if there is no graph.
    var graphRate: Double?
    /// The name of each channel, where the source stands for several that are recorded as tracks; empty for all others.
    package var channelNames: [String] = []
    /// The sources that it stands for, where several are recorded together; nil for a single one.
    var parts: [Part]?

    /// One of several sources: its channels in the recording, counted from 1, and whether it is what a sink or an application
    /// plays.
    struct Part: Sendable, Hashable {
        let channels: [Int]
        let isPlayed: Bool
    }
    /// Whether the server is PipeWire.
    var isOnPipeWire: Bool { graphRate != nil }

    /// Whether it delivers what a sink plays (the desktop's own sound) rather than what a microphone records.
    public var isMonitor: Bool { kind == .monitor }

    /// Whether it delivers what a sink or an application plays.
    var isPlayed: Bool { kind == .monitor || kind == .application }

    /// The format of its frames, with all channels.
    var form: StreamFormat { StreamFormat(sampleRate: sampleSpec.rate, channelMap: channelMap) }

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
        self.volume = volume ?? .unity(channelCount: sampleSpec.channels)
        sinkIndex = nil
    }
}

/// Whether a source delivers audio.
@nonexhaustive
public enum SourceState: String, Sendable, Hashable, CaseIterable, Codable {
    /// A client is recording from it.
    case running
    /// No client is recording from it.
    case idle
    /// It is suspended: because no client is recording, on request, or because another program uses the device.
    case suspended
}

/// The kind of a source, as far as the server says; in order of preference if no source is named.
@nonexhaustive
public enum SourceKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Built into the machine.
    case builtIn = "built-in"
    /// A PCI sound card.
    case pci
    /// A USB device.
    case usb
    /// A device of unknown kind.
    case other
    /// A Bluetooth device. Recording from it reduces its playback to telephone quality.
    case bluetooth
    /// Not a device: made by the server or a program.
    case `virtual`
    /// The monitor of a sink, which delivers what that plays: the desktop's own sound.
    case monitor
    /// What one application plays. It is never listed as a source, but only recorded by name.
    case application

    /// Determines the kind from the properties that the server gives a source.
    init(isMonitorOfSink: Bool, property: (String) -> String?) {
        let bus = property("device.bus")
        let isBluetooth =
            bus == "bluetooth" || property("device.api")?.hasPrefix("bluez") == true
            || ["bluetooth.protocol", "api.bluez5.profile", "bluez5.loopback"].contains { property($0) != nil }
            // A filter opens its master device.
            || property("device.master_device")?.hasPrefix("bluez_") == true
        // A monitor has its sink's properties, so without this check a headset's monitor would look like Bluetooth.
        if isMonitorOfSink || property("device.class") == "monitor" {
            self = .monitor
        } else if isBluetooth {
            self = .bluetooth
        } else if property("device.form_factor") == "internal" {
            self = .builtIn
        } else if bus == "pci" {
            self = .pci
        } else if bus == "usb" {
            self = .usb
        } else {
            self = bus != nil || property("device.api") != nil ? .other : .virtual
        }
    }
}

extension SourceKind: CustomStringConvertible {
    /// Human-readable: `built in`, `PCI`, `USB`, `Bluetooth` …
    public var description: String {
        switch self {
        case .builtIn: "built in"
        case .pci: "PCI"
        case .usb: "USB"
        case .other: "another device"
        case .bluetooth: "Bluetooth"
        case .virtual: "virtual"
        case .monitor: "monitor"
        case .application: "application"
        }
    }
}

extension AudioSource: Codable {
    private enum Key: String, CodingKey {
        case index, name, description, kind, port, state, volume
        case isDefault = "is_default"
        case isMonitor = "is_monitor"
        case isFilter = "is_filter"
        case isMuted = "is_muted"
        case isAvailable = "is_available"
        case channelMap = "channel_map"
    }

    /// Encodes what a program can use.
    public func encode(to encoder: any Encoder) throws {
        try sampleSpec.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .index)
        try container.encode(name, forKey: .name)
        try container.encode(description, forKey: .description)
        try container.encode(kind, forKey: .kind)
        try container.encodeIfPresent(port, forKey: .port)
        try container.encode(state, forKey: .state)
        try container.encode(isDefault, forKey: .isDefault)
        try container.encode(isMonitor, forKey: .isMonitor)
        try container.encode(isFilter, forKey: .isFilter)
        try container.encode(isMuted, forKey: .isMuted)
        try container.encode(isAvailable, forKey: .isAvailable)
        try container.encode(volume, forKey: .volume)
        try container.encode(channelMap, forKey: .channelMap)
    }

    /// Decodes what was encoded.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            id: try container.decode(UInt32.self, forKey: .index),
            name: try container.decode(String.self, forKey: .name),
            description: try container.decode(String.self, forKey: .description),
            sampleSpec: try SampleSpec(from: decoder),
            channelMap: try container.decode(ChannelMap.self, forKey: .channelMap),
            isDefault: try container.decode(Bool.self, forKey: .isDefault),
            kind: try container.decode(SourceKind.self, forKey: .kind),
            port: try container.decodeIfPresent(String.self, forKey: .port),
            isAvailable: try container.decode(Bool.self, forKey: .isAvailable),
            isFilter: try container.decode(Bool.self, forKey: .isFilter),
            state: try container.decode(SourceState.self, forKey: .state),
            isMuted: try container.decode(Bool.self, forKey: .isMuted),
            volume: try container.decode(SourceVolume.self, forKey: .volume))
    }
}
