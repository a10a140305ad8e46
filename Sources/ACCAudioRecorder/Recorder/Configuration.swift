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
        /// Samples in a frame; by default the mode's (1 in mode `default`).
        public var channelCount: UInt32
        /// What is taken from the source instead, when a recording starts.
        public var native: NativeProperties
        /// How well the rate is converted where the source has another; by default the mode's.
        public var resamplerQuality: ResamplerQuality
        /// Frames in a buffer, a hint: the last one is shorter, and one may be after a change of rate.
        public var bufferSize: UInt32
        /// What the recording is for.
        public var audioSessionMode: AudioSessionMode
        /// The server, as libpulse names servers (`unix:/path`, `tcp:host:port`); nil for the one that libpulse's
        /// own rules find: `PULSE_SERVER`, then the user's session.
        public var serverName: String?
        /// The name of the source; nil for what `PULSE_SOURCE` names, or the server's default.
        public var sourceName: String?

        /// A configuration; its ranges are checked when a recording starts.
        public init(
            sampleRate: Double? = nil, channelCount: UInt32? = nil, bufferSize: UInt32 = 4096,
            audioSessionMode: AudioSessionMode = .default, native: NativeProperties? = nil,
            resamplerQuality: ResamplerQuality? = nil, sourceName: String? = nil, serverName: String? = nil
        ) {
            var left = audioSessionMode.native
            if sampleRate != nil { left.remove(.sampleRate) }
            if channelCount != nil { left.remove(.channelCount) }
            self.native = native ?? left
            self.resamplerQuality = resamplerQuality ?? audioSessionMode.resamplerQuality
            self.sampleRate = sampleRate ?? audioSessionMode.sampleRate
            self.channelCount = channelCount ?? audioSessionMode.channelCount
            self.bufferSize = bufferSize
            self.audioSessionMode = audioSessionMode
            self.sourceName = sourceName
            self.serverName = serverName
        }

        /// How many buffers wait for a subscriber that does not read: half a minute of them.
        var buffersKeptForASubscriber: Int {
            max(Int(30 * sampleRate / Double(bufferSize)), 8)
        }

        /// The configuration of a recording of which an output has what it names itself.
        func applying(_ output: RecordingOutput) -> Configuration {
            var configuration = self
            configuration.sampleRate = output.sampleRate ?? sampleRate
            configuration.channelCount = output.channelCount ?? channelCount
            if output.sampleRate != nil { configuration.native.remove(.sampleRate) }
            if output.channelCount != nil { configuration.native.remove(.channelCount) }
            return configuration
        }

        /// The configuration with what is left to the source filled in.
        func resolved(for source: AudioSource) -> Configuration {
            var configuration = self
            if native.contains(.sampleRate) { configuration.sampleRate = Double(source.sampleSpec.sampleRate) }
            if native.contains(.channelCount) { configuration.channelCount = UInt32(source.sampleSpec.channelCount) }
            configuration.native = []
            return configuration
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
        }

        private static func refusal(_ what: String, remedy: String) -> ACCAudioRecorderError {
            .audioFormatCreationFailed(
                .init(.invalidFormat, "cannot record \(what)", cause: "it is out of range", remedy: remedy))
        }
    }
}
