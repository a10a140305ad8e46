import FoundationEssentials

extension ACCAudioRecorder {
    /// What a recorder records. The session mode decides the properties that are not set, even if the mode is set later. Of
    /// two contradicting settings the last one counts, such as a rate and ``native``. The result for a source is told by ``RecordingEvent/opened(_:format:)``.
    ///
    /// Two configurations are equal if both record alike, whether values are given or the mode's. A mode that is set
    /// afterwards may still make a difference: it decides what was not given.
    public struct Configuration: Sendable, Hashable {
        /// The valid sample rates, in Hz.
        public static let sampleRates =
            Double(StreamFormat.sampleRates.lowerBound)...Double(StreamFormat.sampleRates.upperBound)
        /// The valid channel counts.
        public static let channelCounts: ClosedRange<UInt32> =
            UInt32(StreamFormat.channelCounts.lowerBound)...UInt32(StreamFormat.channelCounts.upperBound)
        /// The valid buffer sizes, in frames.
        public static let bufferSizes: ClosedRange<UInt32> = 16...65_536

        /// The sample rate in Hz, a whole number; by default the mode's (44,100 in mode `default`). Ignored while
        /// ``native`` contains it.
        public var sampleRate: Double {
            get { formatSettings.sampleRate.value ?? audioSessionMode.sampleRate }
            set { formatSettings.sampleRate = .given(newValue) }
        }
        /// Samples per frame; by default the number of selected channels, or else the mode's (1 in mode `default`). Ignored
        /// while ``native`` contains it.
        public var channelCount: UInt32 {
            get { formatSettings.channelCount.value ?? audioSessionMode.channelCount }
            set { formatSettings.channelCount = .given(newValue) }
        }
        /// The encoding of outputs that have none of their own; by default the mode's (`s16` in mode `default`). Ignored
        /// while ``native`` contains it.
        public var encoding: SampleEncoding {
            get { formatSettings.encoding.value ?? audioSessionMode.encoding }
            set { formatSettings.encoding = .given(newValue) }
        }
        /// The channels of the source to capture, in this order, counted from 1; empty for all.
        public var selectedChannels: [Int] {
            get { modeSettings.selectedChannels }
            set { modeSettings.selectedChannels = newValue }
        }
        /// The positions of the captured channels, one for each, for a source that states none or wrong ones. They
        /// decide how channels are mixed to another count, and are written to files.
        public var channelMap: ChannelMap?
        /// The properties taken from the source when a recording starts, instead of from this configuration: by default
        /// the mode's, and the channels if any are selected. Setting it changes only the properties that differ.
        public var native: SourceProperties {
            get { effectiveFormat.native }
            set {
                let others = FormatSettings(
                    sampleRate: .given(sampleRate), channelCount: .given(channelCount), encoding: .given(encoding))
                formatSettings.setNative(newValue, from: native, else: others)
            }
        }
        /// The format settings, with the mode's for what is not set. As many channels are recorded as are selected.
        package var effectiveFormat: FormatSettings { modeSettings.effectiveFormat }
        /// The rate, channels and encoding, as far as they are set.
        package var formatSettings: FormatSettings {
            get { modeSettings.format }
            set { modeSettings.format = newValue }
        }
        /// The quality of sample rate conversion; by default the mode's.
        public var resamplerQuality: ResamplerQuality {
            get { modeSettings.quality }
            set { modeSettings.givenQuality = newValue }
        }
        /// Frames per buffer, as a hint: the last buffer is shorter, and so may be one after a change of rate. By
        /// default the mode's (4096 in mode `default`), and above 48 kHz as many as last as long as these at 48 kHz.
        public var bufferSize: UInt32 {
            get { modeSettings.bufferSize }
            set { modeSettings.givenBufferSize = newValue }
        }
        /// The buffer size of a recording at this rate, in Hz.
        func bufferSize(at sampleRate: Int) -> UInt32 { modeSettings.bufferSize(at: sampleRate) }

