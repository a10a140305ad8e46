import CPulse
import Glibc

extension AudioSource {
    /// Reads what the server says of the source alone; `seen(by:)` adds whether it is the default.
    ///
    /// Nil if the stated format or channel map cannot be captured.
    init?(pulse info: pa_source_info) {
        guard let spec = SampleSpec(pulse: info.sample_spec), let map = ChannelMap(pulse: info.channel_map),
            map.count == spec.channels, let name = info.name
        else { return nil }
        let properties = PulseProperties(info.proplist)
        id = info.index
        self.name = String(cString: name)
        description = info.description.map { String(cString: $0) } ?? self.name
        sampleSpec = spec
        channelMap = map
        isDefault = false
        sinkIndex = info.monitor_of_sink == accrec_pa_invalid_index ? nil : info.monitor_of_sink
        kind = SourceKind(isMonitorOfSink: sinkIndex != nil) { properties[$0] }
        port = info.active_port?.pointee.description.map { String(cString: $0) }
        isAvailable = info.active_port.map { $0.pointee.available != Int32(PA_PORT_AVAILABLE_NO.rawValue) } ?? true
        masterName = properties["device.master_device"]
        linkGroup = properties["node.link-group"]
        isFilter = properties["device.class"] == "filter" || masterName != nil
        state = SourceState(pulse: info.state) ?? .suspended
        isMuted = info.mute != 0
        volume = SourceVolume(pulse: info.volume)
    }

    /// Reads a source, or why it cannot be captured.
    static func read(_ info: pa_source_info) -> Result<AudioSource, UnusableSource> {
        AudioSource(pulse: info).map { .success($0) } ?? .failure(UnusableSource(pulse: info))
    }

    /// This source with what is known from the server's description of itself.
    func seen(by server: ServerInfo) -> AudioSource {
        var source = self
        source.isDefault = name == server.defaultSourceName
        source.graphRate = server.graphRate
        return source
    }
}

extension [AudioSource] {
    /// Whether only its record streams say what a filter is made from: on PipeWire.
    var needFilterInputs: Bool {
        contains { $0.isOnPipeWire && $0.isFilter && $0.masterName == nil && $0.linkGroup != nil }
    }

    /// All sources of a server, where filters know the sink whose monitor they are made from.
    func tracingFilters(_ inputs: [FilterInput]) -> [AudioSource] {
        map { source in
            guard source.isFilter, source.masterName == nil, let group = source.linkGroup else { return source }
            var source = source
            let input = inputs.first { $0.linkGroup == group }
            source.masterName = first { $0.id == input?.sourceIndex }?.name
            return source
        }.tracingMasters()
    }

    private func tracingMasters() -> [AudioSource] {
        map { filter in
            var (source, master) = (filter, filter)
            // A faulty server may state a circle.
            for _ in indices where master.sinkIndex == nil {
                guard let next = first(where: { $0.name == master.masterName }) else { break }
                master = next
            }
            if source.sinkIndex == nil { source.filteredSinkIndex = master.sinkIndex }
            return source
        }
    }
}

/// The record stream of a filter of PipeWire.
struct FilterInput: Sendable {
    let linkGroup: String
    let sourceIndex: UInt32

    /// Nil for a stream that is none.
    init?(pulse info: pa_source_output_info) {
        guard let group = PulseProperties(info.proplist)["node.link-group"] else { return nil }
        linkGroup = group
        sourceIndex = info.source
    }
}

extension UnusableSource {
    init(pulse info: pa_source_info) {
        name = info.name.map { String(cString: $0) } ?? ""
        let (spec, map) = (info.sample_spec, info.channel_map)
        let isMapAtFault = SampleSpec(pulse: spec) != nil
        statedFormat =
            isMapAtFault
            ? "a channel map of \(map.channels) positions for \(spec.channels) channels, or one that is unknown"
            : "\(spec.rate) Hz, \(spec.channels) channels, sample format \(spec.format.rawValue)"
    }
}

extension SourceState {
    /// Nil for a state in which a source cannot be opened.
    init?(pulse state: pa_source_state_t) {
        switch state {
        case PA_SOURCE_RUNNING: self = .running
        case PA_SOURCE_IDLE: self = .idle
        case PA_SOURCE_SUSPENDED: self = .suspended
        default: return nil
        }
    }
}

