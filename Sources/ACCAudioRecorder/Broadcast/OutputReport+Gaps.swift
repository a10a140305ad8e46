import FoundationEssentials

extension OutputReport {
    /// The gaps of this output alone, which was written too slowly or lacked a file; usually empty.
    public var gaps: [RecordingGap] { losses.map { RecordingGap($0, sampleRate: sampleRate) } }

    /// The length, rounded down to a nanosecond.
    public var length: Duration { .frames(frameCount, at: sampleRate) }
}

extension RecordingGap {
    /// The gap of an output.
    init(_ loss: OutputLoss, sampleRate: Int) {
        self.init(
            position: loss.position, framesLost: loss.frameCount, sampleRate: sampleRate,
            cause: loss.cause == .noFile ? .noFile : .outputBehind, isFilled: loss.isFilled)
    }
}

extension OutputReport: Codable {
    private enum Key: String, CodingKey {
        case channels, frames, seconds, bytes, alterations, gaps, failure, error
        case sampleRate = "sample_rate"
        case channelMap = "channel_map"
        case firstFrame = "first_frame"
        case isBitExact = "is_bit_exact"
        case processingSteps = "processing_steps"
    }

    /// Encodes everything, of the output what that encodes.
    public func encode(to encoder: any Encoder) throws {
        try output.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(sampleRate, forKey: .sampleRate)
        try container.encode(channelCount, forKey: .channels)
        try container.encode(channelMap, forKey: .channelMap)
        try container.encode(firstFrame, forKey: .firstFrame)
        try container.encode(frameCount, forKey: .frames)
        try container.encode(duration, forKey: .seconds)
        try container.encode(byteCount, forKey: .bytes)
        try container.encode(isBitExact, forKey: .isBitExact)
        try container.encode(processingSteps.map(\.description), forKey: .alterations)
        try container.encode(processingSteps, forKey: .processingSteps)
        try container.encode(gaps, forKey: .gaps)
        try container.encodeIfPresent(failure.map { JSONWording.text(of: $0, for: encoder) }, forKey: .failure)
        try container.encodeIfPresent(failure, forKey: .error)
    }

    /// Decodes what was encoded.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let gaps = try container.decode([RecordingGap].self, forKey: .gaps)
        self.init(
            output: try RecordingOutput(from: decoder),
            sampleRate: try container.decode(Int.self, forKey: .sampleRate),
            channelMap: try container.decode(ChannelMap.self, forKey: .channelMap),
            firstFrame: try container.decode(Int.self, forKey: .firstFrame),
            frameCount: try container.decode(Int.self, forKey: .frames),
            losses: gaps.map {
                OutputLoss(
                    position: $0.position, frameCount: $0.framesLost, isFilled: $0.isFilled,
                    cause: $0.cause == .noFile ? .noFile : .tooSlow)
            },
            byteCount: try container.decode(Int.self, forKey: .bytes),
            processingSteps: try container.decode([ProcessingStep].self, forKey: .processingSteps),
            failure: try container.decodeIfPresent(ACCAudioRecorderError.self, forKey: .error))
    }
}