        /// The purpose of the recording.
        public var audioSessionMode: AudioSessionMode {
            get { modeSettings.mode }
            set { modeSettings.mode = newValue }
        }
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
        /// What the engine and the outputs of the recording are told.
        var policies: RecordingPolicies {
            var policies = ownPolicies
            policies.session = modeSettings.session
            return policies
        }
        /// Without what the mode decides.
        private var ownPolicies: RecordingPolicies
        private var modeSettings: ModeSettings
        /// The server, as libpulse names servers (`unix:/path`, `tcp:host:port`); nil for libpulse's default:
        /// `PULSE_SERVER`, then the user's session.
        public var serverName: String?
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
        /// Which channels the recording has if there are several inputs. ``channelCount`` and ``selectedChannels`` are those of
        /// each.
        public var inputLayout = InputLayout.tracks
        /// What is done to inputs, if there are several, before they are put together.
        public var inputSettings: [RecordingInput: InputSettings] = [:]
        /// The source: its name; `@DEFAULT_SOURCE@` or `@DEFAULT_MONITOR@`; its index at the server; or a part of its
        /// name or description, case-insensitive, that matches no other source. A part matches a monitor only if
        /// nothing else matches.
        ///
        /// Nil for the source that `PULSE_SOURCE` specifies in the same way, or else the server's default. If that is
        /// not allowed or not plugged in, the best other source: plugged in before unplugged, microphones before
        /// filters, then in the order of ``SourceKind``. Also nil if an application is recorded; setting it replaces ``input``.
        public var sourceName: String? {
            get { if case .source(let name) = input { name } else { nil } }
            set { input = .source(newValue) }
        }
        /// Files that no output may overwrite, even after a cut: those that the program itself reads and writes while
        /// it records, whether they exist yet or not.
        public var reservedPaths: [String] {
            get { ownPolicies.reservedPaths }
            set { ownPolicies.reservedPaths = newValue }
        }
        /// The complete files that a program still needs; ``retention`` leaves them.
        package var heldFiles: HeldFiles?
        /// The numbers that files of earlier takes have had; nil without takes.
        var usedNumbers: FileNumbers?
        /// Whether a Bluetooth microphone may be chosen if no source is named. Recording from it reduces playback on
        /// the headset to telephone quality.
        public var allowsBluetooth: Bool
        /// Whether a monitor, which delivers what the desktop plays, may be chosen if no source is named.
        public var allowsMonitor: Bool
        /// The part of libpulse to capture with; the asynchronous API by default.
        public var captureAPI: CaptureAPI
        /// Whether PipeWire is asked to keep the length of its cycle while the recording runs; by default it is not. Where
        /// other programs come and go, a monitor then lacks no audio, but they get the latency of that cycle. Means
        /// nothing on PulseAudio.
        public var keepsCycle: Bool
        /// The name of the recording program, which is written to files; by default the process name.
        public var programName: String {
            get { ownPolicies.program.name }
            set { ownPolicies.program.name = newValue }
        }
        /// The program's version, which is written to files if given.
        public var programVersion: String? {
            get { ownPolicies.program.version }
            set { ownPolicies.program.version = newValue }
        }

        /// Creates a configuration. Its ranges are checked when a recording starts. The mode decides arguments that are nil; `native`
        /// overrides the other arguments, and `input` overrides `sourceName`.
        public init(
            sampleRate: Double? = nil, channelCount: UInt32? = nil, bufferSize: UInt32? = nil,
            audioSessionMode: AudioSessionMode = .default, native: SourceProperties? = nil,
            encoding: SampleEncoding? = nil, resamplerQuality: ResamplerQuality? = nil, selectedChannels: [Int] = [],
            channelMap: ChannelMap? = nil, sourceName: String? = nil, serverName: String? = nil,
            interruptions: InterruptionPolicy = .init(), splitting: SplittingPolicy = .init(),
            soundActivation: SoundActivation? = nil,
            reservedPaths: [String] = [], allowsBluetooth: Bool = false, allowsMonitor: Bool = false,
            captureAPI: CaptureAPI = .asynchronous, keepsCycle: Bool = false, programName: String? = nil,
            programVersion: String? = nil, input: RecordingInput? = nil
        ) {
            modeSettings = ModeSettings(
                mode: audioSessionMode,
                format: FormatSettings(
                    sampleRate: .init(sampleRate), channelCount: .init(channelCount), encoding: .init(encoding)),
                selectedChannels: selectedChannels, givenQuality: resamplerQuality, givenBufferSize: bufferSize)
            ownPolicies = RecordingPolicies(
                interruptions: interruptions, splitting: splitting, soundActivation: soundActivation,
                reservedPaths: reservedPaths,
                program: .init(name: programName ?? ProcessInfo.processInfo.processName, version: programVersion))
            self.channelMap = channelMap
            inputs = [input ?? .source(sourceName)]
            self.serverName = serverName
            self.allowsBluetooth = allowsBluetooth
            self.allowsMonitor = allowsMonitor
            self.captureAPI = captureAPI
            self.keepsCycle = keepsCycle
            if let native { self.native = native }
        }

