import FoundationEssentials

extension ACCAudioRecorder {
    /// The properties that a recording can take from its source instead of from its configuration.
    public typealias NativeProperties = SourceProperties

    /// What a recorder records. The session mode decides what is not set, also if it is set later. What is set last
    /// counts: a rate after a mode that takes it from the source, as well as a property that is taken from the source after
    /// a rate. The result for a source is told by ``RecordingEvent/started(_:_:)``.
    public struct Configuration: Sendable, Hashable {
        /// The valid sample rates, in Hz.
        public static let sampleRates =
            Double(StreamFormat.sampleRates.lowerBound)...Double(StreamFormat.sampleRates.upperBound)
        /// The valid channel counts.
        public static let channelCounts: ClosedRange<UInt32> =
            UInt32(StreamFormat.channelCounts.lowerBound)...UInt32(StreamFormat.channelCounts.upperBound)
        /// The valid buffer sizes, in frames.
        public static let bufferSizes: ClosedRange<UInt32> = 16...65_536

        /// The sample rate in Hz, a whole number; by default the mode's (44,100 in mode `default`). Means nothing while
        /// ``native`` has it.
        public var sampleRate: Double {
            get { formatSettings.sampleRate.value ?? audioSessionMode.sampleRate }
            set { formatSettings.sampleRate = .given(newValue) }
        }
        /// Samples per frame; by default the number of selected channels, or else the mode's (1 in mode `default`). Means
        /// nothing while ``native`` has it.
        public var channelCount: UInt32 {
            get { formatSettings.channelCount.value ?? audioSessionMode.channelCount }
            set { formatSettings.channelCount = .given(newValue) }
        }
        /// The encoding of outputs that have none of their own; by default the mode's (`s16` in mode `default`). Means
        /// nothing while ``native`` has it.
        public var encoding: SampleEncoding {
            get { formatSettings.encoding.value ?? audioSessionMode.encoding }
            set { formatSettings.encoding = .given(newValue) }
        }
        /// The channels of the source to capture, in this order, counted from 1; empty for all.
        public var selectedChannels: [Int]
        /// The positions of the captured channels, one for each, for a source that states none or wrong ones. They
        /// decide how channels are mixed to another count, and are written to files.
        public var channelMap: ChannelMap?
        /// The properties taken from the source when a recording starts, instead of from this configuration: by default
        /// the mode's, and the channels if any are selected. Setting it changes only the properties that differ.
        public var native: NativeProperties {
            get { effectiveFormat.native }
            set {
                let others = FormatSettings(
                    sampleRate: .given(sampleRate), channelCount: .given(channelCount), encoding: .given(encoding))
                formatSettings.setNative(newValue, from: native, else: others)
            }
        }
        /// The rate, channels and encoding, as far as they are set.
        package var formatSettings = FormatSettings()
        /// The quality of sample rate conversion; by default the mode's.
        public var resamplerQuality: ResamplerQuality {
            get { givenQuality ?? audioSessionMode.resamplerQuality }
            set { givenQuality = newValue }
        }
        private var givenQuality: ResamplerQuality?
        /// Frames per buffer, as a hint: the last buffer is shorter, and so may be one after a change of rate. By
        /// default the mode's (4096 in mode `default`).
        public var bufferSize: UInt32 {
            get { givenBufferSize ?? audioSessionMode.bufferSize }
            set { givenBufferSize = newValue }
        }
        private var givenBufferSize: UInt32?
        /// The purpose of the recording.
        public var audioSessionMode: AudioSessionMode
        /// What the recording does when it is interrupted.
        public var interruptions: InterruptionPolicy
        /// When the recording continues in new files by itself; by default never.
        public var splitting: SplittingPolicy
        /// How the recording follows the sound of its source; nil, the default, if it does not.
        public var sound: SoundPolicy?
        /// The server, as libpulse names servers (`unix:/path`, `tcp:host:port`); nil for libpulse's default:
        /// `PULSE_SERVER`, then the user's session.
        public var serverName: String?
        /// What is recorded; by default the source that `PULSE_SOURCE` specifies, or else the server's default.
        public var input: RecordingInput
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
        public var reservedPaths: [String]
        /// The complete files that a program still needs; `SplittingPolicy.filesKept` leaves them.
        package var heldFiles: HeldFiles?
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
        public var programName: String
        /// The program's version, which is written to files if given.
        public var programVersion: String?

        /// Creates a configuration. Its ranges are checked when a recording starts. The mode decides what is nil; `native`
        /// overrides the other arguments, and `input` overrides `sourceName`.
        public init(
            sampleRate: Double? = nil, channelCount: UInt32? = nil, bufferSize: UInt32? = nil,
            audioSessionMode: AudioSessionMode = .default, native: NativeProperties? = nil,
            encoding: SampleEncoding? = nil, resamplerQuality: ResamplerQuality? = nil, selectedChannels: [Int] = [],
            channelMap: ChannelMap? = nil,
            sourceName: String? = nil, serverName: String? = nil, interruptions: InterruptionPolicy = .init(),
            splitting: SplittingPolicy = .init(), sound: SoundPolicy? = nil, reservedPaths: [String] = [],
            allowsBluetooth: Bool = false,
            allowsMonitor: Bool = false, captureAPI: CaptureAPI = .asynchronous, keepsCycle: Bool = false,
            programName: String? = nil, programVersion: String? = nil, input: RecordingInput? = nil
        ) {
            givenQuality = resamplerQuality
            self.selectedChannels = selectedChannels
            self.channelMap = channelMap
            givenBufferSize = bufferSize
            self.audioSessionMode = audioSessionMode
            self.interruptions = interruptions
            self.splitting = splitting
            self.sound = sound
            self.reservedPaths = reservedPaths
            self.input = input ?? .source(sourceName)
            self.serverName = serverName
            self.allowsBluetooth = allowsBluetooth
            self.allowsMonitor = allowsMonitor
            self.captureAPI = captureAPI
            self.keepsCycle = keepsCycle
            self.programName = programName ?? ProcessInfo.processInfo.processName
            self.programVersion = programVersion
            formatSettings.sampleRate.value = sampleRate
            formatSettings.channelCount.value = channelCount
            formatSettings.encoding.value = encoding
            if let native { self.native = native }
        }

