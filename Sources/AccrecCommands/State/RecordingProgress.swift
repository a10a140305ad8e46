import ACCAudioRecorder
import Glibc
import Synchronization

/// The state of a recording, or of the playback of a file.
struct RecordingProgress: Equatable {
    enum Phase: Equatable {
        /// The recording begins in so many seconds, at a time of day.
        case scheduled(seconds: Int, time: String)
        /// The recording waits to be started, and its source, if it is there, is open: the recording begins with the newest
        /// audio of this length in seconds.
        case ready(keeping: Double, hasSource: Bool)
        /// The source is open, but the first frame has not arrived.
        case armed
        /// Several sources are recorded, and not aligned yet: their frames come later.
        case aligning
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
    }

    /// A file of the recording.
    struct File: Equatable {
        let path: String
        /// Whether it is complete, and there is no next one yet.
        var isComplete = false
    }

    /// The takes of a recorder that is armed again after each.
    struct Takes: Equatable {
        /// The number of the current take, or of the last one; 0 before the first.
        var number = 0
        /// The length of the last one in seconds; nil before its end.
        var lastLength: Double?
    }

    var phase: Phase
    /// Nil for a recording alone.
    private(set) var takes: Takes?
    /// Incremented with each change to a phase with levels of its own, or none.
    private(set) var stretch = 0
    /// The source's description; empty before the source is known.
    var source = ""
    /// Whether the recording has had a frame.
    private(set) var hasBegun = false
    var gapCount = 0
    /// The total duration of gaps, in seconds.
    var secondsLost = 0.0
    var markCount = 0
    /// Whether the file that is played has markers.
    var hasMarkers = false
    /// The names of the inputs that are away, of several that are recorded.
    private(set) var awayInputs: [String] = []
    /// The name of each input, by that of its source.
    private var inputNames: [String: String] = [:]
    /// What is removed if the recording is discarded.
    var discarding: DiscardText
    /// The newest file of the output that was opened first; nil before it is opened.
    private(set) var file: File?
    /// The phase until the first levels.
    private let phaseBeforeWork: Phase
    /// The phase while there are levels.
    private let phaseAtWork: Phase
    /// How long an interruption may last; nil if that has no limit.
    private let longestWait: Duration?

    /// - Parameters:
    ///   - outputs: Empty if nothing is recorded.
    ///   - longestWait: How long an interruption may last; nil if that has no limit.
    ///   - alignsSources: Whether several sources are recorded.
    ///   - isPlayback: Whether a file is played.
    ///   - hasTakes: Whether the recorder is armed again after each take.
    init(
        outputs: [RecordingOutput] = [], longestWait: Duration? = nil, alignsSources: Bool = false,
        isPlayback: Bool = false, hasTakes: Bool = false
    ) {
        takes = hasTakes ? Takes() : nil
        phaseBeforeWork = alignsSources ? .aligning : .armed
        phase = phaseBeforeWork
        phaseAtWork = isPlayback ? .playing : outputs.isEmpty ? .metering : .recording
        discarding = DiscardText(outputCount: outputs.count { !$0.destination.isStream })
        self.longestWait = longestWait
    }

    /// Changes to a phase with levels of its own, or none.
    mutating func begin(_ phase: Phase) {
        self.phase = phase
        stretch += 1
    }

    /// Notes that the recording has been started.
    mutating func start() {
        takes?.number += 1
        begin(phaseBeforeWork)
    }

    /// Forgets the take that has ended, of which only its number and length count while the next one is awaited.
    ///
    /// - Parameter length: In seconds; nil if it has not begun, and so has no number.
    mutating func endTake(of length: Double?) {
        if let length { takes?.lastLength = length } else { takes?.number -= 1 }
        (gapCount, secondsLost, markCount, file) = (0, 0, 0, nil)
        (awayInputs, inputNames) = ([], [:])
        discarding = discarding.ofNext
    }

    /// Notes that there are frames.
    mutating func beginWork() {
        if phase == phaseBeforeWork { phase = phaseAtWork }
    }

    mutating func receive(_ event: RecordingEvent) {
        discarding.receive(event)
        noteInputs(event)
        switch event {
        case .started:
            hasBegun = true
            beginWork()
        case .paused: begin(.paused)
        case .interrupted(let interruption):
            begin(.waiting(InterruptionText(interruption, since: time(nil), longestWait: longestWait)))
        case .resumed: begin(phaseBeforeWork == .aligning ? .aligning : phaseAtWork)
        case .soundEnded where isAtWork: begin(.silent)
        case .soundBegan where phase == .silent: begin(phaseAtWork)
        case .gap(let gap) where gap.isLoss: addGap(of: gap.length.seconds)
        case .warning(.streamMissing(_, let length, _)): addGap(of: length.seconds)
        case .marker(let marker): markCount = marker.number
        case .fileOpened(let path, nil) where file?.isComplete != false: file = File(path: path)
        case .fileClosed(let report) where report.path == file?.path: file?.isComplete = true
        case .fileOpened(let path, let report?) where report.path == file?.path: file = File(path: path)
        default: break
        }
    }

