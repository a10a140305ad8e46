/// The rate and channel count of an output.
struct OutputForm: Hashable {
    /// Frames a second, in Hz.
    let sampleRate: Int
    /// Samples in a frame.
    let channelCount: Int

    /// That of a recording whose configuration is valid.
    init(_ configuration: ACCAudioRecorder.Configuration) {
        sampleRate = Int(configuration.sampleRate)
        channelCount = Int(configuration.channelCount)
    }

    /// Frames in a length of time; `.max` for a length beyond all counting.
    func frames(in seconds: Double) -> Int {
        let frames = (seconds * Double(sampleRate)).rounded()
        return frames < 0x1p62 ? max(Int(frames), 0) : .max
    }
}
