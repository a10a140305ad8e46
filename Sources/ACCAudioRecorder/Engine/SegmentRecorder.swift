/// Records a segment: what was captured between one opening of the source and its end. Takes what the ring has, and records it as
/// the intake and the noise gate decide.
///
/// Used by one thread.
struct SegmentRecorder: ~Copyable {
    /// What the next segment continues from.
    struct Carryover {
        var intake = Intake.Carryover()
        /// The state of the noise gate; nil before the first segment.
        var gate: NoiseGate.Carryover?
        /// The place in the ring after the last frame that is recorded; nil if none is.
        var endPlace: CaptureRing.Place?
        /// The number of samples that were not finite and were replaced.
        var nonFiniteCount = 0
    }

    private let ring: CaptureRing
    private let source: AudioSource
    private let captured: StreamFormat
    private let frames: FrameRecorder
    private let gaps: GapRecorder
    private let settings: RecordingEngine.Settings
    private let warnings: RecordingWarnings
    private let broadcast: RecordingBroadcast
    private let ending: EndRequest
    private let batching: WakeUpBatching
    /// Whether the recording begins with the segment.
    private let isFirst: Bool
    private var carryover: Carryover
    private var intake: Intake
    private var decoder: FragmentDecoder
    /// Leaves out what does not sound; nil if everything is recorded.
    private var sound: GatedTimeline.Measured?
    /// The number of frames that precede the recording in what is recorded next.
    private var framesToSkip = 0
    /// The time of capture with which the recording begins, as long as no frame was captured then; nil afterwards.
    private var awaitedStart: UInt64?
    /// Whether the recording has ended with a silence.
    private var isOver = false
    /// Whether the end that was asked for is reached.
    private var hasReachedEnd = false
    /// The place in the ring after the last frame that is recorded; nil before the first.
    private var place: CaptureRing.Place?

    /// Begins a segment.
    ///
    /// - Parameters:
    ///   - captured: The captured format.
    ///   - interruption: The interruption before the segment; nil at the beginning and after a pause.
    ///   - preRoll: What precedes the start of the recording, of which this is the first segment.
    ///   - ending: Ends the segment without its input.
    init(
        _ ring: CaptureRing, from source: AudioSource, as captured: StreamFormat, into frames: FrameRecorder,
        _ gaps: GapRecorder, _ settings: RecordingEngine.Settings, broadcast: RecordingBroadcast,
        warnings: RecordingWarnings, after interruption: RecordingInterruption?, preRoll: PreRoll?, ending: EndRequest,
        continuing carryover: Carryover
    ) throws(ACCAudioRecorderError) {
        let spec = source.sampleSpec
        self.ring = ring
        self.source = source
        self.captured = captured
        self.frames = frames
        self.gaps = gaps
        self.settings = settings
        self.warnings = warnings
        self.broadcast = broadcast
        self.ending = ending
        self.carryover = carryover
        isFirst = frames.startTime == nil
        batching = WakeUpBatching(ring, of: spec, longestBatch: frames.longestBatch)
        intake = Intake(
            source, fragmentFrames: ring.slotBytes / spec.bytesPerFrame, carryover: carryover.intake,
            after: interruption)
        decoder = FragmentDecoder(spec, selectedChannels: settings.selectedChannels)
        awaitedStart = isFirst ? settings.startTime : nil
        intake.awaitsStart = awaitedStart != nil
        try frames.beginSegment(of: source, conversion)
        let trigger = preRoll.map { begin($0) }
        beginGate(at: trigger ?? 0)
    }

    /// The source's, in Hz.
    private var rate: Int { source.sampleSpec.rate }

    private var conversion: Branches.Source {
        Branches.Source(captured: captured, format: source.sampleSpec.format, maximumFrames: decoder.maximumFrames)
    }

