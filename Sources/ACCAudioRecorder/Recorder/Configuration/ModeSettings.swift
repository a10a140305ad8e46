/// The settings of a recording that its session mode decides where they are not given, and what decides them with it.
struct ModeSettings: Sendable {
    var mode: ACCAudioRecorder.AudioSessionMode
    /// As far as it is given.
    var format: FormatSettings
    /// Counted from 1; empty for all.
    var selectedChannels: [Int]
    var givenQuality: ResamplerQuality?
    /// In frames.
    var givenBufferSize: UInt32?

    var quality: ResamplerQuality { givenQuality ?? mode.resamplerQuality }
    var bufferSize: UInt32 { givenBufferSize ?? mode.bufferSize }

    /// The format settings, with the mode's for what is not given. As many channels are recorded as are selected.
    var effectiveFormat: FormatSettings {
        var inherited = mode.format
        if !selectedChannels.isEmpty { inherited.channelCount = .native }
        return format.or(inherited)
    }
}

extension ModeSettings: Hashable {
    /// The values in effect, given or not.
    private var values: [AnyHashable] { [mode, effectiveFormat, selectedChannels, quality, bufferSize] }

    static func == (one: Self, other: Self) -> Bool { one.values == other.values }

    func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