        /// What is compared: the values in effect, given or not. A new property belongs here.
        private var values: [AnyHashable] {
            [
                sampleRate, channelCount, encoding, native, resamplerQuality, bufferSize, selectedChannels, channelMap,
                audioSessionMode, interruptions, splitting, sound, serverName, input, reservedPaths,
                heldFiles,
                allowsBluetooth, allowsMonitor, captureAPI, keepsCycle, programName, programVersion,
            ]
        }

        /// Whether both record alike. A mode that is set afterwards may still make a difference: it decides what was
        /// not given.
        public static func == (one: Self, other: Self) -> Bool { one.values == other.values }

        /// Hashes the values in effect.
        public func hash(into hasher: inout Hasher) { hasher.combine(values) }

        /// The properties of the stream at the server.
        var streamProperties: [String: String] {
            let steady = keepsCycle ? ["node.lock-quantum": "true"] : [:]
            return audioSessionMode.streamProperties.merging(steady) { $1 }
        }

        /// What the recording does when another program's call begins.
        var onCall: InterruptionPolicy.CallBehavior { interruptions.onCall ?? audioSessionMode.onCall }

        /// The number of buffers kept for a subscriber that does not read: half a minute.
        ///
        /// - Parameter preRoll: The length in seconds of what comes all at once at the beginning.
        func buffersKeptForASubscriber(preRoll: Double = 0) -> Int {
            max(Int((30 + preRoll) * sampleRate / Double(bufferSize)), 8)
        }

        /// This configuration with an output's own settings applied.
        public func applying(_ output: RecordingOutput) -> Configuration {
            var configuration = self
            configuration.formatSettings = output.formatSettings.or(formatSettings)
            return configuration
        }

        /// The format settings, with the mode's for what is not set. As many channels are recorded as are selected.
        package var effectiveFormat: FormatSettings {
            var inherited = audioSessionMode.format
            if !selectedChannels.isEmpty { inherited.channelCount = .native }
            return formatSettings.or(inherited)
        }

        /// The captured format of a source: its rate, and the channels that are recorded.
        func capturedForm(of source: AudioSource) throws(ACCAudioRecorderError) -> StreamFormat {
            guard StreamFormat.sampleRates.contains(source.sampleSpec.sampleRate) else {
                throw Self.refusal(
                    "'\(source.name)' at \(source.sampleSpec.sampleRate) Hz",
                    remedy: "Set its rate at the server, from 8000 to 384000 Hz.")
            }
            let all = source.channelMap
            if let missing = selectedChannels.first(where: { $0 > all.channelCount }) {
                throw Self.refusal(
                    "channel \(missing) of '\(source.name)'",
                    cause: "it has only \(all.channelCount) channel\(all.channelCount == 1 ? "" : "s") (\(all))",
                    remedy: all.channelCount == 1 ? "Select channel 1." : "Select from 1 to \(all.channelCount).")
            }
            let selected =
                selectedChannels.isEmpty ? all : ChannelMap(selectedChannels.map { all.positions[$0 - 1] })
            if let channelMap, channelMap.channelCount != selected.channelCount {
                throw Self.refusal(
                    "\(selected.channelCount) channels of '\(source.name)' as \(channelMap)",
                    cause: "the map has \(channelMap.channelCount) position\(channelMap.channelCount == 1 ? "" : "s")",
                    remedy: "Give one position for each captured channel, or select as many channels.")
            }
            return StreamFormat(sampleRate: source.sampleSpec.sampleRate, channelMap: channelMap ?? selected)
        }

        /// This configuration with the rate and channels taken from the source filled in.
        func resolved(for captured: StreamFormat) -> Configuration {
            var configuration = self
            if native.contains(.sampleRate) { configuration.sampleRate = Double(captured.sampleRate) }
            if native.contains(.channelCount) { configuration.channelCount = UInt32(captured.channelCount) }
            return configuration
        }

        /// The format of the recording's frames after conversion from the captured format.
        func form(from captured: StreamFormat) -> StreamFormat { effectiveFormat.form(from: captured) }

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
            guard selectedChannels.count <= 32, selectedChannels.allSatisfy({ (1...32).contains($0) }) else {
                throw Self.refusal(
                    "channels \(selectedChannels.map(String.init).joined(separator: ","))",
                    remedy: "Select up to 32 channels, counted from 1.")
            }
            try validateInput()
            try splitting.validate()
            try sound?.validate()
        }

        private func validateInput() throws(ACCAudioRecorderError) {
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

        private static func refusal(
            _ what: String, cause: String = "it is out of range", remedy: String
        ) -> ACCAudioRecorderError {
            .audioFormatCreationFailed(.init(.invalidFormat, "cannot record \(what)", cause: cause, remedy: remedy))
        }
    }
}
