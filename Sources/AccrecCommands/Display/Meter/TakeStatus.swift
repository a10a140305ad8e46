import ACCAudioRecorder

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

/// An interruption in words: its cause, since when it lasts, and when it ends the recording.
struct InterruptionText: Equatable {
    private let cause: String
    /// Nil if it is not stated.
    private let since: String?
    /// Nil if it lasts as long as its cause.
    private let end: String?

    /// An interruption of which only the cause is stated.
    init(_ cause: String) {
        (self.cause, since, end) = (cause, nil, nil)
    }

    /// - Parameters:
    ///   - start: When it began, in seconds since 1970.
    ///   - longestWait: How long it may last, in seconds. During a call a recording waits as long as that lasts.
    init(_ interruption: RecordingInterruption, since start: Int, longestWait: Double = .infinity) {
        cause = "\(interruption)"
        since = "since \(TimeText.timeOfDay(of: start))"
        let hasEnd = interruption != .call && longestWait < 1e9
        end = hasEnd ? "ends at \(TimeText.timeOfDay(of: start + Int(longestWait.rounded(.up))))" : nil
    }

    /// The whole text, then the same in shorter forms, the last of which is the cause.
    var forms: [String] {
        guard let since else { return [cause] }
        guard let end else { return ["\(cause) \(since)", cause] }
        return ["\(cause) \(since), \(end)", "\(cause), \(end)", cause]
    }

    /// Since when it lasts, and when it ends the recording; then the latter alone, or the former if there is none. Empty if
    /// neither is stated.
    var times: [String] {
        guard let since else { return [] }
        return end.map { ["\(since), \($0)", $0] } ?? [since]
    }
}

/// What is removed if the user discards a take: its current files, and those that are complete.
struct DiscardText: Equatable {
    /// The number of outputs that are files.
    private let outputCount: Int
    /// The lengths in seconds of the files that are complete and still there, by path.
    private var lengths: [String: Double] = [:]
    /// The lengths in seconds of all files that were completed, and of those that are gone, of each output.
    private var completed = 0.0
    private var removed = 0.0
    /// Whether files are being written.
    private var hasCurrent = true

    init(outputCount: Int = 1) {
        self.outputCount = max(outputCount, 1)
    }

    mutating func receive(_ event: RecordingEvent) {
        switch event {
        case .newFile(_, let report): complete(report)
        case .fileCompleted(let report):
            complete(report)
            hasCurrent = false
        case .fileCreated: hasCurrent = true
        case .fileRemoved(let path): removed += (lengths.removeValue(forKey: path) ?? 0) / Double(outputCount)
        default: break
        }
    }

    private mutating func complete(_ report: OutputReport) {
        guard let path = report.path else { return }
        lengths[path] = report.duration
        completed += report.duration / Double(outputCount)
    }

    /// Whether the current files can be discarded alone.
    var offersCurrent: Bool { hasCurrent && !lengths.isEmpty }

    /// The question: what would be removed.
    ///
    /// - Parameter elapsed: The length of the take in seconds.
    func question(after elapsed: Double) -> String {
        guard !lengths.isEmpty else { return "Discard this take?" }
        let count = lengths.count + (hasCurrent ? outputCount : 0)
        return "Discard \(count) file\(count == 1 ? "" : "s"), \(TimeText.countdown(Int(max(elapsed - removed, 0))))?"
    }

    /// The answers, with their keys.
    func answers(after elapsed: Double) -> [(key: String, meaning: String)] {
        guard !lengths.isEmpty else { return [("y", "discard"), ("any other key", "keep")] }
        let current = ("c", "current one, \(TimeText.countdown(Int(max(elapsed - completed, 0))))")
        return [("y", "all")] + (offersCurrent ? [current] : []) + [("any other key", "keep")]
    }

    /// The question and its answers on one line.
    func line(after elapsed: Double) -> String {
        let answers = answers(after: elapsed).map { "\($0.key): \($0.meaning)" }
        return "\(question(after: elapsed).replacing("Discard", with: "discard")) \(answers.joined(separator: ", "))"
    }

    /// What was discarded.
    static func result(_ report: RecordingReport) -> String {
        let kept = report.outputs.map { Double($0.firstFrame + $0.frameCount) / Double($0.sampleRate) }.max() ?? 0
        let length = TimeText.clock(report.duration - kept, decimals: 3)
        guard !report.outputs.isEmpty else { return "discarded \(length)" }
        let count = report.outputs.count
        return "discarded the current file, \(length); kept \(count) file\(count == 1 ? "" : "s")"
    }
}
