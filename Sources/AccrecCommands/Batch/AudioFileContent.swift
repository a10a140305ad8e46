import CSndFile

/// What an audio file holds, as libsndfile finds it there.
struct AudioFileContent {
    let frameCount: Int
    let sampleRate: Int
    let channelCount: Int

    /// Opens the file, and reads its last frame, so that no header is believed of a file that was cut off. Nil where there
    /// is none, or it is none that can be read.
    init?(path: String) {
        var info = SF_INFO()
        guard let file = sf_open(path, Int32(SFM_READ), &info) else { return nil }
        defer { sf_close(file) }
        guard info.frames > 0, info.channels > 0 else { return nil }
        var frame = [Float](repeating: 0, count: Int(info.channels))
        guard sf_seek(file, info.frames - 1, SEEK_SET) == info.frames - 1, sf_readf_float(file, &frame, 1) == 1 else {
            return nil
        }
        frameCount = Int(info.frames)
        sampleRate = Int(info.samplerate)
        channelCount = Int(info.channels)
    }
}
