import CPulse

/// The volume that a server gives a source, a sink or a stream: at 100 % samples pass as they are.
public struct SourceVolume: Sendable, Hashable {
    /// One element a channel, in PulseAudio's own steps: 65,536 is 100 %.
    private let steps: [UInt32]

    init(pulse volume: pa_cvolume) {
        steps = withUnsafeBytes(of: volume.values) { bytes in
            Array(bytes.bindMemory(to: pa_volume_t.self).prefix(Int(volume.channels)))
        }
    }

    /// Whether samples pass as they are.
    public var isUnity: Bool { steps.allSatisfy { $0 == PA_VOLUME_NORM } }

    /// The channels' volumes in percent, as mixers show them.
    public var percentages: [Int] { steps.map { Int((Double($0) * 100 / Double(PA_VOLUME_NORM)).rounded()) } }

    /// The gain of the channels in dB.
    public var decibels: [Double] { steps.map { pa_sw_volume_to_dB($0) } }
}

extension SourceVolume: CustomStringConvertible {
    /// For people: `40 %`, or `40 %, 100 %` where the channels differ.
    public var description: String {
        let all = Set(steps).count == 1 ? Array(percentages.prefix(1)) : percentages
        return all.map { "\($0) %" }.joined(separator: ", ")
    }
}
