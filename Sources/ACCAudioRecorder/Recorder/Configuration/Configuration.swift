import FoundationEssentials

extension ACCAudioRecorder {
    /// What a recorder records. The session mode decides what is not given, even if the mode is set later. The result for a
    /// source is told by ``RecordingEvent/opened(_:format:)``.
    ///
    /// ```swift
    /// var configuration = ACCAudioRecorder.Configuration(input: .application("zoom"))
    /// configuration.format = .native
    /// configuration.interruptions.timeout = .seconds(300)
    /// configuration.splitting.interval = .seconds(3_600)
    /// ```
    ///
    /// Two configurations are equal if both record alike, whether values are given or the mode's. A mode that is set
    /// afterwards may still make a difference: it decides what was not given.
    ///
    /// In JSON a configuration, in which a program keeps the settings of its user, is an object with `mode`, `format`,
    /// `channels`, `buffer_size`, `quality`, `inputs`, `input_layout`, `input_settings` (each with its `input`), `capture`,
    /// `interruptions`, `splitting`, `retention`, `sound_activation` and `program`. What the mode decides is left out. What is
    /// missing has its default, so what was stored by an older program is read by a newer one.
    public struct Configuration: Sendable, Hashable {
        /// The valid sample rates, 8,000 to 384,000 Hz.
        public static let sampleRates =
            Double(StreamFormat.sampleRates.lowerBound)...Double(StreamFormat.sampleRates.upperBound)
        /// The valid channel counts, 1 to 32.
        public static let channelCounts: ClosedRange<UInt32> =
            UInt32(StreamFormat.channelCounts.lowerBound)...UInt32(StreamFormat.channelCounts.upperBound)
        /// The valid buffer sizes, 16 to 65,536 frames.
        public static let bufferSizes: ClosedRange<UInt32> = 16...65_536

        /// What is recorded; by default the source that `PULSE_SOURCE` specifies, or else the server's default. The first one of
        /// ``inputs``; setting it leaves no other.
        public var input: RecordingInput {
            get { inputs.first ?? .source(nil) }
            set { inputs = [newValue] }
        }
        /// The inputs that are recorded together, at least one. They are aligned by when their audio was captured, and stay so:
        /// the first one is the recording's clock and passes unchanged, the others are resampled as far as their clocks differ.
        /// The rate, and the rules for channels and interruptions, hold for each of them; an input that is away is silent
        /// meanwhile, and is a gap of its own (``RecordingGap/input``).
        public var inputs: [RecordingInput]
        /// Which channels the recording has if there are several inputs; `tracks` by default. ``channelCount`` and ``channels`` are
        /// those of each.
        public var inputLayout = InputLayout.tracks
        /// What is done to inputs, if there are several, before they are put together.
        public var inputSettings: [RecordingInput: InputSettings] = [:]
        /// How sources are found and captured.
        public var capture = Capture()

        /// What the recording does when it is interrupted.
        public var interruptions: InterruptionPolicy {
            get { ownPolicies.interruptions }
            set { ownPolicies.interruptions = newValue }
        }
        /// When the recording continues in new files by itself; by default never.
        public var splitting: SplittingPolicy {
            get { ownPolicies.splitting }
            set { ownPolicies.splitting = newValue }
        }
        /// Which of the complete files are kept; by default all.
        public var retention: RetentionPolicy {
            get { ownPolicies.retention }
            set { ownPolicies.retention = newValue }
        }
        /// How the recording follows the sound of its source; nil, the default, if it does not.
        public var soundActivation: SoundActivation? {
            get { ownPolicies.soundActivation }
            set { ownPolicies.soundActivation = newValue }
        }
        /// The recording program, which files name.
        public var program: RecordingProgram {
            get { ownPolicies.program }
            set { ownPolicies.program = newValue }
        }

        /// What the engine and the outputs of the recording are told.
        var policies: RecordingPolicies {
            var policies = ownPolicies
            policies.session = modeSettings.session
            return policies
        }
        /// Without what the mode decides.
        private var ownPolicies: RecordingPolicies
        var modeSettings: ModeSettings
        /// The complete files that a program still needs; ``retention`` leaves them.
        package var heldFiles: HeldFiles?
        /// The numbers that files of earlier takes have had; nil without takes.
        var usedNumbers: FileNumbers?

