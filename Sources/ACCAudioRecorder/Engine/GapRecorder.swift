/// Records what is missing of a recording: lists it for the report, marks it in files, tells it as events, and fills it with
/// silence if requested.
///
/// Used by one thread at a time.
final class GapRecorder {
    /// What is missing after or within the frames of the recording, and what of one of several streams or inputs, in frames that
    /// are recorded.
    private(set) var gaps: [RecordingGap] = []
    private(set) var streamGaps: [RecordingGap] = []
    /// The inputs of several that are away, from where on, in frames of the recording, and why.
    private var absences: [(input: String?, position: Int, cause: RecordingGap.Cause)] = []
    private let frames: FrameRecorder
    private let settings: RecordingEngine.Settings
    private let controls: RecordingControls
    private let broadcast: RecordingBroadcast
    private let warnings: RecordingWarnings

    /// The most losses, and the most pauses, that are listed one by one; the last one in the list is the sum of all that follow.
    static let mostGaps = 4_096

    init(
        of frames: FrameRecorder, _ settings: RecordingEngine.Settings, controls: RecordingControls,
        broadcast: RecordingBroadcast, warnings: RecordingWarnings
    ) {
        self.frames = frames
        self.settings = settings
        self.controls = controls
        self.broadcast = broadcast
        self.warnings = warnings
    }

    private var frameCount: Int { frames.frameCount }
    private var form: StreamFormat { frames.form }

    /// Frames of the source that are missing in all.
    var framesLost: Int { gaps.filter(\.isLoss).reduce(0) { $0 + $1.framesLost } }

    /// Records a gap after the last frame.
    ///
    /// - Parameters:
    ///   - rate: The source's, in Hz.
    ///   - span: In how many of the latest frames, of the source, it may lie; 0 if it is after the last one.
    ///   - isAtEnd: Whether the recording ends with it; then it is in the report only, since the event of a gap says that
    ///     the recording goes on.
    func record(
        _ seconds: Double, _ cause: RecordingGap.Cause, atRate rate: Int, within span: Int = 0, isAtEnd: Bool = false
    ) {
        let policies = settings.policies
        let rate = Double(rate)
        let gap = RecordingGap(
            position: frameCount, span: form.frames(in: Double(span) / rate),
            framesLost: Int((seconds * rate).rounded()), sampleRate: rate, recordedRate: Double(form.sampleRate),
            cause: cause, isFilled: policies.interruptions.fillsGaps && cause != .silence)
        let isListed = Self.list(gap, in: &gaps)
        frames.observer.breakOff()
        if !isAtEnd { broadcast.events.send(.gap(gap)) }
        // A pause between two files is in neither of them.
        let isMarked = gap.isLoss ? isListed : policies.soundActivation?.pauses == .join
        frames.add(gap, isMarked: isMarked)
        // The clock of host times stops while the machine sleeps.
        if gap.isFilled { frames.recordSilence(seconds, isTimeStill: cause == .sleep) }
    }

    /// Reports and marks that one of several streams, or inputs, is missing in frames that are recorded.
    ///
    /// - Parameter end: Its next frame, in frames of the source after the last one that was recorded.
    func record(_ part: GatedTimeline.MissingPart, endingAt end: Int, of source: AudioSource) {
        let rate = source.sampleSpec.sampleRate
        let loss = InputLoss(tag: part.tag)
        let input = settings.inputNames.indices.contains(loss.input) ? settings.inputNames[loss.input] : nil
        let distance = form.frames(in: Double(abs(end)) / rate)
        let position = max(end < 0 ? frameCount - distance : frameCount + distance, 0)
        absences.removeAll { $0.input == input }
        if loss.isOpen { return absences.append((input, position, loss.cause)) }
        // What was missing before the first frame of the recording, or after the last one, is not missing from it.
        let last = min(position, form.frames(in: controls.limit))
        let after = Int((Double(position - last) / Double(form.sampleRate) * rate).rounded())
        let gap = RecordingGap(
            position: last, framesLost: part.frames - after, sampleRate: rate, recordedRate: Double(form.sampleRate),
            cause: loss.cause, input: input)
        // But the server may have rendered what an application played first before it could be captured.
        let isBeginning = input == nil && end == 0 && frameCount == 0
        guard gap.framesLost > 0, gap.position > 0 || isBeginning else { return }
        guard Self.list(gap, in: &streamGaps) else { return }
        let missing = "missing for \(GapLabel.length(gap.length.seconds)) before"
        if let input {
            broadcast.events.send(.gap(gap))
            frames.add(gap, isMarked: false)
            return frames.schedule("\(input) \(missing)", at: gap.position)
        }
        warnings.send(.streamMissing(source.name, length: gap.length, offset: gap.offset))
        frames.schedule("one stream \(missing)", at: gap.position)
        // Within the last frame of the missing part, so that a cut before or after that does not come between.
        let lastFrame = max(Double(gap.position) - 0.5, 0)
        frames.add(TimelineAction(kind: .processing(.streamMissing), seconds: lastFrame / Double(form.sampleRate)))
    }

    /// The channels of the inputs that are away, counted from 1.
    func absentChannels(of source: AudioSource) -> [Int] {
        zip(settings.inputNames, source.parts ?? []).flatMap { name, part in
            absences.contains { $0.input == name } ? part.channels : []
        }
    }

    /// Lists the inputs that are away at the end of a segment, as gaps until there.
    func endSegment(of source: AudioSource) {
        for absence in absences where absence.position < frameCount {
            let seconds = Double(frameCount - absence.position) / Double(form.sampleRate)
            let rate = source.sampleSpec.sampleRate
            _ = Self.list(
                RecordingGap(
                    position: frameCount, framesLost: Int((seconds * rate).rounded()), sampleRate: rate,
                    recordedRate: Double(form.sampleRate), cause: absence.cause, input: absence.input), in: &streamGaps)
        }
        absences = []
    }

    /// Adds a gap to a list; true if it is listed by itself.
    static func list(_ gap: RecordingGap, in gaps: inout [RecordingGap]) -> Bool {
        let isAlike = { (other: RecordingGap) in other.isLoss == gap.isLoss }
        guard gaps.count(where: isAlike) >= mostGaps, let last = gaps.lastIndex(where: isAlike) else {
            gaps.append(gap)
            return true
        }
        // The list stays in order.
        gaps.append(gaps.remove(at: last).joined(with: gap))
        return false
    }
}
