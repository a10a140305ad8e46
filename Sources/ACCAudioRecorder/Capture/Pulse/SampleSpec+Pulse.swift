import CPulse

extension SampleSpec {
    /// Nil for a spec that cannot be captured: an unknown format, no channels or more than 32, a rate of 0 or above 384
    /// kHz.
    init?(pulse spec: pa_sample_spec) {
        guard withUnsafePointer(to: spec, pa_sample_spec_valid) != 0,
            let format = SampleFormat(pulse: spec.format)
        else { return nil }
        self.init(format: format, sampleRate: Int(spec.rate), channelCount: Int(spec.channels))
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
