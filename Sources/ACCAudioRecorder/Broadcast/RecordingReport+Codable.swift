import FoundationEssentials

extension RecordingReport: Codable {
    private enum Key: String, CodingKey {
        case ending, failure, error, source, channels, frames, seconds, gaps, levels, clipped, outputs
        case startedAt = "started_at"
        case sampleRate = "sample_rate"
        case framesLost = "frames_lost"
        case streamGaps = "stream_gaps"
        case nonFinite = "non_finite"
    }

    private static let namedEndings: [(name: String, ending: Ending)] = [
        ("finished", .finished), ("limit", .limitReached), ("silence", .silence), ("discarded", .discarded),
    ]

    /// Encodes everything.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        if case .failed(let error) = ending {
            try container.encode("failed", forKey: .ending)
            try container.encode(JSONWording.text(of: error, for: encoder), forKey: .failure)
            try container.encode(error, forKey: .error)
        } else {
            try container.encode(Self.namedEndings.first { $0.ending == ending }?.name, forKey: .ending)
        }
        try container.encodeIfPresent(startDate?.textInJSON, forKey: .startedAt)
        try container.encode(source, forKey: .source)
        try container.encode(sampleRate, forKey: .sampleRate)
        try container.encode(channelCount, forKey: .channels)
        try container.encode(frameCount, forKey: .frames)
        try container.encode(duration, forKey: .seconds)
        try container.encode(framesLost, forKey: .framesLost)
        try container.encode(gaps, forKey: .gaps)
        try container.encode(streamGaps, forKey: .streamGaps)
        try container.encode(levels, forKey: .levels)
        try container.encode(clippedCount, forKey: .clipped)
        try container.encode(nonFiniteCount, forKey: .nonFinite)
        try container.encode(outputs, forKey: .outputs)
    }

    /// Decodes everything.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let error = try container.decodeIfPresent(ACCAudioRecorderError.self, forKey: .error)
        let endings = Self.namedEndings + (error.map { [("failed", .failed($0))] } ?? [])
        self.init(
            ending: try container.decode(forKey: .ending, from: endings) { $0.name }.ending,
            startDate: try container.decodeIfPresent(String.self, forKey: .startedAt).map(Date.init(textInJSON:)),
            source: try container.decode(AudioSource.self, forKey: .source),
            sampleRate: try container.decode(Int.self, forKey: .sampleRate),
            channelCount: try container.decode(Int.self, forKey: .channels),
            frameCount: try container.decode(Int.self, forKey: .frames),
            framesLost: try container.decode(Int.self, forKey: .framesLost),
            gaps: try container.decode([RecordingGap].self, forKey: .gaps),
            streamGaps: try container.decodeIfPresent([RecordingGap].self, forKey: .streamGaps) ?? [],
            levels: try container.decode([ChannelLevel].self, forKey: .levels),
            nonFiniteCount: try container.decode(Int.self, forKey: .nonFinite),
            outputs: try container.decode([OutputReport].self, forKey: .outputs))
    }
}
