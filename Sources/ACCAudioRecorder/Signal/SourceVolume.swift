import Glibc

/// The volume of a source, a sink or a stream at the server; at 100 % samples are unchanged.
///
/// In JSON a volume is an array: each channel's in percent.
public struct SourceVolume: Sendable, Hashable {
    /// One element per channel, in PulseAudio's steps: 65,536 is 100 %.
    let steps: [UInt32]

    init(steps: [UInt32]) {
        self.steps = steps
    }

    /// Creates a volume, for tests of code that receives sources.
    ///
    /// - Parameter percentages: The channels' volumes in percent, as mixers show them; from 0 to 10,000.
    public init(percentages: [Int]) {
        steps = percentages.map {
            UInt32((Double(min(max($0, 0), 10_000)) * Double(Self.unityStep) / 100).rounded())
        }
    }

    private static let unityStep: UInt32 = 65_536

    /// 100 %.
    static func unity(channelCount: Int) -> SourceVolume {
        SourceVolume(steps: Array(repeating: unityStep, count: channelCount))
    }

    /// Whether samples are unchanged.
    public var isUnity: Bool { steps.allSatisfy { $0 == Self.unityStep } }

    /// The channels' volumes in percent, as mixers show them.
    public var percentages: [Int] { steps.map { Int((Double($0) * 100 / Double(Self.unityStep)).rounded()) } }

    /// The channels' gains in dB, on PulseAudio's cubic scale; minus infinity for silence.
    public var decibels: [Double] { steps.map { 60 * log10(Double($0) / Double(Self.unityStep)) } }
}

extension SourceVolume: CustomStringConvertible {
    /// Human-readable: `40 %`, or `40 %, 100 %` if the channels differ.
    public var description: String {
        let all = Set(steps).count == 1 ? Array(percentages.prefix(1)) : percentages
        return all.map { "\($0) %" }.joined(separator: ", ")
    }
}

extension SourceVolume: Codable {
    /// Encodes the percentages.
    public func encode(to encoder: any Encoder) throws {
        try percentages.encode(to: encoder)
    }

    /// Decodes the percentages.
    public init(from decoder: any Decoder) throws {
        self.init(percentages: try [Int](from: decoder))
    }
}