    /// Drops what precedes the pre-roll, and has its end marked.
    ///
    /// - Returns: The number of frames of the source that are recorded before the one at its end.
    private mutating func begin(_ preRoll: PreRoll) -> Int {
        let beginning = preRoll.begin(in: ring, source.sampleSpec)
        framesToSkip = beginning.skipped
        if let label = preRoll.label {
            frames.schedule(label, at: frames.form.frames(in: preRoll.length(of: beginning, source.sampleSpec)))
        }
        return beginning.kept
    }

    /// Begins to leave out what does not sound, if requested: after the frame at which the recording was started, or as
    /// before an interruption.
    private mutating func beginGate(at trigger: Int) {
        guard let activation = settings.policies.soundActivation, activation.isGate else { return }
        var gate = NoiseGate(activation, sampleRate: rate, continuing: carryover.gate)
        if carryover.gate == nil { gate.open(at: trigger) }
        sound = GatedTimeline.Measured(
            gate, activation.channels, of: source.sampleSpec, selectedChannels: settings.soundChannels,
            isOpen: carryover.gate?.isOpen ?? true)
    }

    // MARK: - From the beginning to the end

    /// Records the items of the ring until it ends or the limit is reached.
    ///
    /// - Parameters:
    ///   - missingEnd: What is missing at the end of the segment.
    ///   - report: Called when the source begins or stops delivering.
    mutating func run(
        missingEnd: Intake.MissingEnd?, report: (SourceFlow) -> Void
    ) throws(ACCAudioRecorderError) -> RecordingEngine.SegmentEnd {
        while !frames.isAtLimit {
            let state = ending.state
            let count = state == .none ? batching.fragmentCount(awaitedIn: frames.secondsUntilAwaited) : 1
            if state == .due, ring.count == 0 { hasReachedEnd = true }
            switch hasReachedEnd ? .ready : ring.wait(for: count, orUntil: { [ending] in ending.state != state }) {
            case .ready:
                frames.serveSubscribers(conversion)
                for _ in 0..<min(count, ring.count) where !frames.isAtLimit && !isOver && !hasReachedEnd {
                    try recordNext(report)
                }
                ring.serveCopies()
                frames.endBatch()
                if let failure = frames.outputFailure { return .outputsFailed(failure) }
                if isOver {
                    try frames.finishStretch()
                    return .silent
                }
                if hasReachedEnd {
                    closeIntake()
                    try frames.finishStretch()
                    return .endReached
                }
            case .idle:
                ring.serveCopies()
                if let flow = intake.idle() { report(flow) }
            case .closed:
                closeIntake()
                if let missingEnd {
                    gaps.record(
                        missingEnd.seconds, missingEnd.cause, atRate: rate, isAtEnd: !missingEnd.isBeforePause)
                }
                try frames.finishStretch()
                return frames.isAtLimit ? .limitReached : .inputEnded(ring.captureEnd)
            }
        }
        closeIntake()
        return .limitReached
    }

    /// Ends the segment, however it went.
    ///
    /// - Returns: What the next one continues from.
    mutating func end() -> Carryover {
        frames.flush()
        for part in sound?.unfinishedParts ?? [] { record(part, endingAt: 0) }
        tellAllFindings()
        let leftOut = sound?.finish() ?? 0
        if leftOut > 0 { recordPause(leftOut) }
        gaps.endSegment(of: source)
        correctStart()
        frames.endSegment()
        carryover.intake = intake.nextCarryover
        carryover.gate = sound?.carryover
        carryover.nonFiniteCount += decoder.replacedCount
        carryover.endPlace = place
        // A resampler is ahead of what it delivers, and a fragment may go on after the limit.
        carryover.endPlace?.frame -= frames.framesAhead
        return carryover
    }

    private mutating func closeIntake() {
        if let shortfall = intake.close() { record(shortfall) }
    }

    /// Only the first segment knows when the recording began.
    private func correctStart() {
        if isFirst, let start = frames.startTime { frames.correctStart(to: intake.corrected(start)) }
    }

    // MARK: - Items