        /// The properties of the stream at the server.
        var streamProperties: [String: String] {
            let steady = keepsCycle ? ["node.lock-quantum": "true"] : [:]
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

        func validate() throws(ACCAudioRecorderError) {
            guard Self.sampleRates.contains(sampleRate), sampleRate == sampleRate.rounded() else {
                throw Self.refusal(
                    "a rate of \(sampleRate) Hz",
                    remedy: "Choose a whole number of Hz from 8000 to 384000.")
            }
            guard Self.channelCounts.contains(channelCount) else {
                throw Self.refusal("\(channelCount) channels", remedy: "Choose from 1 to 32.")
            }
            guard Self.bufferSizes.contains(bufferSize) else {
                throw Self.refusal("a buffer of \(bufferSize) frames", remedy: "Choose from 16 to 65536.")
            }
            guard interruptions.timeout >= 0 else {
                throw Self.refusal(
                    "with an interruption time-out of \(interruptions.timeout) s", remedy: "Choose 0 or more.")
            }
            try Self.validate(selectedChannels)
            try validateInput()
            try splitting.validate()
            try retention.validate()
            try soundActivation?.validate()
            if let input = soundActivation?.input, let obstacle = inputs.obstacle(toTrack: input, inputLayout) {
                throw Self.refusal("by the sound of '\(input)'", cause: obstacle.cause, remedy: obstacle.remedy)
            }
        }

        static func validate(_ selectedChannels: [Int]) throws(ACCAudioRecorderError) {
            guard selectedChannels.count <= 32, selectedChannels.allSatisfy({ (1...32).contains($0) }) else {
                throw refusal(
                    "channels \(selectedChannels.map(String.init).joined(separator: ","))",
                    remedy: "Select up to 32 channels, counted from 1.")
            }
        }

        private func validateInput() throws(ACCAudioRecorderError) {
            guard !inputs.isEmpty else {
                throw Self.refusal("nothing", cause: "there is no input", remedy: "Name one.")
            }
            guard inputs.count == Set(inputs.map(\.name)).count else {
                throw Self.refusal("an input twice", cause: "it would be the same", remedy: "Name each input once.")
            }
            guard inputs.count == 1 || !interruptions.followsDefault else {
                throw Self.refusal(
                    "several inputs", cause: "they do not follow the default source", remedy: "Leave that out.")
            }
            for input in inputs { try validate(input) }
            for (input, settings) in inputSettings {
                guard inputs.count > 1, inputs.contains(input) else {
                    throw Self.refusal(
                        "with settings of '\(input.name)'",
                        cause: inputs.count == 1 ? "there is one input only" : "it is not recorded",
                        remedy: "Set them for one of several inputs.")
                }
                try settings.validate(for: input)
            }
        }

        private func validate(_ input: RecordingInput) throws(ACCAudioRecorderError) {
            guard let application = input.application else { return }
            let (cause, remedy): (String, String)
            if application.allSatisfy(\.isWhitespace) {
                (cause, remedy) = ("it has no name", "Name one that plays.")
            } else if captureAPI == .simple {
                (cause, remedy) = ("the simple API cannot", "Use the asynchronous API.")
            } else if interruptions.followsDefault {
                (cause, remedy) = ("it does not follow the default source", "Leave that out.")
            } else if interruptions.onDisconnect == .fallback {
                (cause, remedy) = ("no other source can take its place", "Let the recording wait, stop or discard.")
            } else {
                return
            }
            throw Self.refusal("the application '\(application)'", cause: cause, remedy: remedy)
        }

        /// What lists the sources and captures them.
        var backend: any CaptureBackend { PulseBackend(serverName: serverName) }

        static func refusal(
            _ what: String, cause: String = "it is out of range", remedy: String
        ) -> ACCAudioRecorderError {
            .audioFormatCreationFailed(.init(.invalidFormat, "cannot record \(what)", cause: cause, remedy: remedy))
        }
    }
}
