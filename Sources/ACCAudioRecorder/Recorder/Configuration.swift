extension ACCAudioRecorder {
    /// What a recorder records. Whatever is left out, the session mode decides.
    public struct Configuration: Sendable, Hashable {
        /// The rates that can be asked for, in Hz.
        public static let sampleRates: ClosedRange<Double> = 8_000...384_000
        /// The channel counts that can be asked for.
        public static let channelCounts: ClosedRange<UInt32> = 1...32
        /// The buffer sizes that can be asked for, in frames.
        public static let bufferSizes: ClosedRange<UInt32> = 16...65_536

        /// Frames a second, in Hz, a whole number; by default the mode's (44,100 in mode `default`).
        public var sampleRate: Double
        /// Samples in a frame; by default as many as are selected, or else the mode's (1 in mode `default`).
        public var channelCount: UInt32
        /// The channels of the source that are captured, in this order, counted from 1; empty for all.
        public var selectedChannels: [Int]
        /// What the captured channels are, where the source does not say it, or says it wrongly: as many positions
        /// as channels are captured. Decides how they are mixed to another number, and is written to files.
        public var channelMap: ChannelMap?
        /// What is taken from the source instead, when a recording starts.
        public var native: NativeProperties
        /// How well the rate is converted where the source has another; by default the mode's.
        public var resamplerQuality: ResamplerQuality
        /// Frames in a buffer, a hint: the last one is shorter, and one may be after a change of rate. By default the
        /// mode's (4096 in mode `default`).
        public var bufferSize: UInt32
        /// What the recording is for.
        public var audioSessionMode: AudioSessionMode
        /// What the recording does when it is interrupted.
        public var interruptions: InterruptionPolicy
        /// When the recording goes on in new files by itself; by default never.
        public var splitting: SplittingPolicy
        /// The server, as libpulse names servers (`unix:/path`, `tcp:host:port`); nil for the one that libpulse's
        /// own rules find: `PULSE_SERVER`, then the user's session.
        public var serverName: String?
        /// The source: its name; `@DEFAULT_SOURCE@` or `@DEFAULT_MONITOR@`; the server's number for it; or a part of
        /// its name or its description, in any case, that fits no other source. A monitor is found by a part only
        /// where nothing else fits.
        ///
        /// Nil for what `PULSE_SOURCE` names in the same way; or else the server's default, unless that is not
        /// allowed or not plugged in; or else the best of the others: plugged in before not, microphones before
        /// filters, and in the order of ``SourceKind``.
        public var sourceName: String?
        /// Whether a Bluetooth microphone may be taken where no source is named. Recording from it takes what the
        /// headset plays to telephone quality.
        public var allowsBluetooth: Bool
        /// Whether a monitor, which is what the desktop plays, may be taken where no source is named.
        public var allowsMonitor: Bool

        /// A configuration; its ranges are checked when a recording starts.
        public init(
            sampleRate: Double? = nil, channelCount: UInt32? = nil, bufferSize: UInt32? = nil,
            audioSessionMode: AudioSessionMode = .default, native: NativeProperties? = nil,
            resamplerQuality: ResamplerQuality? = nil, selectedChannels: [Int] = [], channelMap: ChannelMap? = nil,
            sourceName: String? = nil, serverName: String? = nil, interruptions: InterruptionPolicy = .init(),
            splitting: SplittingPolicy = .init(), allowsBluetooth: Bool = false, allowsMonitor: Bool = false
        ) {
            var left = audioSessionMode.native
            if sampleRate != nil { left.remove(.sampleRate) }
            if channelCount != nil {
                left.remove(.channelCount)
            } else if !selectedChannels.isEmpty {
                left.insert(.channelCount)
            }
            self.native = native ?? left
            self.resamplerQuality = resamplerQuality ?? audioSessionMode.resamplerQuality
            self.sampleRate = sampleRate ?? audioSessionMode.sampleRate
            self.channelCount = channelCount ?? audioSessionMode.channelCount
            self.selectedChannels = selectedChannels
            self.channelMap = channelMap
            self.bufferSize = bufferSize ?? audioSessionMode.bufferSize
            self.audioSessionMode = audioSessionMode
            self.interruptions = interruptions
            self.splitting = splitting
            self.sourceName = sourceName
            self.serverName = serverName
            self.allowsBluetooth = allowsBluetooth
            self.allowsMonitor = allowsMonitor
        }

        /// Whether a call of another program pauses the recording.
        var pausesForCalls: Bool { (interruptions.onCall ?? audioSessionMode.onCall) == .pause }

        /// How many buffers wait for a subscriber that does not read: half a minute of them.
        var buffersKeptForASubscriber: Int {
            max(Int(30 * sampleRate / Double(bufferSize)), 8)
        }

        /// The configuration of a recording of which an output has what it names itself.
        public func applying(_ output: RecordingOutput) -> Configuration {
            var configuration = self
            configuration.native.formUnion(output.native)
            configuration.sampleRate = output.sampleRate ?? sampleRate
            configuration.channelCount = output.channelCount ?? channelCount
            if output.sampleRate != nil { configuration.native.remove(.sampleRate) }
            if output.channelCount != nil { configuration.native.remove(.channelCount) }
            return configuration
        }

        /// What is captured of a source: its rate, and those of its channels that are recorded.
        func capturedForm(of source: AudioSource) throws(ACCAudioRecorderError) -> FrameForm {
            let all = source.channelMap
            if let missing = selectedChannels.first(where: { $0 > all.channelCount }) {
                throw Self.refusal(
                    "channel \(missing) of '\(source.name)'", cause: "it has \(all.channelCount): \(all)",
                    remedy: "Select from 1 to \(all.channelCount).")
            }
            let selected =
                selectedChannels.isEmpty ? all : ChannelMap(selectedChannels.map { all.positions[$0 - 1] })
            if let channelMap, channelMap.channelCount != selected.channelCount {
                throw Self.refusal(
                    "\(selected.channelCount) channels of '\(source.name)' as \(channelMap)",
                    cause: "those are \(channelMap.channelCount) names",
                    remedy: "Give one name for each captured channel, or select as many channels.")
            }
            return FrameForm(sampleRate: source.sampleSpec.sampleRate, channelMap: channelMap ?? selected)
        }

        /// The configuration with what is left to the source filled in.
        func resolved(for captured: FrameForm) -> Configuration {
            var configuration = self
            if native.contains(.sampleRate) { configuration.sampleRate = Double(captured.sampleRate) }
            if native.contains(.channelCount) { configuration.channelCount = UInt32(captured.channelCount) }
            configuration.native = []
            return configuration
        }

        /// What frames are like in the end.
        ///
        /// - Parameter captured: What they are like before; nil where that is not known yet. Channels keep their
        ///   positions where their number stays.
        func outputForm(from captured: FrameForm?) -> FrameForm {
            let count = Int(channelCount)
            let map = captured.flatMap { $0.channelCount == count ? $0.channelMap : nil }
            return FrameForm(
                sampleRate: Int(sampleRate), channelMap: map ?? .standard(channelCount: count))
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
                    "with an interruption time-out of \(interruptions.timeout) s", remedy: "Choose one from 0 on.")
            }
            guard selectedChannels.count <= 32, selectedChannels.allSatisfy({ (1...32).contains($0) }) else {
                throw Self.refusal(
                    "channels \(selectedChannels.map(String.init).joined(separator: ","))",
                    remedy: "Select up to 32 channels, counted from 1.")
            }
            try splitting.validate()
        }

        private static func refusal(
            _ what: String, cause: String = "it is out of range", remedy: String
        ) -> ACCAudioRecorderError {
            .audioFormatCreationFailed(.init(.invalidFormat, "cannot record \(what)", cause: cause, remedy: remedy))
        }
    }
}
