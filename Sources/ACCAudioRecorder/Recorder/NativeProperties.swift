extension ACCAudioRecorder {
    /// What a recording may take from its source instead of from its configuration.
    public struct NativeProperties: OptionSet, Sendable, Hashable {
        /// The source's rate.
        public static let sampleRate = NativeProperties(rawValue: 1)
        /// The source's channels.
        public static let channelCount = NativeProperties(rawValue: 2)

        /// One bit a property.
        public let rawValue: Int

        /// The properties of the given bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }
    }
}
