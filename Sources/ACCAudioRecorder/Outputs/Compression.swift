/// How hard a container that compresses does so.
public enum Compression: Sendable, Hashable {
    /// A level, from 0 for the largest file on: more makes it smaller. What levels there are `Container.compressionLevels`
    /// says. FLAC takes longer for it, and loses nothing; in Vorbis it is quality 10 − level, in MP3 the level of variable
    /// bit rate (V0 to V9), and in Opus a target of 256 − 25 × level kbit/s for each channel.
    case level(Int)
    /// Kilobits a second, for all channels together: in MP3 exactly this, constantly; in Opus a target, which the mean of
    /// a file comes close to. `Container.bitRates(sampleRate:channelCount:)` says which there are.
    case bitRate(Int)
}