    /// Records the next item, which must exist.
    private mutating func recordNext(_ report: (SourceFlow) -> Void) throws(ACCAudioRecorderError) {
        let end = ending.framesLeft(of: ring.item(0).stamp, sampleRate: rate)
        guard end > 0 else {
            hasReachedEnd = true
            return
        }
        let decisions = decisionsOnNext()
        let position = ring.position
        try ring.remove { (_, fragment) throws(ACCAudioRecorderError) in
            // Gaps after the limit are not part of the recording.
            for index in decisions.indices where index == 0 || !frames.isAtLimit && !hasReachedEnd {
                switch decisions[index] {
                case .flow(let flow):
                    report(flow)
                // What is missing before the recording begins is not missing of it.
                case .gap where awaitedStart != nil, .missing where awaitedStart != nil,
                    .partMissing where awaitedStart != nil:
                    break
                case .gap(let seconds, let cause):
                    if sound?.append(gap: seconds, cause) == nil { gaps.record(seconds, cause, atRate: rate) }
                case .missing(let shortfall):
                    record(shortfall)
                case .partMissing(let count, let endInSource, let tag):
                    let end = endInSource - framesToSkip
                    let part = GatedTimeline.MissingPart(frames: count, tag: tag)
                    let isHeld: Void? = sound?.append(part, end: max(end, 0))
                    if isHeld == nil { record(part, endingAt: end) }
                case .record(var range, var hostTime):
                    if range.upperBound >= end {
                        hasReachedEnd = true
                        range = range.clamped(to: range.lowerBound..<max(end, range.lowerBound))
                    }
                    skip(&range, &hostTime)
                    let isHeld: Void? = sound?.append(range, of: fragment, position: position, hostTime: hostTime)
                    if isHeld == nil { try record(range, of: fragment, at: position, hostTime) }
                }
            }
        }
        while !frames.isAtLimit, let decision = sound?.next() { try carryOut(decision) }
    }

    /// The intake's decisions about the next item; waits for following fragments if needed, but not if the segment ends.
    private mutating func decisionsOnNext() -> [Intake.Decision] {
        while true {
            let upcoming = ring.stamps(awaiting: intake.lookahead) { [ending] in ending.hostTime != nil }
            if let decisions = intake.decide(ring.item(0), upcoming: upcoming) { return decisions }
        }
    }

    /// Removes the first frames as long as they precede the recording.
    ///
    /// - Parameter hostTime: When the first of the frames was captured, if that is known.
    private mutating func skip(_ range: inout Range<Int>, _ hostTime: inout UInt64?) {
        if framesToSkip > 0 {
            let skipped = min(framesToSkip, range.count)
            framesToSkip -= skipped
            drop(skipped, of: &range, &hostTime)
        }
        guard let start = awaitedStart, !range.isEmpty else { return }
        // Frames without a time precede a loss, after which there is one.
        let early = hostTime.map { start > $0 ? Double(start - $0) * 1e-9 * Double(rate) : 0 } ?? .infinity
        drop(Int(min(early.rounded(.up), Double(range.count))), of: &range, &hostTime)
        if !range.isEmpty { (awaitedStart, intake.awaitsStart) = (nil, false) }
    }

    private func drop(_ count: Int, of range: inout Range<Int>, _ hostTime: inout UInt64?) {
        range = range.dropFirst(count)
        hostTime = hostTime.map { $0 + UInt64(Double(count) / Double(rate) * 1e9) }
    }

