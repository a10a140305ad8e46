/// All that is shown of a take: what the meter draws is a function of this and of the window.
struct TakeStatus: Equatable {
    enum Phase: Equatable {
        /// The source is open, and its first frame has not come.
        case armed
        case recording
        case paused
        /// Interrupted, and why.
        case waiting(String)
        case finishing
        /// Levels are shown, and nothing is recorded.
        case metering
    }

    /// What the bottom of the meter is used for.
    enum Prompt: Equatable {
        case details, help, discardQuestion
    }

    var phase = Phase.armed
    /// In seconds, pauses excluded.
    var elapsed = 0.0
    /// When the take ends by itself, in seconds.
    var limit: Double?
    var channels: [ChannelStatus] = []
    var clippedCount = 0
    var gapCount = 0
    /// How much is missing, in seconds.
    var secondsLost = 0.0
    var markCount = 0
    /// The file's name; nil where there is none.
    var file: String?
    /// Its size in bytes.
    var byteCount: Int?
    /// How much more the disk holds, in seconds.
    var room: Double?
    var source = ""
    var sourceFormat = ""
    /// Nil where nothing is recorded.
    var outputFormat: String?
    var prompt = Prompt.details
    /// Whether keys are read.
    var hasKeys = false
}
