/// Where a recording goes, and in which form.
public struct RecordingOutput: Sendable, Hashable {
    /// A file, or an open descriptor.
    public enum Destination: Sendable, Hashable {
        /// A file to be created at this path.
        case file(path: String)
        /// A file to be created at a path that has the time, the source, or a number in it.
        case pattern(FilePattern)
        /// A descriptor open for writing, such as standard output's 1. It is written to as the frames
        /// arrive and left open at the end.
        case descriptor(Int32)
    }

    /// Where the frames go.
    public var destination: Destination
    /// What they are wrapped in. A descriptor takes what can be read while it is written: `Container.isStreamable`.
    public var container: Container
    /// How a sample is stored; nil for the encoding that holds the source's samples as they are. A lossy container
    /// stores none, so that it is nil there.
    public var encoding: SampleEncoding?
    /// How hard the container compresses, where it does; nil for its default.
    public var compression: Compression?
    /// What the file says of itself; `Container.tags` says what it has a place for. To its comment it adds what it is a
    /// recording of and how it was made.
    public var tags: [MetadataTag: String] = [:]
    /// What it says of itself besides, by any keys: containers have no place for them that libsndfile writes to, so they
    /// stand in the comment, as `KEY=text`.
    public var otherTags: [String: String] = [:]
    /// Whether the file says when it begins, to the frame: a WAV file in a `bext` chunk (EBU Tech 3285), another in its date.
    /// Nil for what the session mode decides; true only where `Container.hasBroadcastInfo`.
    public var isBroadcastWave: Bool?
    /// Frames a second, in Hz, a whole number; nil for the recording's.
    public var sampleRate: Double?
    /// Samples in a frame; nil for the recording's.
    public var channelCount: UInt32?
    /// What it takes from the source instead; nothing by default.
    public var native: ACCAudioRecorder.NativeProperties = []
    /// Whether triangular dither is added where samples that were converted are reduced to 8, 16 or 24 bits.
    /// What was not converted is never dithered.
    public var isDithered: Bool
    /// Whether a file that exists is replaced, at the moment the new one is whole. Otherwise it is refused.
    public var replacesExisting: Bool
    /// How often the samples of a file are brought to its disk, so that a power cut costs no more: in seconds, by a
    /// thread that holds up no other; 0 for never, which leaves it to the system. In the end, the file is brought there
    /// before it takes its place, and its directory after that.
    public var syncInterval: Double
    /// Whether directories of the path that are missing are made.
    public var makesDirectories: Bool
    /// For how many seconds it may be behind, because its disk or its reader is slow; what waits is in memory, and no more
    /// than 256 MiB except with `OverflowPolicy.wait`. Greater than 0.
    public var longestDelay: Double = 60
    /// What becomes of it when it is behind by more.
    public var overflowPolicy = OverflowPolicy.drop

    /// Where the file is while it is written by this process: a hidden one beside its place where it is to replace
    /// another. Nil for a descriptor, and for a pattern, of which ``RecordingEvent`` tells what it has become.
    public var pathWhileWritten: String? {
        guard case .file(let path) = destination else { return nil }
        return NewFile.writingPath(for: path, replacesExisting: replacesExisting)
    }

    /// The output with what it leaves to the source filled in.
    func resolved(for source: AudioSource) -> RecordingOutput {
        var output = self
        output.encoding = container.isLossy ? nil : handedEncoding(for: source)
        return output
    }

    /// How samples are handed to the container.
    func handedEncoding(for source: AudioSource) -> SampleEncoding {
        container.isLossy ? .f32 : encoding ?? SampleEncoding(holding: source.sampleSpec.format)
    }

    /// An output of any kind. The encoding counts for containers that store samples; a lossy one has none.
    public init(
        _ destination: Destination, container: Container, encoding: SampleEncoding? = .s16,
        compression: Compression? = nil, sampleRate: Double? = nil, channelCount: UInt32? = nil,
        isDithered: Bool = true, replacesExisting: Bool = false, makesDirectories: Bool = false,
        syncInterval: Double = 1
    ) {
        self.destination = destination
        self.container = container
        self.encoding = container.isLossy ? nil : encoding
        self.compression = compression
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.isDithered = isDithered
        self.replacesExisting = replacesExisting
        self.syncInterval = syncInterval
        self.makesDirectories = makesDirectories
    }

    /// A file whose extension names its container (`.wav`, `.flac`, `.opus` …), unless that is given. The encoding counts
    /// for containers that store samples; a lossy one has none.
    ///
    /// - Throws: `outputFailed` where no container is given and the extension names none.
    public init(
        path: String, container: Container? = nil, encoding: SampleEncoding? = .s16, compression: Compression? = nil,
        sampleRate: Double? = nil, channelCount: UInt32? = nil, isDithered: Bool = true,
        replacesExisting: Bool = false, makesDirectories: Bool = false, syncInterval: Double = 1
    ) throws(ACCAudioRecorderError) {
        guard let container = container ?? Container(path: path) else {
            let known = Container.allCases.flatMap(\.fileExtensions).map { "." + $0 }.joined(separator: ", ")
            throw .outputFailed(
                .init(
                    .invalidFormat, "cannot tell the format of '\(path)'", cause: "its extension is not known",
                    remedy: "End the name in one of \(known), or name the format."))
        }
        self.init(
            .file(path: path), container: container, encoding: encoding, compression: compression,
            sampleRate: sampleRate, channelCount: channelCount, isDithered: isDithered,
            replacesExisting: replacesExisting, makesDirectories: makesDirectories, syncInterval: syncInterval)
    }
}

extension RecordingOutput.Destination: CustomStringConvertible {
    /// The path or pattern in quotes, standard output, or the number of another descriptor.
    public var description: String {
        switch self {
        case .file(let path): "'\(path)'"
        case .pattern(let pattern): "'\(pattern.template)'"
        case .descriptor(1): "standard output"
        case .descriptor(let number): "descriptor \(number)"
        }
    }
}
