/// The sample rate and channels of a stream, however its samples are stored.
struct StreamFormat: Hashable {
    /// The valid sample rates, in Hz.
    static let sampleRates = 8_000...384_000
    /// The valid channel counts, which are PulseAudio's.
    static let channelCounts = 1...32

    /// The sample rate in Hz.
    let sampleRate: Int
    /// The position of each sample in a frame.
    let channelMap: ChannelMap

    /// Samples per frame.
    var channelCount: Int { channelMap.channelCount }

    /// The number of frames in a time; `.max` if that is too large to represent.
    func frames(in seconds: Double) -> Int {
        let frames = (seconds * Double(sampleRate)).rounded()
        return frames < 0x1p62 ? max(Int(frames), 0) : .max
    }
}