        /// Creates a configuration, whose other properties have their defaults. Ranges are checked when a recording starts; the
        /// mode decides what is nil.
        public init(
            sampleRate: Double? = nil, channelCount: UInt32? = nil, bufferSize: UInt32? = nil,
            audioSessionMode: AudioSessionMode = .default, input: RecordingInput = .source(nil),
            interruptions: InterruptionPolicy = .init(), splitting: SplittingPolicy = .init(),
            soundActivation: SoundActivation? = nil
        ) {
            modeSettings = ModeSettings(
                mode: audioSessionMode,
                format: FormatSettings(sampleRate: .init(sampleRate), channelCount: .init(channelCount)),
                givenBufferSize: bufferSize)
            inputs = [input]
            ownPolicies = RecordingPolicies(
                interruptions: interruptions, splitting: splitting, soundActivation: soundActivation)
        }
    }
}

extension ACCAudioRecorder.Configuration {
    /// Which channels of a source are captured, and what they are. Of several inputs, those of each.
    ///
    /// In JSON channels are an object with `numbers` and `map`.
    public struct Channels: Sendable, Hashable {
        /// The channels to capture, in this order, counted from 1; empty, the default, for all.
        public var numbers: [Int]
        /// The positions of the captured channels, one for each, for a source that states none or wrong ones; nil, the default,
        /// for those that it states. They decide how channels are mixed to another count, and are written to files.
        public var map: ChannelMap?

        /// Creates a selection of channels.
        public init(_ numbers: [Int] = [], map: ChannelMap? = nil) {
            (self.numbers, self.map) = (numbers, map)
        }
    }

    /// How sources are found and captured.
    ///
    /// In JSON it is an object with `server`, `api`, `allows_bluetooth`, `allows_monitor` and `keeps_cycle`.
    public struct Capture: Sendable, Hashable {
        /// The server, as libpulse names servers (`unix:/path`, `tcp:host:port`); nil, the default, for libpulse's:
        /// `PULSE_SERVER`, then the user's session.
        public var serverName: String?
        /// The part of libpulse to capture with; the asynchronous API by default.
        public var api = CaptureAPI.asynchronous
        /// Whether a Bluetooth microphone may be chosen if no source is named; false by default. Recording from it reduces
        /// playback on the headset to telephone quality.
        public var allowsBluetooth = false
        /// Whether a monitor, which delivers what the desktop plays, may be chosen if no source is named; false by default.
        public var allowsMonitor = false
        /// Whether PipeWire is asked to keep the length of its cycle while the recording runs; by default it is not. Where
        /// other programs come and go, a monitor then lacks no audio, but they get the latency of that cycle. Means
        /// nothing on PulseAudio.
        public var keepsCycle = false

        /// Creates the usual way to capture from a server; nil for libpulse's default.
        public init(serverName: String? = nil) { self.serverName = serverName }

        /// What lists the sources and captures them.
        var backend: any CaptureBackend { PulseBackend(serverName: serverName) }
    }
}

extension ACCAudioRecorder.Configuration.Channels: Codable {
    private enum CodingKeys: CodingKey { case numbers, map }

    /// Decodes what is there.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.decode(.numbers, into: &numbers)
        try container.decode(.map, into: &map)
    }
}

extension ACCAudioRecorder.Configuration.Capture: Codable {
    private enum CodingKeys: String, CodingKey {
        case api
        case serverName = "server"
        case allowsBluetooth = "allows_bluetooth"
        case allowsMonitor = "allows_monitor"
        case keepsCycle = "keeps_cycle"
    }

    /// Decodes what is there.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.decode(.serverName, into: &serverName)
        try container.decode(.api, into: &api)
        try container.decode(.allowsBluetooth, into: &allowsBluetooth)
        try container.decode(.allowsMonitor, into: &allowsMonitor)
        try container.decode(.keepsCycle, into: &keepsCycle)
    }
}

extension ACCAudioRecorder.Configuration {
    /// The properties of the stream at the server.
    var streamProperties: [String: String] {
        let steady = capture.keepsCycle ? ["node.lock-quantum": "true"] : [:]
        return audioSessionMode.streamProperties.merging(steady) { $1 }
    }

    /// What the recording does when another program's call begins.
    var onCall: InterruptionPolicy.CallBehavior {
        interruptions.onCall ?? (recordsBothSides ? .ignore : audioSessionMode.onCall)
    }

    /// Whether one of several inputs is played: together with a microphone, these are both sides of a call.
    private var recordsBothSides: Bool {
        inputs.count > 1
            && inputs.contains { input in
                if case .source = input { false } else { true }
            }
    }

    /// What `input` names among the sources; nil for the default, and for what is no source.
    var sourceName: String? { if case .source(let name) = input { name } else { nil } }
}
