import ACCAudioRecorder

/// A recording as displayed: its state and its levels. The meter is a function of this and of the window's size.
@dynamicMemberLookup
struct RecordingStatus: Equatable {
    /// The content of the meter's bottom lines.
    enum Prompt: Equatable {
        case details, help, discardQuestion
    }

    /// Set by the recording's model alone.
    var recording = RecordingProgress()
    /// In seconds, pauses excluded; the position in a file that is played.
    var elapsed = 0.0
    /// The time limit in seconds; nil for none.
    var limit: Double?
    /// Empty before the first levels.
    var channels: [Channel] = []
    /// The names of the channels; empty before the source is known.
    var labels: [String] = []
    /// Why the source of a recording that is paused, listens or has not begun delivers no levels; nil if it does, or
    /// nothing is known about it.
    var sourceInterruption: InterruptionText?
    /// Whether the source is muted.
    var isMuted = false
    /// The level of the sound that an armed recording begins with, in dBFS; nil if it does not wait for a sound.
    var soundLevel: Double?
    /// Whether all samples have been zero for a while.
    var isSilent = false
    /// Samples at full scale since the recording began or the display was reset.
    var clippedCount = 0
    /// The highest peak since the recording began or the display was reset, in dBFS.
    var highestPeak = DecibelText.silence
    /// The loudness of the recording so far; nil before the first levels.
    var loudness: RecordingLoudness?
    /// Whether the loudness is shown in place of the source and the formats.
    var showsLoudness = false
    /// The file's name, known before the recording unless it has placeholders; nil if the recording is not written to a
    /// file.
    var file: String?
    /// When the file began, in seconds since the start of the recording; nil for the first one.
    var fileStart: Double?
    /// The file's size in bytes.
    var byteCount: Int?
    /// The remaining recording time on the disk, in seconds.
    var room: Double?
    /// The source's description as the terminal can show it.
    var source = ""
    var sourceFormat = ""
    /// Nil if nothing is recorded.
    var outputFormat: String?
    var prompt = Prompt.details
    /// Whether key presses are read.
    var hasKeys = false

    /// Forgets what is of one take alone.
    mutating func reset() {
        (elapsed, clippedCount, highestPeak, loudness) = (0, 0, DecibelText.silence, nil)
        (file, fileStart, byteCount, room) = (nil, nil, nil, nil)
    }

    subscript<Value>(dynamicMember path: KeyPath<RecordingProgress, Value>) -> Value { recording[keyPath: path] }

    /// The channels to show; without levels before the first ones.
    var shownChannels: [Channel] {
        channels.isEmpty ? labels.map { _ in Channel(isMeasured: false) } : channels
    }

    /// A name for each of the channels to show.
    var shownLabels: [String] {
        if channels.isEmpty || labels.count == channels.count { return labels }
        return channels.count == 1 ? [""] : channels.indices.map { "\($0 + 1)" }
    }
}

extension RecordingStatus {
    /// The levels of a channel as displayed, in dBFS.
    struct Channel: Equatable {
        var rms = DecibelText.silence
        var peak = DecibelText.silence
        /// The held peak.
        var held = DecibelText.silence
        /// Samples at full scale since the recording began or the display was reset.
        var clippedCount = 0
        /// Whether the levels are measured ones, of which minus infinity is silence.
        var isMeasured = true
    }
}

extension RecordingStatus {
    /// A progress line for logs.
    func progressLine(_ glyphs: TerminalStyle.Glyphs) -> String {
        let held = channels.map(\.held).max() ?? DecibelText.silence
        var parts = [TimeText.progress(elapsed)]
        if let byteCount { parts.append(ByteText.short(byteCount)) }
        parts.append("peak \(DecibelText.short(held, glyphs)) dBFS")
        parts.append("\(clippedCount) clipped")
        parts.append("\(recording.gapCount) gap\(recording.gapCount == 1 ? "" : "s")")
        if showsLoudness, let loudness = loudness?.integrated {
            parts.append("\(DecibelText.short(Float(loudness), glyphs)) LUFS")
        }
        if let room { parts.append("room for \(TimeText.rough(room))") }
        return parts.joined(separator: ", ")
    }
}
