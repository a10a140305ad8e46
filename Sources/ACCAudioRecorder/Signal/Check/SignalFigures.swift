/// What was measured of a signal: its loudness, and the levels of each channel.
///
/// In JSON figures are an object with the keys `frames`, `integrated`, `range`, `momentary`, `short_term`, `true_peak` and
/// `channels`. What is unknown is left out.
public struct SignalFigures: Sendable, Hashable, Codable {
    /// The levels of one channel.
    public struct Channel: Sendable, Hashable, Codable {
        /// The highest magnitude of a sample in dBFS, at least -120.
        public let peakDecibels: Double
        /// The root mean square in dBFS, where a sine of full scale has -3.01; at least -120.
        public let rmsDecibels: Double
        /// The highest magnitude between samples in dBTP (ITU-R BS.1770-5), at least -120.
        public let truePeak: Double
        /// The mean of the samples; 1 is full scale.
        public let mean: Double
        /// The level exceeded for 90 % of the time with sound, in dBFS: that of the noise between words. Nil without sound.
        public let noiseFloor: Double?
        /// The level exceeded for 10 % of the time with sound, in dBFS: that of speech. Nil without sound.
        public let speechLevel: Double?
        /// The frequency in hertz below which all but a millionth of the power lies; nil without two seconds of sound.
        public let bandwidth: Double?

        private enum CodingKeys: String, CodingKey {
            case mean, bandwidth
            case peakDecibels = "peak"
            case rmsDecibels = "rms"
            case truePeak = "true_peak"
            case noiseFloor = "noise_floor"
            case speechLevel = "speech_level"
        }
    }

    /// The number of frames.
    public let frameCount: Int
    /// The loudness of the whole signal in LUFS, gated (ITU-R BS.1770-5); nil if nothing is louder than -70 LUFS.
    public let integrated: Double?
    /// The loudness range in LU (EBU Tech 3342); nil for less than three seconds.
    public let range: Double?
    /// The highest momentary loudness in LUFS; nil for less than 400 ms, and for silence.
    public let momentary: Double?
    /// The highest short-term loudness in LUFS; nil for less than three seconds, and for silence.
    public let shortTerm: Double?
    /// Each channel, in their order.
    public let channels: [Channel]

    /// The shortest signal whose loudness is measured, in seconds.
    package static let leastLoudnessSeconds = LoudnessMeter.leastSeconds

    /// The highest true peak of all channels in dBTP, at least -120.
    public var truePeak: Double { channels.map(\.truePeak).max() ?? Double(Decibels.floor) }

    private enum CodingKeys: String, CodingKey {
        case frameCount = "frames"
        case integrated, range, momentary, channels
        case shortTerm = "short_term"
    }
}