    /// Records frames of a fragment.
    ///
    /// - Parameters:
    ///   - position: The fragment's, in the ring.
    ///   - hostTime: When the first was captured; nil if they directly follow the previous ones.
    private mutating func record(
        _ range: Range<Int>, of fragment: UnsafeRawBufferPointer, at position: Int, _ hostTime: UInt64?
    ) throws(ACCAudioRecorderError) {
        guard !range.isEmpty else { return }
        place = CaptureRing.Place(position: position, frame: range.upperBound)
        frames.announce(range.count, capturedAt: hostTime)
        correctStart()
        let replacedBefore = decoder.replacedCount
        var rest = range
        while !rest.isEmpty { try frames.append(decoder.decode(&rest, of: fragment)) }
        if replacedBefore == 0, decoder.replacedCount > 0 {
            frames.record(.nonFiniteReplaced)
            warnings.send(.nonFiniteSamples(source))
        }
        tellFindings()
    }

    /// Records that one of several streams, or inputs, is missing. What was found before depends on the inputs that were away until
    /// now.
    private func record(_ part: GatedTimeline.MissingPart, endingAt end: Int) {
        tellAllFindings()
        gaps.record(part, endingAt: end, of: source)
    }

    /// Tells what is wrong with the frames recorded so far.
    private func tellAllFindings() {
        frames.observer.examineCollected()
        tellFindings()
    }

    /// Tells what is wrong with the frames that were examined.
    private func tellFindings() {
        guard frames.observer.hasNews else { return }
        for finding in frames.observer.takeNews(absent: gaps.absentChannels(of: source)) {
            broadcast.events.send(.signal(finding))
        }
        if let seconds = frames.observer.silentSeconds {
            warnings.send(.silence(length: .seconds(seconds), source: source))
        }
    }

    /// Records what is missing somewhere in the latest frames, as a gap after the last one.
    private mutating func record(_ shortfall: LossAccount.Shortfall) {
        if sound?.append(gap: shortfall.seconds, .dropped) == nil {
            gaps.record(shortfall.seconds, .dropped, atRate: rate, within: shortfall.spanFrames)
        }
    }

    // MARK: - Sounds and pauses

    private mutating func carryOut(_ decision: GatedTimeline.Decision) throws(ACCAudioRecorderError) {
        switch decision {
        case .record(let range, let position, let hostTime):
            guard ring.heldPositions.contains(position) else {
                return gaps.record(Double(range.count) / Double(rate), .overrun, atRate: rate)
            }
            try record(range, of: ring.bytes(at: position), at: position, hostTime)
        case .gap(let seconds, let cause):
            gaps.record(seconds, cause, atRate: rate)
        case .partMissing(let count, let tag):
            record(.init(frames: count, tag: tag), endingAt: 0)
        case .pause:
            try beginPause()
        case .begin(let leftOut, let onset, let hostTime):
            try endPause(of: leftOut, onset: onset, hostTime: hostTime)
        case .end:
            isOver = true
        }
    }

    private var splitsAtPauses: Bool { settings.policies.soundActivation?.pauses == .split }

    /// Ends the conversion, so that nothing of the frames before a pause gets into those after it, and completes the files
    /// of a sound.
    private func beginPause() throws(ACCAudioRecorderError) {
        try frames.finishStretch()
        frames.flush()
        broadcast.events.send(.soundEnded(frame: frames.frameCount))
        if splitsAtPauses { frames.endFiles() }
    }

    /// - Parameters:
    ///   - leftOut: The length of the pause in frames of the source.
    ///   - onset: The number of frames of the source until the sound begins.
    ///   - hostTime: When the next frame was captured, in CLOCK_MONOTONIC nanoseconds.
    private func endPause(of leftOut: Int, onset: Int, hostTime: UInt64) throws(ACCAudioRecorderError) {
        if leftOut > 0 { recordPause(leftOut) }
        if splitsAtPauses { frames.startFiles(hostTime: hostTime) }
        try frames.beginStretch(conversion)
        frames.schedule("sound", at: frames.frameCount + frames.form.frames(in: Double(onset) / Double(rate)))
        broadcast.events.send(.soundBegan(frame: frames.frameCount))
    }

    /// Reports a pause that was left out, after the last frame.
    private func recordPause(_ count: Int) {
        gaps.record(Double(count) / Double(rate), .silence, atRate: rate)
    }
}