    private mutating func noteInputs(_ event: RecordingEvent) {
        switch event {
        case .opened(_, let format) where format.inputs.count > 1:
            for input in format.inputs { inputNames[input.source.name] = input.name }
        case .deviceLost(let source):
            if let name = inputNames[source.name], !awayInputs.contains(name) { awayInputs.append(name) }
        case .warning(.inputAbsent(let name)):
            if !awayInputs.contains(name) { awayInputs.append(name) }
        case .deviceReturned(let source):
            awayInputs.removeAll { $0 == inputNames[source.name] }
        // What was missing of an input is told when it is back, also under another name.
        case .gap(let gap):
            awayInputs.removeAll { $0 == gap.input }
        default: break
        }
    }

    private mutating func addGap(of seconds: Double) {
        gapCount += 1
        secondsLost += seconds
    }
}

extension RecordingProgress {
    /// The state in one word, and what the recording waits for, as `accrec ctl status` and the service manager get them.
    ///
    /// - Parameters:
    ///   - isPaused: Whether the user has paused the recording, which the phase says a little later; nil to go by the phase.
    ///   - hasTake: Whether a take has begun, of which the phase does not know yet.
    func statement(isPaused: Bool? = nil, hasTake: Bool = false) -> (state: String, waitsFor: String?) {
        switch phase {
        case .finishing: ("finishing", nil)
        case _ where isPaused ?? (phase == .paused): ("paused", nil)
        case .scheduled(_, let time): ("scheduled", time)
        case .ready(_, hasSource: false): ("armed", "its source")
        case .armed where hasTake: ("recording", nil)
        case .ready, .armed: ("armed", nil)
        case .waiting(let interruption): ("waiting", interruption.forms.first)
        case .silent: ("silent", nil)
        case .aligning, .recording, .paused, .metering, .playing, .playbackPaused: ("recording", nil)
        }
    }

    /// Whether the recording is in the phase in which it has levels.
    var isAtWork: Bool { phase == phaseAtWork }

    /// Whether a file is played.
    var isPlayback: Bool { [phase, phaseAtWork].contains(.playing) || phase == .playbackPaused }

    /// Whether there is a recording: it has begun, and records.
    var hasRecording: Bool {
        switch phase {
        case .scheduled, .ready, .metering, .playing, .playbackPaused: false
        case .armed, .aligning, .recording, .silent, .paused, .waiting, .finishing: true
        }
    }

    /// Whether the recording waits for the user to start it.
    var isReady: Bool {
        if case .ready = phase { true } else { false }
    }

    /// Whether the levels are those of a source that is not being recorded at the moment.
    var levelsAreUnrecorded: Bool {
        switch phase {
        case .scheduled, .ready, .silent, .paused: true
        case .armed, .aligning, .recording, .waiting, .finishing, .metering, .playing, .playbackPaused: false
        }
    }
}

/// A recording while it runs: the state that its display follows, and that its controls and `accrec ctl` read and change.
final class RecordingModel: Sendable {
    private struct Content {
        var state: RecordingProgress
        var observers: [@Sendable () -> Void] = []
    }

    private let content: Mutex<Content>

    init(_ state: RecordingProgress) {
        content = Mutex(Content(state: state))
    }

    var state: RecordingProgress { content.withLock { $0.state } }

    /// Calls an action after each change, on the thread that makes the change.
    func onChange(_ action: @escaping @Sendable () -> Void) {
        content.withLock { $0.observers.append(action) }
    }

    func update(_ change: (inout RecordingProgress) -> Void) {
        let observers = content.withLock { content in
            let before = content.state
            change(&content.state)
            return content.state == before ? [] : content.observers
        }
        // After the lock is released, since the actions read the state.
        for observer in observers { observer() }
    }

    func receive(_ event: RecordingEvent) {
        update { $0.receive(event) }
    }

    /// Sets how long it is until the recording begins.
    func begins(in seconds: Double) {
        let whole = Int(seconds.rounded(.up))
        let begin = Int((ClockReading.now.wallTime + seconds).rounded())
        let time = whole < 86_400 ? TimeText.timeOfDay(of: begin) : TimeText.dateAndTime(of: begin)
        update { $0.phase = .scheduled(seconds: whole, time: time) }
    }
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
    ///   - longestWait: How long it may last; nil if that has no limit. During a call a recording waits as long as that lasts.
    init(_ interruption: RecordingInterruption, since start: Int, longestWait: Duration? = nil) {
        cause = "\(interruption)"
        since = "since \(TimeText.timeOfDay(of: start))"
        let limit = interruption == .call ? nil : longestWait?.seconds
        end = limit.map { "ends at \(TimeText.timeOfDay(of: start + Int($0.rounded(.up))))" }
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
