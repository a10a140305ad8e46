/// The state of a take as displayed. The meter is a function of this and of the window's size.
struct TakeStatus: Equatable {
    enum Phase: Equatable {
        /// The take begins in so many seconds, at a time of day.
        case scheduled(seconds: Int, time: String)
        /// The take waits to be started, and its source, if it is there, is open: the take begins with the newest audio
        /// of this length in seconds.
        case ready(keeping: Double, hasSource: Bool)
        /// The source is open, but the first frame has not arrived.
        case armed
        case recording
        /// The source is silent, and its audio is left out.
        case silent
        case paused
        case waiting(InterruptionText)
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
    /// Empty before the first levels.
    var channels: [ChannelStatus] = []
    /// The names of the channels; empty before the source is known.
    var labels: [String] = []
    /// Why the source of a take that is paused, listens or has not begun delivers no levels; nil if it does, or nothing is known
    /// about it.
    var sourceInterruption: InterruptionText?
    /// Whether the source is muted.
    var isMuted = false
    /// The level of the sound that an armed take begins with, in dBFS; nil if it does not wait for a sound.
    var soundLevel: Double?
    /// Whether all samples have been zero for a while.
    var isSilent = false
    /// Samples at full scale since the take began or the display was reset.
    var clippedCount = 0
    var gapCount = 0
    /// The total duration of gaps, in seconds.
    var secondsLost = 0.0
    var markCount = 0
    /// What is removed if the take is discarded.
    var discarding = DiscardText()
    /// The file's name, known before the take unless it has placeholders; nil if the take is not written to a file.
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

    /// Whether there is something that keys can pause, mark, split or discard.
    var hasTake: Bool {
        switch phase {
        case .scheduled, .ready, .metering, .playing, .playbackPaused: false
        case .armed, .recording, .silent, .paused, .waiting, .finishing: true
        }
    }

    /// Whether the take waits for the user to start it.
    var isReady: Bool {
        if case .ready = phase { true } else { false }
    }

    /// Whether the levels are those of a source that is not being recorded at the moment.
    var levelsAreUnrecorded: Bool {
        switch phase {
        case .scheduled, .ready, .silent, .paused: true
        case .armed, .recording, .waiting, .finishing, .metering, .playing, .playbackPaused: false
        }
    }

    /// The channels to show; without levels before the first ones.
    var shownChannels: [ChannelStatus] {
        channels.isEmpty ? labels.map { _ in ChannelStatus() } : channels
    }

    /// A name for each of the channels to show.
    var shownLabels: [String] {
        if channels.isEmpty || labels.count == channels.count { return labels }
        return channels.count == 1 ? [""] : channels.indices.map { "\($0 + 1)" }
    }
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
