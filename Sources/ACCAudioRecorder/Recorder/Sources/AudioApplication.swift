/// An application that plays, or has paused what it plays.
///
/// In JSON an application is an object with `name`, `binary`, `process_id` and `streams`, each of which has `index`, `title`,
/// `sink`, `is_paused`, `is_muted`, `volume` in percent, `sample_format`, `sample_rate` and `channels`. What is unknown is
/// left out.
public struct AudioApplication: Sendable, Hashable {
    /// One of the streams that an application plays at once, such as a tab of a browser.
    public struct Stream: Sendable, Hashable, Identifiable {
        /// The stream's index at the server, where it is a sink input.
        public let id: UInt32
        /// What is played: the title of a song, or of a page in a browser; empty if the application does not say.
        public let title: String
        /// The sink that it plays to; nil if it is not known yet.
        public let sinkName: String?
        /// Whether the application has paused it.
        public let isPaused: Bool
        /// Whether it is muted at the server.
        public let isMuted: Bool
        /// Its volume at the server; nil if it has none.
        public let volume: SourceVolume?
        /// The format in which it is played; nil if the server states an unknown one.
        public let sampleSpec: SampleSpec?

        /// Creates a stream, for tests of code that receives applications.
        public init(
            id: UInt32, title: String, sinkName: String? = nil, isPaused: Bool = false, isMuted: Bool = false,
            volume: SourceVolume? = nil, sampleSpec: SampleSpec? = nil
        ) {
            self.id = id
            self.title = title
            self.sinkName = sinkName
            self.isPaused = isPaused
            self.isMuted = isMuted
            self.volume = volume
            self.sampleSpec = sampleSpec
        }
    }

    /// The human-readable name, or else that of the executable file.
    public let name: String
    /// The name of the executable file, if the application says so.
    public let binary: String?
    /// The process ID, if the application says so. In a container it may be another one than on this machine.
    public let processID: Int?
    /// Its streams, in the server's order; not empty.
    public let streams: [Stream]

    /// Creates an application, for tests of code that receives applications.
    public init(name: String, binary: String? = nil, processID: Int? = nil, streams: [Stream]) {
        self.name = name
        self.binary = binary
        self.processID = processID
        self.streams = streams
    }

    /// Groups streams by the processes that play them.
    ///
    /// - Parameter sinks: The names of the sinks by their index.
    static func all(playing streams: [ApplicationStream], to sinks: [UInt32: String]) -> [AudioApplication] {
        var rest = streams[...]
        var applications: [AudioApplication] = []
        while let owner = rest.first?.owner {
            let own = rest.filter { $0.owner.isSameProcess(as: owner) }
            rest.removeAll { $0.owner.isSameProcess(as: owner) }
            applications.append(
                AudioApplication(
                    name: owner.displayName, binary: owner.binary, processID: owner.processID.flatMap { Int($0) },
                    streams: own.map { Stream($0, sinkName: sinks[$0.sinkIndex]) }))
        }
        return applications
    }
}

extension AudioApplication.Stream {
    init(_ stream: ApplicationStream, sinkName: String?) {
        self.init(
            id: stream.index, title: stream.title, sinkName: sinkName, isPaused: stream.isPaused,
            isMuted: stream.isMuted, volume: stream.volume, sampleSpec: stream.sampleSpec)
    }
}

extension AudioApplication: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, binary, streams
        case processID = "process_id"
    }
}

extension AudioApplication.Stream: Codable {
    private enum Key: String, CodingKey {
        case index, title, sink, volume
        case isPaused = "is_paused"
        case isMuted = "is_muted"
    }

    /// Encodes everything.
    public func encode(to encoder: any Encoder) throws {
        try sampleSpec?.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .index)
        try container.encode(title, forKey: .title)
        try container.encodeIfPresent(sinkName, forKey: .sink)
        try container.encode(isPaused, forKey: .isPaused)
        try container.encode(isMuted, forKey: .isMuted)
        try container.encodeIfPresent(volume, forKey: .volume)
    }

    /// Decodes what was encoded.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            id: try container.decode(UInt32.self, forKey: .index),
            title: try container.decode(String.self, forKey: .title),
            sinkName: try container.decodeIfPresent(String.self, forKey: .sink),
            isPaused: try container.decode(Bool.self, forKey: .isPaused),
            isMuted: try container.decode(Bool.self, forKey: .isMuted),
            volume: try container.decodeIfPresent(SourceVolume.self, forKey: .volume),
            sampleSpec: try? SampleSpec(from: decoder))
    }
}

/// An application as the source of a recording.
extension AudioSource {
    /// What is known of an application that may not play yet.
    ///
    /// - Parameters:
    ///   - requested: As the configuration specifies it; the source's name.
    ///   - monitor: The monitor of a sink that it plays to, or probably will: the format to capture in.
    init(application requested: String, _ choice: ApplicationSelection.Choice?, as monitor: AudioSource) {
        let spec = SampleSpec(
            format: monitor.sampleSpec.format.forMixing, rate: monitor.sampleSpec.rate,
            channels: monitor.sampleSpec.channels)
        self.init(
            id: choice?.streams.first?.index ?? 0, name: requested,
            description: choice?.owner.displayName ?? requested, sampleSpec: spec, channelMap: monitor.channelMap,
            isDefault: false, kind: .application)
        graphRate = monitor.graphRate
        if let choice { update(to: choice) }
    }

    /// Updates what the streams of an application say.
    mutating func update(to choice: ApplicationSelection.Choice) {
        // PipeWire states 0 % for a new stream until it plays.
        let streams = choice.streams.filter { !$0.isPaused }
        let volume = streams.lazy.compactMap(\.volume).first { !$0.isUnity }
        var source = AudioSource(
            id: streams.first?.index ?? id, name: name, description: choice.owner.displayName, sampleSpec: sampleSpec,
            channelMap: channelMap, isDefault: false, kind: .application,
            state: streams.isEmpty ? .idle : .running,
            isMuted: !streams.isEmpty && streams.allSatisfy(\.isMuted), volume: volume)
        source.graphRate = graphRate
        self = source
    }
}

extension ProcessingStep {
    /// What the server does to the streams of an application before they are captured.
    static func ofServer(playing streams: [ApplicationStream], capturedAs source: AudioSource) -> [ProcessingStep] {
        let playing = streams.filter { !$0.isPaused }
        var steps: [ProcessingStep] = playing.count > 1 ? [.streamsMixed] : []
        for stream in playing {
            if let method = stream.resampleMethod { steps.append(.resampledByServer(method: method)) }
            guard let spec = stream.sampleSpec else { continue }
            if spec.channelCount != source.sampleSpec.channelCount {
                steps.append(.mixed(from: spec.channelCount, to: source.sampleSpec.channelCount))
            }
            if let graph = source.graphRate, graph != spec.sampleRate {
                steps.append(.perhapsResampledByGraph(from: spec.sampleRate, graph: graph))
            }
        }
        return steps
    }
}
