/// The state of a take as displayed. The meter is a function of this and of the window's size.
struct TakeStatus: Equatable {
    enum Phase: Equatable {
        /// The source is open, but the first frame has not arrived.
        case armed
        case recording
        case paused
        /// Interrupted, with the reason, since when, and when the recording would end.
        case waiting(String)
        case finishing
        /// Levels are shown but nothing is recorded.
        case metering
        /// A file is played; the time limit is its length.
        case playing, playbackPaused

        /// Whether a file is played.
        var isPlayback: Bool { self == .playing || self == .playbackPaused }
    }

    /// The content of the meter's bottom lines.
    enum Prompt: Equatable {
        case details, help, discardQuestion
    }

    var phase = Phase.armed
    /// In seconds, pauses excluded; the position in a file that is played.
    var elapsed = 0.0
    /// The time limit in seconds; nil for none.
    var limit: Double?
    var channels: [ChannelStatus] = []
    /// Samples at full scale since the take began or the display was reset.
    var clippedCount = 0
    var gapCount = 0
    /// The total duration of gaps, in seconds.
    var secondsLost = 0.0
    var markCount = 0
    /// The file's name; nil if the take is not written to a file.
    var file: String?
    /// The file's size in bytes.
    var byteCount: Int?
    /// The remaining recording time on the disk, in seconds.
    var room: Double?
    var source = ""
    var sourceFormat = ""
    /// Nil if nothing is recorded.
    var outputFormat: String?
    var prompt = Prompt.details
    /// Whether key presses are read.
    var hasKeys = false
}

/// The levels of a channel as displayed, in dBFS.
struct ChannelStatus: Equatable {
    var rms = DecibelText.silence
    var peak = DecibelText.silence
    /// The held peak.
    var held = DecibelText.silence
    /// Samples at full scale since the take began or the display was reset.
    var clippedCount = 0
}