extension SourceVolume {
    init(pulse volume: pa_cvolume) {
        steps = withUnsafeBytes(of: volume.values) { bytes in
            Array(bytes.bindMemory(to: pa_volume_t.self).prefix(Int(volume.channels)))
        }
    }
}

extension MonitoredSink {
    /// Reads a sink. How its volume and mute affect the monitor is not documented, but was measured and read in the
    /// servers' sources. PulseAudio's monitor delivers what is rendered for the device: muted if the sink is, and with
    /// the volume applied unless the device (`HW_VOLUME_CTRL`) or another sink (no `DECIBEL_VOLUME`; a volume that
    /// PulseAudio applies itself always has that flag) applies it. PipeWire's monitor delivers samples before volume
    /// and mute, unless the sink's `monitor.channel-volumes` property is set.
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
}

/// What the sound server says about itself.
struct ServerInfo: Sendable {
    /// Its name and version: `pulseaudio 16.1`, `PulseAudio (on PipeWire 0.3.65) 15.0.0`.
    let software: String
    /// The default source, if the server has one.
    let defaultSourceName: String?
    /// The default sink, if the server has one.
    let defaultSinkName: String?
    /// PipeWire's default graph rate in Hz (it may be configured to switch to others); nil for PulseAudio, which has no
    /// graph.
    let graphRate: Double?

    init(pulse info: pa_server_info) {
        software = [info.server_name, info.server_version].compactMap { $0.map { String(cString: $0) } }
            .joined(separator: " ")
        defaultSourceName = info.default_source_name.map { String(cString: $0) }
        let isPipeWire = info.server_name.map { strstr($0, "PipeWire") != nil } ?? false
        graphRate = isPipeWire ? Double(info.sample_spec.rate) : nil
        defaultSinkName = info.default_sink_name.map { String(cString: $0) }
    }
}

extension SampleSpec {
    /// Nil for a spec that cannot be captured: an unknown format, no channels or more than 32, a rate of 0 or above 384
    /// kHz.
    init?(pulse spec: pa_sample_spec) {
        guard withUnsafePointer(to: spec, pa_sample_spec_valid) != 0,
            let format = SampleFormat(pulse: spec.format)
        else { return nil }
        self.init(format: format, rate: Int(spec.rate), channels: Int(spec.channels))
    }

    var pulse: pa_sample_spec {
        pa_sample_spec(format: format.pulse, rate: UInt32(sampleRate), channels: UInt8(channelCount))
    }
}

extension SampleFormat {
    var pulse: pa_sample_format_t {
        switch self {
        case .u8: PA_SAMPLE_U8
        case .aLaw: PA_SAMPLE_ALAW
        case .uLaw: PA_SAMPLE_ULAW
        case .s16LE: PA_SAMPLE_S16LE
        case .s16BE: PA_SAMPLE_S16BE
        case .float32LE: PA_SAMPLE_FLOAT32LE
        case .float32BE: PA_SAMPLE_FLOAT32BE
        case .s32LE: PA_SAMPLE_S32LE
        case .s32BE: PA_SAMPLE_S32BE
        case .s24LE: PA_SAMPLE_S24LE
        case .s24BE: PA_SAMPLE_S24BE
        case .s24In32LE: PA_SAMPLE_S24_32LE
        case .s24In32BE: PA_SAMPLE_S24_32BE
        }
    }

    init?(pulse: pa_sample_format_t) {
        guard let format = Self.allCases.first(where: { $0.pulse == pulse }) else { return nil }
        self = format
    }
}

extension ChannelMap {
    /// Nil if libpulse does not know a position, or there are no channels.
    init?(pulse map: pa_channel_map) {
        let positions = withUnsafeBytes(of: map.map) { bytes in
            bytes.bindMemory(to: pa_channel_position_t.self).prefix(Int(map.channels))
                .compactMap { ChannelPosition(pulse: $0) }
        }
        guard !positions.isEmpty, positions.count == map.channels else { return nil }
        self.positions = positions
    }

    /// libpulse's form of the map; nil if it does not know a name, or there are too many channels.
    var pulse: pa_channel_map? {
        var map = pa_channel_map()
        return pa_channel_map_parse(&map, description) == nil ? nil : map
    }
}

extension ChannelPosition {
    /// Nil for a number that libpulse does not know, which only a faulty server states.
    init?(pulse position: pa_channel_position_t) {
        guard let name = pa_channel_position_to_string(position) else { return nil }
        self.init(rawValue: String(cString: name))
    }
}
