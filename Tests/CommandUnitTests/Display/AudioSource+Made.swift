import ACCAudioRecorder

extension AudioSource {
    /// A source of 48 kHz, 16 bits, two channels.
    static func made(
        _ name: String, description: String? = nil, rate: Double = 48_000, isDefault: Bool = false, id: UInt32 = 0,
        kind: SourceKind = .virtual, port: String? = nil, isAvailable: Bool = true, isFilter: Bool = false,
        state: SourceState = .idle, isMuted: Bool = false
    ) -> AudioSource {
        AudioSource(
            id: id, name: name, description: description,
            sampleSpec: SampleSpec(format: .s16LE, sampleRate: rate, channelCount: 2), isDefault: isDefault, kind: kind,
            port: port, isAvailable: isAvailable, isFilter: isFilter, state: state, isMuted: isMuted)
    }
}
