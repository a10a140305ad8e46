import ACCAudioRecorder

/// The messages about a recording while it runs: one line for each thing a person should know.
struct RecordingMessages {
    /// Whether a marker or a new file, which somebody asked for, is reported.
    var reportsRoutine = true
    /// Where the recording came from last.
    private var source: AudioSource?
    private var hasFrames = false
    /// Whether the recording waits for the first sound of an application.
    private var isArmed = false
    /// The sources that a warning said are muted.
    private var mutedSources: Set<String> = []
    /// The sources that are muted now, whose silence is no news.
    private var silencedSources: Set<String> = []
    /// Several inputs of the recording; empty for one.
    private var inputs: [RecordedInput] = []
    private var signalText = SignalText(sampleRate: 1)
    /// The kinds and channels that were told, of what is told once.
    private var toldSignals: Set<[Int]> = []
    /// The frames at which one of several inputs came back, the last ones: each has a marker that says no more than the loss.
    private var returnFrames: [Int] = []
    /// When a gap of each output was told last, in seconds of the recording. The report has those that follow within
    /// `dropInterval`: an output that is just too slow has hundreds.
    private var toldDrops: [String: Double] = [:]
    /// The outputs that are known to drop audio, until the next gap is told.
    private var droppingOutputs: Set<String> = []
    private static let dropInterval = 10.0
    /// Why the recording waits, until it is reported that it goes on.
    private var interruption: RecordingInterruption?

    init(reportsRoutine: Bool = true) {
        self.reportsRoutine = reportsRoutine
    }

    /// The message about an event; nil where there is nothing to say.
    mutating func message(about event: RecordingEvent) -> String? {
        switch event {
        case .opened(let source, let format):
            (self.source, inputs) = (source, format.inputs)
            signalText = SignalText(sampleRate: format.sampleRate)
            return nil
        case .started:
            hasFrames = true
            return nil
        case .gap(let gap):
            if gap.input != nil { returnFrames = returnFrames.suffix(31) + [gap.position] }
            return gap.isLoss ? message(about: gap) : nil
        case .outputGap(let output, let gap):
            let name = "\(output.destination)"
            if let last = toldDrops[name], gap.offset.seconds - last < Self.dropInterval { return nil }
            toldDrops[name] = gap.offset.seconds
            droppingOutputs.remove(name)
            let length = TimeText.length(gap.length.seconds)
            return "\(length) missing in \(name): \(gap.cause) (\(gap.framesLost) frames)"
        case .deviceLost(let source): return "'\(source.description)' was unplugged"
        case .deviceReturned(let source):
            // While the recording waits for it, the message that it goes on follows.
            return interruption == nil ? "'\(source.description)' is back" : nil
        case .portChanged(let source):
            let port = source.port.map { "to '\($0)'" } ?? "to no port"
            return "'\(source.description)' switched \(port)"
                + (source.isAvailable ? "" : ", where nothing is plugged in")
        // The first time, a warning says so.
        case .muted(let source):
            silencedSources.insert(source.name)
            return mutedSources.insert(source.name).inserted ? nil : "'\(source.description)' is muted again"
        case .unmuted(let source):
            silencedSources.remove(source.name)
            return "'\(source.description)' is no longer muted"
        case .interrupted(let interruption):
            self.interruption = interruption
            switch interruption {
            // That the device is gone has been said.
            case .deviceLost: return nil
            case .applicationAbsent where !hasFrames:
                isArmed = true
                return source.map { "waiting for '\($0.description)' to play" }
            default: return "interrupted: \(interruption)"
            }
        case .switchFailed(let error): return ErrorText.line(error)
        case .resumed(let source): return message(aboutResuming: source)
        // A reader that closes a pipe has had enough.
        case .outputEnded(_, let error): return error.isOfReader ? nil : ErrorText.line(error)
        case .signal(let finding): return message(about: finding)
        case .warning(.outputDropping(let name, let limit)):
            let isNew = droppingOutputs.insert(name).inserted
            return isNew ? ErrorText.line(.outputDropping(name, limit: limit)) : nil
        case .warning(let warning): return ErrorText.line(warning)
        case .marker(let marker) where returnFrames.contains(marker.frame): return nil
        case .marker(let marker):
            return routine("marker '\(marker.label)' at \(TimeText.clock(marker.offset.seconds, decimals: 3))")
        case .fileOpened(let path, _?): return routine("now recording to '\(path)'; the previous file is complete")
        case .fileClosed(let report): return report.path.flatMap { routine("'\($0)' is complete") }
        case .fileRemoved(let path, let bound): return routine("removed '\(path)' (\(bound.option))")
        case .fellBack, .fileOpened, .paused, .soundBegan, .soundEnded, .brokeOff, .limit, .finished: return nil
        }
    }

    private func routine(_ message: String) -> String? { reportsRoutine ? message : nil }

    /// That a channel falls silent is told each time, all else once for each channel.
    private mutating func message(about finding: SignalFinding) -> String? {
        let muted = inputs.filter { silencedSources.contains($0.source.name) }.flatMap(\.channels)
        let isMuted = inputs.isEmpty ? !silencedSources.isEmpty : finding.channels.allSatisfy(muted.contains)
        guard !isMuted || ![.silence, .dead].contains(finding.kind) else { return nil }
        let kind = SignalFinding.Kind.allCases.firstIndex(of: finding.kind) ?? 0
        guard finding.kind == .silence || toldSignals.insert([kind] + finding.channels).inserted else { return nil }
        return signalText.message(about: finding)
    }

    /// A gap that ends an interruption says that the recording goes on.
    private mutating func message(about gap: RecordingGap) -> String {
        if let input = gap.input {
            let end = TimeText.clock(gap.offset.seconds, decimals: 3)
            return
                "'\(input)' lacks \(TimeText.length(gap.length.seconds)) before \(end): \(gap.cause) (\(gap.framesLost) frames)"
        }
        let filled = gap.isFilled ? ", filled with silence" : ""
        let text =
            "\(TimeText.length(gap.length.seconds)) missing \(gap.place): \(gap.cause) (\(gap.framesLost) frames\(filled))"
        guard case .interruption = gap.cause, interruption != nil else { return text }
        interruption = nil
        return "recording again; \(text)"
    }

    /// Where frames are missing, the message about the gap says that the recording goes on. It comes next if the source
    /// was opened again, and has come before if a suspended one delivers again.
    private mutating func message(aboutResuming source: AudioSource) -> String? {
        defer { self.source = source }
        guard let interruption else { return nil }
        if !hasFrames || isArmed || source.name != self.source?.name {
            (self.interruption, isArmed) = (nil, false)
            return "recording from '\(source.description)' (\(source.sampleSpec))"
        }
        guard [.suspended, .applicationAbsent, .applicationPaused].contains(interruption) else { return nil }
        self.interruption = nil
        return "recording again; nothing is missing"
    }
}

extension RetentionPolicy.Bound {
    /// The option that sets it.
    var option: String {
        switch self {
        case .count: "--keep-last"
        case .age: "--keep-for"
        case .size: "--keep-size"
        }
    }
}
