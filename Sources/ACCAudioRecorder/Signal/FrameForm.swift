/// What frames of samples are like, however a sample is stored: their rate and their channels.
struct FrameForm: Hashable {
    /// Frames a second, in Hz.
    let sampleRate: Int
    /// What each sample of a frame is of.
    let channelMap: ChannelMap

    /// Samples in a frame.
    var channelCount: Int { channelMap.channelCount }

    /// Frames in a length of time; `.max` for a length beyond all counting.
    func frames(in seconds: Double) -> Int {
        let frames = (seconds * Double(sampleRate)).rounded()
        return frames < 0x1p62 ? max(Int(frames), 0) : .max
    }
}
