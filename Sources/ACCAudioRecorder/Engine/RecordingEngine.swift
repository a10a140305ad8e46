import FoundationEssentials
import Synchronization

/// Processes everything between the ring and the outputs: decodes, converts, measures, writes and publishes what the
/// intake decides, in order.
///
/// `@unchecked Sendable`: apart from its atomics, mutexes and requests, the engine is used by one thread at a time. A
/// segment is recorded on the engine thread; the recorder uses the engine only before it starts a segment and after it
/// has awaited the segment's end, both of which order memory.
final class RecordingEngine: @unchecked Sendable {
    /// Why a segment ended. A segment is what was captured between one opening of the source and its end.
    enum SegmentEnd: Sendable {
        /// The input has ended, and everything it delivered is recorded.
        case inputEnded(CaptureEnd)
        /// The time limit is reached; later frames were left in the ring.
        case limitReached
        /// The source was silent for as long as its sound activation says.
        case silent
        /// The end that was asked for is reached; later frames were left in the ring.
        case endReached
        /// All outputs have failed.
        case outputsFailed(ACCAudioRecorderError)
        /// The conversion failed.
        case failed(ACCAudioRecorderError)
    }

    /// The settings of a recording.
    struct Settings: Sendable {
        /// What the recording is asked for.
        let policies: RecordingPolicies
        /// The channels of the source to record, counted from 1; empty for all.
        var selectedChannels: [Int] = []
        /// The channels of the source whose sound counts, counted from 1; empty for all.
        var soundChannels: [Int] = []
        /// Whether the source waits for outputs that are behind.
        var waitsForOutputs = false
        /// The names of the inputs, where there are several.
        var inputNames: [String] = []
    }

    /// State that continues from one segment to the next.
    fileprivate struct Progress {
        var clock: CaptureClock
        var scheduler: ActionScheduler
        var hasBegun = false
        /// What the next segment's noise gate continues from; nil before the first one.
        var gate: NoiseGate.Carryover?
    }

    /// The state of one segment, including the progress while it is being recorded.
    fileprivate struct Segment: ~Copyable {
        let source: AudioSource
        let captured: StreamFormat
        var intake: Intake
        var decoder: FragmentDecoder
        var meter: RecordingMeter
        let batching: WakeUpBatching
        var progress: Progress
        /// The number of frames that precede the recording in what is recorded next.
        var framesToSkip = 0
        /// The inputs of several that are away, from where on, in frames of the recording, and why.
        var absences: [(input: String?, position: Int, cause: RecordingGap.Cause)] = []
        /// Leaves out what does not sound; nil if everything is recorded.
        var sound: GatedTimeline.Measured?
        /// Whether the recording has ended with a silence.
        var isOver = false
        let ending: EndRequest
        /// Whether the end that was asked for is reached.
        var hasReachedEnd = false
        /// The place in the ring after the last frame that is recorded; nil before the first.
        var place: CaptureRing.Place?

        /// The source's, in Hz.
        var sampleRate: Double { Double(source.sampleSpec.sampleRate) }

        var conversion: Branches.Source {
            Branches.Source(
                captured: captured, format: source.sampleSpec.format, maximumFrames: decoder.maximumFrames)
        }
    }

    private var branches: Branches
    /// The branch with the recording's own format, which is measured and published.
    private let main: Branch
    private let writers: [OutputWriter]
    private let settings: Settings
    private let broadcast: RecordingBroadcast
    private let warnings: RecordingWarnings
    private let levelObserver: LevelObserver?
    /// The bit pattern of the time limit in seconds.
    private let limit = Atomic<UInt64>(Double.infinity.bitPattern)
    private let recorded = Atomic<Int>(0)

    private let requests = ActionRequests()
    private let mutes = RecordingMutes()
    private let askServerProcessings = Mutex<@Sendable () -> [ProcessingStep]>({ [] })

    private var progress: Progress
    private var carryover = Intake.Carryover()
    /// The place in the last segment's ring after the last frame that is recorded; nil if none is. Must not be read during a
    /// segment.
    private(set) var endPlace: CaptureRing.Place?
    private var levels: [ChannelLevel]
    /// Nil before the first segment.
    private var watch: SignalWatch?
    private var figures: SignalFigures?
    private var gaps: [RecordingGap] = []
    private var streamGaps: [RecordingGap] = []
    /// When the first frame was captured, as it was known at first: by the wall clock, and in CLOCK_MONOTONIC nanoseconds; and
    /// by how many nanoseconds this has been corrected since.
    private var start: (date: Date, hostTime: UInt64, correction: Int64)?
    private var times = RecordingTimes()
    /// The number of samples of the source that were not finite and were replaced.
    private var nonFiniteCount = 0

    /// The most losses that are listed one by one; the last one in the list is the sum of all that follow.
    private static let mostLosses = 4_096

    /// - Parameters:
    ///   - form: The recording's own format, for levels and streams.
    ///   - writers: The outputs, created and empty.
    init(
        _ settings: Settings, form: StreamFormat, writers: [OutputWriter],
        broadcast: RecordingBroadcast, warnings: RecordingWarnings, levelObserver: LevelObserver? = nil
    ) {
        branches = Branches(
            form, writers: writers, quality: settings.policies.session.quality,
            bufferFrames: Int(settings.policies.session.bufferSize))
        main = branches.main
        self.settings = settings
        self.writers = writers
        self.broadcast = broadcast
        self.warnings = warnings
        self.levelObserver = levelObserver
        levels = Array(repeating: ChannelLevel(), count: form.channelCount)
        times.reserve()
        progress = Progress(
            clock: CaptureClock(outputRate: form.sampleRate),
            scheduler: ActionScheduler(requests, settings.policies.splitting, sampleRate: form.sampleRate))
    }

    /// The recording's sample rate in Hz.
    var sampleRate: Int { main.form.sampleRate }

    /// Frames recorded so far, at the recording's rate. Any thread may call.
    var frameCount: Int { recorded.load(ordering: .relaxed) }

    /// An output that has not written yet what it was given; nil if there is none. Any thread may call.
    var waitingOutput: RecordingOutput.Destination? { writers.first(where: \.isWaiting)?.output.destination }

    /// Sets the length in seconds at which the recording ends by itself; infinity for no limit. Any thread may call, at
    /// any time.
    func setLimit(_ seconds: Double) {
        limit.store(seconds.bitPattern, ordering: .relaxed)
    }

    /// Sets the closure that returns the server's processing steps so far. Any thread may call.
    func setServerProcessings(_ ask: @escaping @Sendable () -> [ProcessingStep]) {
        askServerProcessings.withLock { $0 = ask }
    }

    /// Notes that the server has muted a source, or does no longer. Any thread may call.
    ///
    /// - Parameter hostTime: When, in CLOCK_MONOTONIC nanoseconds.
    func noteMute(_ isMuted: Bool, of source: AudioSource, at hostTime: UInt64) {
        guard mutes.note(isMuted, of: source.name, at: hostTime) else { return }
        broadcast.events.send(isMuted ? .muted(source) : .unmuted(source))
    }

    /// Ends all mutes, because the sources are gone. Any thread may call.
    ///
    /// - Parameter hostTime: When, in CLOCK_MONOTONIC nanoseconds.
    func endMutes(at hostTime: UInt64) {
        mutes.end(at: hostTime)
    }

    /// Requests a marker at the frame captured at this time, in CLOCK_MONOTONIC nanoseconds. Any thread may call.
    ///
    /// - Parameter label: The marker's text; nil for its number.
    func requestMarker(_ label: String?, at hostTime: UInt64) {
        requests.add(ActionRequest(kind: .marker(label: label), hostTime: hostTime))
    }

    /// Requests new files from the frame captured at this time, in CLOCK_MONOTONIC nanoseconds. Any thread may call.
    func requestNewFiles(at hostTime: UInt64) {
        requests.add(ActionRequest(kind: .newFiles, hostTime: hostTime))
    }

    /// Places all pending markers after the last frame. Must not be called during a segment.
    func placeMarkers() {
        placeMarkers(&progress)
    }

    private func placeMarkers(_ progress: inout Progress) {
        for action in progress.scheduler.markers(afterFrame: frameCount) { add(action) }
        branches.performMarkers()
    }

    /// Whether all branches have reached the limit. Must not be called during a segment.
    var isAtLimit: Bool { branches.haveReached(limitSeconds) }

    private var limitSeconds: Double { Double(bitPattern: limit.load(ordering: .relaxed)) }

    /// What is missing at the end of the recording. Must not be called during a segment.
    ///
    /// - Parameters:
    ///   - end: When it ends, in CLOCK_MONOTONIC nanoseconds.
    ///   - interruption: Why its source is closed; nil if it was open until then.
    func missing(until end: UInt64, after interruption: RecordingInterruption?) -> Intake.MissingEnd? {
        isAtLimit ? nil : carryover.missing(until: end, after: interruption)
    }

    /// Completes the outputs and returns the report.
    ///
    /// - Parameter serverProcessing: The server's processing steps.
    func finish(
        _ ending: RecordingReport.Ending, source: AudioSource, serverProcessing: [ProcessingStep] = []
    ) async -> RecordingReport {
        placeMarkers()
        if frameCount > 0 { figures = watch?.finish() }
        // All outputs finish writing concurrently.
        let isWhole = if case .failed = ending { false } else { true }
        let finishing = writers.map { $0.finish(serverProcessing: serverProcessing, isWhole: isWhole) }
        var outputs: [OutputReport] = []
        for reports in finishing { outputs += await reports.value }
        return report(ending, source: source, outputs: outputs)
    }

    /// Removes the outputs' current files and returns the report, with the files before them.
    func discardCurrentFiles(_ ending: RecordingReport.Ending, source: AudioSource) async -> RecordingReport {
        let discarding = writers.map { $0.discardCurrentFile() }
        var outputs: [OutputReport] = []
        for reports in discarding { outputs += await reports.value }
        return report(ending, source: source, outputs: outputs)
    }

    /// Removes what the outputs created and returns the report.
    func discard(_ ending: RecordingReport.Ending, source: AudioSource) async -> RecordingReport {
        for writer in writers { await writer.discard().value }
        return report(ending, source: source, outputs: [])
    }

    private func report(
        _ ending: RecordingReport.Ending, source: AudioSource, outputs: [OutputReport]
    ) -> RecordingReport {
        RecordingReport(
            ending: ending, startDate: start.map { $0.date + Double($0.correction) * 1e-9 }, source: source,
            sampleRate: sampleRate,
            channelCount: main.form.channelCount,
            frameCount: frameCount, framesLost: gaps.filter(\.isLoss).reduce(0) { $0 + $1.framesLost }, gaps: gaps,
            streamGaps: streamGaps, mutes: mutes.all(until: frameCount), levels: levels, nonFiniteCount: nonFiniteCount,
            findings: watch?.findings ?? [], figures: figures,
            times: times.ended(sampleRate: sampleRate), outputs: outputs)
    }
}

// MARK: - A segment, on the engine thread

extension RecordingEngine {
    /// Records the items of the ring until it ends or the limit is reached.
    ///
    /// - Parameters:
    ///   - captured: The captured format.
    ///   - interruption: The interruption before the segment; nil at the beginning and after a pause.
    ///   - preRoll: What precedes the start of the recording, of which this is the first segment.
    ///   - missingEnd: What is missing at the end of the segment.
    ///   - ending: Ends the segment without its input.
    ///   - report: Called when the source begins or stops delivering.
    func record(
        _ ring: CaptureRing, from source: AudioSource, as captured: StreamFormat,
        after interruption: RecordingInterruption? = nil, preRoll: PreRoll? = nil, missingEnd: Intake.MissingEnd? = nil,
        ending: EndRequest = EndRequest(), report: (SourceFlow) -> Void = { _ in }
    ) -> SegmentEnd {
        defer { ring.endCopies() }
        do throws(ACCAudioRecorderError) {
            var segment = try beginSegment(ring, from: source, as: captured, after: interruption, ending)
            let trigger = preRoll.map { begin($0, in: ring, &segment) }
            beginGate(at: trigger ?? 0, &segment)
            defer { endSegment(&segment) }
            while !isAtLimit {
                let state = ending.state
                let count = state == .none ? fragmentsToAwait(segment) : 1
                if state == .due, ring.count == 0 { segment.hasReachedEnd = true }
                switch segment.hasReachedEnd ? .ready : ring.wait(for: count, orUntil: { ending.state != state }) {
                case .ready:
                    branches.serveSubscribers(of: broadcast, segment.conversion)
                    for _ in 0..<min(count, ring.count)
                    where !isAtLimit && !segment.isOver && !segment.hasReachedEnd {
                        try recordNext(in: ring, &segment, report)
                    }
                    ring.serveCopies()
                    for writer in writers { writer.endBatch() }
                    if settings.waitsForOutputs { for writer in writers { writer.catchUp() } }
                    segment.meter.endBatch()
                    if let failure = outputFailure { return .outputsFailed(failure) }
                    if segment.isOver {
                        try recordHeldFrames(&segment)
                        return .silent
                    }
                    if segment.hasReachedEnd {
                        if let shortfall = segment.intake.close() { recordShortfall(shortfall, &segment) }
                        try recordHeldFrames(&segment)
                        return .endReached
                    }
                case .idle:
                    ring.serveCopies()
                    if let flow = segment.intake.idle() { report(flow) }
                case .closed:
                    if let shortfall = segment.intake.close() { recordShortfall(shortfall, &segment) }
                    if let missingEnd {
                        recordGap(
                            missingEnd.seconds, missingEnd.cause, isAtEnd: !missingEnd.isBeforePause, &segment)
                    }
                    try recordHeldFrames(&segment)
                    return isAtLimit ? .limitReached : .inputEnded(ring.captureEnd)
                }
            }
            if let shortfall = segment.intake.close() { recordShortfall(shortfall, &segment) }
            return .limitReached
        } catch {
            return .failed(error)
        }
    }

    private func beginSegment(
        _ ring: CaptureRing, from source: AudioSource, as captured: StreamFormat,
        after interruption: RecordingInterruption?, _ ending: EndRequest
    ) throws(ACCAudioRecorderError) -> Segment {
        let spec = source.sampleSpec
        var segment = Segment(
            source: source, captured: captured,
            intake: Intake(
                source, fragmentFrames: ring.slotBytes / spec.bytesPerFrame, carryover: carryover,
                after: interruption),
            decoder: FragmentDecoder(spec, selectedChannels: settings.selectedChannels),
            meter: RecordingMeter(
                of: spec.format, in: main.form, total: levels, bufferFrames: Int(settings.policies.session.bufferSize),
                broadcast: broadcast, observer: levelObserver),
            batching: WakeUpBatching(
                ring, of: spec, longestBatch: writers.map(\.batchLength).min() ?? OutputWriter.longestBatch),
            progress: progress, ending: ending)
        if watch == nil { watch = SignalWatch(main.form, of: source) }
        watch?.breakOff()
        segment.progress.clock.beginStretch(inputRate: spec.sampleRate)
        try branches.beginStretch(segment.conversion)
        branches.serveSubscribers(of: broadcast, segment.conversion)
        return segment
    }

    /// Drops what precedes the pre-roll, and has its end marked.
    ///
    /// - Returns: The number of frames of the source that are recorded before the one at its end.
    private func begin(_ preRoll: PreRoll, in ring: CaptureRing, _ segment: inout Segment) -> Int {
        let spec = segment.source.sampleSpec
        let beginning = preRoll.beginning(in: ring, spec)
        segment.framesToSkip = beginning.skipped
        while ring.count > 0 {
            let frames = (ring.item(0).stamp?.byteCount ?? 0) / spec.bytesPerFrame
            guard frames <= segment.framesToSkip else { break }
            segment.framesToSkip -= frames
            ring.remove { _, _ in }
        }
        let isWhole = beginning.kept == Int((preRoll.seconds * Double(spec.sampleRate)).rounded())
        let length = isWhole ? preRoll.seconds : Double(beginning.kept) / Double(spec.sampleRate)
        if let label = preRoll.label {
            segment.progress.scheduler.schedule(label, at: main.form.frames(in: length))
        }
        return beginning.kept
    }

    /// Begins to leave out what does not sound, if requested: after the frame at which the recording was started, or as
    /// before an interruption.
    private func beginGate(at trigger: Int, _ segment: inout Segment) {
        guard let activation = settings.policies.soundActivation, activation.isGate else { return }
        let spec = segment.source.sampleSpec
        var gate = NoiseGate(activation, sampleRate: spec.sampleRate, continuing: segment.progress.gate)
        if segment.progress.gate == nil { gate.open(at: trigger) }
        segment.sound = GatedTimeline.Measured(
            gate, activation.channels, of: spec, selectedChannels: settings.soundChannels,
            isOpen: segment.progress.gate?.isOpen ?? true)
    }

    private func endSegment(_ segment: inout Segment) {
        segment.meter.flush()
        branches.flushBuffers()
        for part in segment.sound?.unfinishedParts ?? [] { reportMissing(part, endingAt: 0, &segment) }
        let leftOut = segment.sound?.finish() ?? 0
        if leftOut > 0 { recordPause(leftOut, &segment) }
        segment.progress.gate = segment.sound?.carryover
        listAbsences(segment)
        levels = segment.meter.total
        nonFiniteCount += segment.decoder.replacedCount
        carryover = segment.intake.nextCarryover
        endPlace = segment.place
        // A resampler is ahead of what it delivers, and a fragment may go on after the limit.
        endPlace?.frame -= segment.progress.clock.framesAhead
        correctStart(segment)
        times.breakOff(sampleRate: sampleRate)
        progress = segment.progress
    }

    /// Corrects the time of the first frame, which is known better some seconds later. Only the first segment knows it.
    private func correctStart(_ segment: borrowing Segment) {
        guard !progress.hasBegun, let start else { return }
        let correction = Int64(clamping: segment.intake.corrected(start.hostTime)) - Int64(clamping: start.hostTime)
        guard correction != start.correction else { return }
        for writer in writers { writer.correctStart(by: correction - start.correction) }
        self.start?.correction = correction
    }

    /// The number of fragments to collect in the ring before recording them: one if an output waits for each.
    private func fragmentsToAwait(_ segment: borrowing Segment) -> Int {
        guard segment.progress.hasBegun, writers.allSatisfy({ !$0.isUrgent }) else { return 1 }
        let untilLimit = limitSeconds - Double(frameCount) / Double(sampleRate)
        return segment.batching.fragmentCount(awaitedIn: min(segment.meter.secondsUntilAwaited, untilLimit))
    }

    /// Records the next item, which must exist.
    private func recordNext(
        in ring: CaptureRing, _ segment: inout Segment, _ report: (SourceFlow) -> Void
    ) throws(ACCAudioRecorderError) {
        let end = framesBeforeEnd(in: ring, segment)
        guard end > 0 else {
            segment.hasReachedEnd = true
            return
        }
        let decisions = decisions(onNextIn: ring, &segment)
        let position = ring.position
        try ring.remove { (_, fragment) throws(ACCAudioRecorderError) in
            // Gaps after the limit are not part of the recording.
            for index in decisions.indices where index == 0 || !isAtLimit && !segment.hasReachedEnd {
                switch decisions[index] {
                case .flow(let flow):
                    report(flow)
                case .gap(let seconds, let cause):
                    if segment.sound?.append(gap: seconds, cause) == nil { recordGap(seconds, cause, &segment) }
                case .missing(let shortfall):
                    recordShortfall(shortfall, &segment)
                case .partMissing(let frames, let endInSource, let tag):
                    let end = endInSource - segment.framesToSkip
                    let part = GatedTimeline.MissingPart(frames: frames, tag: tag)
                    let isHeld: Void? = segment.sound?.append(part, end: max(end, 0))
                    if isHeld == nil { reportMissing(part, endingAt: end, &segment) }
                case .record(var frames, var hostTime):
                    if frames.upperBound >= end {
                        segment.hasReachedEnd = true
                        frames = frames.clamped(to: frames.lowerBound..<max(end, frames.lowerBound))
                    }
                    segment.skip(&frames, &hostTime)
                    let isHeld: Void? = segment.sound?.append(
                        frames, of: fragment, position: position, hostTime: hostTime)
                    guard isHeld == nil else { continue }
                    try record(frames, of: fragment, at: position, hostTime, &segment)
                }
            }
        }
        while !isAtLimit, let decision = segment.sound?.next() { try carryOut(decision, in: ring, &segment) }
    }

    /// The number of frames of the next item that are captured before the end that was asked for; the largest number for an
    /// item without frames, or without such an end.
    private func framesBeforeEnd(in ring: CaptureRing, _ segment: borrowing Segment) -> Int {
        guard let end = segment.ending.hostTime, let stamp = ring.item(0).stamp else { return .max }
        let frames = Double(Int64(bitPattern: end &- stamp.hostTime)) * 1e-9 * segment.sampleRate
        return Int(min(max(frames.rounded(.up), 0), 0x1p53))
    }

    /// The intake's decisions about the next item; waits for following fragments if needed, but not if the segment ends.
    private func decisions(onNextIn ring: CaptureRing, _ segment: inout Segment) -> [Intake.Decision] {
        let ending = segment.ending
        while true {
            let upcoming = ring.stamps(awaiting: segment.intake.lookahead) { ending.hostTime != nil }
            if let decisions = segment.intake.decide(ring.item(0), upcoming: upcoming) { return decisions }
        }
    }

    /// The last output's failure, if all outputs have failed.
    private var outputFailure: ACCAudioRecorderError? {
        guard let last = writers.last, writers.allSatisfy({ $0.failure != nil }) else { return nil }
        return last.failure
    }
}

// MARK: - Frames

extension RecordingEngine {
    /// Records frames of a fragment in all branches.
    ///
    /// - Parameters:
    ///   - position: The fragment's, in the ring.
    ///   - hostTime: When the first was captured; nil if they directly follow the previous ones.
    private func record(
        _ frames: Range<Int>, of fragment: UnsafeRawBufferPointer, at position: Int, _ hostTime: UInt64?,
        _ segment: inout Segment
    ) throws(ACCAudioRecorderError) {
        guard !frames.isEmpty else { return }
        segment.place = CaptureRing.Place(position: position, frame: frames.upperBound)
        if !segment.progress.hasBegun, let hostTime {
            segment.progress.hasBegun = true
            begin(hostTime: hostTime)
        }
        segment.progress.clock.append(frames.count, hostTime: hostTime)
        let replacedBefore = segment.decoder.replacedCount
        var rest = frames
        while !rest.isEmpty {
            let block = segment.decoder.decode(&rest, of: fragment)
            for branch in branches.all {
                branch.append(block)
                try recordConverted(by: branch, &segment)
            }
        }
        if replacedBefore == 0, segment.decoder.replacedCount > 0 {
            for writer in writers { writer.record(.nonFiniteReplaced, inLaterFiles: true) }
            warnings.send(.nonFiniteSamples(segment.source))
        }
        tellNews(segment)
    }

    /// Records what the conversions still hold at the end of a segment.
    private func recordHeldFrames(_ segment: inout Segment) throws(ACCAudioRecorderError) {
        for branch in branches.all {
            branch.finishConversion()
            try recordConverted(by: branch, &segment)
            branch.endSegment()
        }
    }

    private func recordConverted(by branch: Branch, _ segment: inout Segment) throws(ACCAudioRecorderError) {
        while let converted = try branch.next() {
            let block = converted.prefix(branch.framesLeft(upTo: limitSeconds))
            guard block.frameCount > 0 else { continue }
            if branch === main {
                observe(block, hostTime: segment.progress.clock.hostTimeOfNextFrame, &segment)
                segment.progress.clock.advance(by: block.frameCount)
            }
            branch.record(block, hostTime: hostTime(ofNextFrameIn: branch, segment.progress.clock))
        }
    }

    /// When the next frame of a branch was captured, in CLOCK_MONOTONIC nanoseconds: reckoned from the main branch, which
    /// is always ahead of the others by less than a block.
    private func hostTime(ofNextFrameIn branch: Branch, _ clock: CaptureClock) -> UInt64 {
        let lead =
            Double(branch.frameCount) / Double(branch.form.sampleRate) - Double(frameCount) / Double(sampleRate)
        return UInt64(max(Double(clock.hostTimeOfNextFrame) + lead * 1e9, 0))
    }

    /// Begins the recording at the time when its first frame was captured.
    private func begin(hostTime: UInt64) {
        start = (Date(hostTime: hostTime), hostTime, 0)
        for writer in writers { writer.begin(hostTime: hostTime) }
        broadcast.events.send(.started(hostTime: hostTime))
    }

    /// Schedules the actions within the next frames of the recording, and measures and publishes these frames.
    ///
    /// - Parameters:
    ///   - hostTime: When the first was captured.
    ///   - isTimeStill: Whether all frames have that time.
    ///   - isFilled: Whether they are silence in place of what is missing.
    private func observe(
        _ block: AudioBlock, hostTime: UInt64, isTimeStill: Bool = false, isFilled: Bool = false,
        _ segment: inout Segment
    ) {
        let frames = frameCount..<frameCount + block.frameCount
        for action in segment.progress.scheduler.actions(
            in: .init(frames: frames, hostTime: hostTime), for: branches.all, serverProcessing: serverProcessing)
        {
            // Files that are complete keep what they state.
            if case .newFile = action.kind { correctStart(segment) }
            add(action)
        }
        if !isFilled {
            watch?.examine(block, at: frames.lowerBound)
            times.note(frames.lowerBound, at: hostTime, sampleRate: sampleRate)
        }
        mutes.place(in: frames, from: hostTime, sampleRate: sampleRate)
        segment.meter.loudness = watch?.loudness
        segment.meter.measure(block, first: frames.lowerBound, hostTime: hostTime, isTimeStill: isTimeStill)
        recorded.store(frames.upperBound, ordering: .relaxed)
    }

    private func add(_ action: TimelineAction) {
        branches.add(action)
        if case .marker(let marker) = action.kind { broadcast.events.send(.marker(marker)) }
    }

    private func serverProcessing() -> [ProcessingStep] {
        askServerProcessings.withLock { $0 }()
    }

    private func tellNews(_ segment: borrowing Segment) {
        guard watch?.hasNews == true else { return }
        let absent = zip(settings.inputNames, segment.source.parts ?? []).flatMap { name, part in
            segment.absences.contains { $0.input == name } ? part.channels : []
        }
        let news = watch?.takeNews(absent: absent)
        for finding in news ?? [] { broadcast.events.send(.signal(finding)) }
        if let seconds = watch?.silentSeconds { warnings.send(.silence(seconds: seconds, segment.source)) }
    }
}

// MARK: - Sounds and pauses

extension RecordingEngine {
    private func carryOut(
        _ decision: GatedTimeline.Decision, in ring: CaptureRing, _ segment: inout Segment
    ) throws(ACCAudioRecorderError) {
        switch decision {
        case .record(let frames, let position, let hostTime):
            guard ring.heldPositions.contains(position) else {
                return recordGap(Double(frames.count) / segment.sampleRate, .overrun, &segment)
            }
            try record(frames, of: ring.bytes(at: position), at: position, hostTime, &segment)
        case .gap(let seconds, let cause):
            recordGap(seconds, cause, &segment)
        case .partMissing(let frames, let tag):
            reportMissing(.init(frames: frames, tag: tag), endingAt: 0, &segment)
        case .pause:
            try beginPause(&segment)
        case .begin(let leftOut, let onset, let hostTime):
            try endPause(of: leftOut, onset: onset, hostTime: hostTime, &segment)
        case .end:
            segment.isOver = true
        }
    }

    /// Ends the conversion, so that nothing of the frames before a pause gets into those after it, and completes the files
    /// of a sound.
    private func beginPause(_ segment: inout Segment) throws(ACCAudioRecorderError) {
        try recordHeldFrames(&segment)
        segment.meter.flush()
        branches.flushBuffers()
        broadcast.events.send(.soundEnded(frame: frameCount))
        guard settings.policies.soundActivation?.pauses == .split else { return }
        placeMarkers(&segment.progress)
        for writer in writers { writer.endFile(serverProcessing: serverProcessing()) }
    }

    /// - Parameters:
    ///   - leftOut: The length of the pause in frames of the source.
    ///   - onset: The number of frames of the source until the sound begins.
    ///   - hostTime: When the next frame was captured, in CLOCK_MONOTONIC nanoseconds.
    private func endPause(
        of leftOut: Int, onset: Int, hostTime: UInt64, _ segment: inout Segment
    ) throws(ACCAudioRecorderError) {
        if leftOut > 0 { recordPause(leftOut, &segment) }
        if settings.policies.soundActivation?.pauses == .split {
            for writer in writers { writer.startNewFile(hostTime: hostTime, serverProcessing: serverProcessing()) }
        }
        segment.progress.clock.beginStretch(inputRate: segment.source.sampleSpec.sampleRate)
        try branches.beginStretch(segment.conversion)
        segment.progress.scheduler.schedule(
            "sound", at: frameCount + main.form.frames(in: Double(onset) / segment.sampleRate))
        broadcast.events.send(.soundBegan(frame: frameCount))
    }

    /// Reports a pause that was left out, after the last frame.
    private func recordPause(_ frames: Int, _ segment: inout Segment) {
        recordGap(Double(frames) / segment.sampleRate, .silence, &segment)
    }
}

extension RecordingEngine.Segment {
    /// Removes the first frames as long as they precede the recording.
    ///
    /// - Parameter hostTime: When the first of the frames was captured, if that is known.
    fileprivate mutating func skip(_ frames: inout Range<Int>, _ hostTime: inout UInt64?) {
        guard framesToSkip > 0 else { return }
        let skipped = min(framesToSkip, frames.count)
        framesToSkip -= skipped
        frames = frames.dropFirst(skipped)
        hostTime = hostTime.map { $0 + UInt64(Double(skipped) / sampleRate * 1e9) }
    }
}

// MARK: - Gaps

extension RecordingEngine {
    /// Reports what is missing somewhere in the latest frames, as a gap after the last one.
    private func recordShortfall(_ shortfall: LossAccount.Shortfall, _ segment: inout Segment) {
        if segment.sound?.append(gap: shortfall.seconds, .dropped) == nil {
            recordGap(shortfall.seconds, .dropped, within: shortfall.spanFrames, &segment)
        }
    }

    /// Reports a gap after the last frame, and fills it with silence if requested.
    ///
    /// - Parameters:
    ///   - span: In how many of the latest frames, of the source, it may lie; 0 if it is after the last one.
    ///   - isAtEnd: Whether the recording ends with it; then it is in the report only, since the event of a gap says that
    ///     the recording goes on.
    private func recordGap(
        _ seconds: Double, _ cause: RecordingGap.Cause, within span: Int = 0, isAtEnd: Bool = false,
        _ segment: inout Segment
    ) {
        let rate = segment.source.sampleSpec.sampleRate
        let gap = RecordingGap(
            position: frameCount, span: main.form.frames(in: Double(span) / Double(rate)),
            framesLost: Int((seconds * Double(rate)).rounded()), sampleRate: rate,
            recordedRate: sampleRate, cause: cause,
            isFilled: settings.policies.interruptions.fillsGaps && cause != .silence)
        let isListed = Self.list(gap, in: &gaps)
        watch?.breakOff()
        times.breakOff(sampleRate: sampleRate)
        if !isAtEnd { broadcast.events.send(.gap(gap)) }
        // A pause between two files is in neither of them.
        if isListed, gap.isLoss || settings.policies.soundActivation?.pauses == .join {
            add(TimelineAction(kind: .gap(gap), seconds: gap.time))
        }
        guard gap.isFilled else { return }
        // The clock of host times stops while the machine sleeps.
        for branch in branches.all { recordSilence(seconds, isTimeStill: cause == .sleep, in: branch, &segment) }
    }

    /// Reports and marks that one of several streams, or inputs, is missing in frames that are recorded.
    ///
    /// - Parameter end: Its next frame, in frames of the source after the last one that was recorded.
    private func reportMissing(_ part: GatedTimeline.MissingPart, endingAt end: Int, _ segment: inout Segment) {
        let loss = InputLoss(tag: part.tag)
        let input = settings.inputNames.indices.contains(loss.input) ? settings.inputNames[loss.input] : nil
        let distance = main.form.frames(in: Double(abs(end)) / segment.sampleRate)
        let position = max(end < 0 ? frameCount - distance : frameCount + distance, 0)
        segment.absences.removeAll { $0.input == input }
        if loss.isOpen { return segment.absences.append((input, position, loss.cause)) }
        let gap = RecordingGap(
            position: position, framesLost: part.frames, sampleRate: segment.source.sampleSpec.sampleRate,
            recordedRate: sampleRate, cause: loss.cause, input: input)
        // What was missing before the first frame of the recording, or only after the last one, is not missing from it.
        let first = gap.position - main.form.frames(in: gap.duration)
        guard part.frames > 0, gap.position > 0, first < main.form.frames(in: limitSeconds) else { return }
        guard Self.list(gap, in: &streamGaps) else { return }
        if let input {
            broadcast.events.send(.gap(gap))
            segment.progress.scheduler.schedule(
                "\(input) missing for \(GapLabel.length(gap.duration)) before", at: gap.position)
            return
        }
        warnings.send(.streamMissing(segment.source.name, seconds: gap.duration, offset: gap.time))
        segment.progress.scheduler.schedule(
            "one stream missing for \(GapLabel.length(gap.duration)) before", at: gap.position)
        // Within the last frame of the missing part, so that a cut before or after that does not come between.
        let lastFrame = Double(gap.position) - 0.5
        branches.add(TimelineAction(kind: .processing(.streamMissing), seconds: lastFrame / Double(sampleRate)))
    }

    /// Lists the inputs that are away at the end of a segment, as gaps until there.
    private func listAbsences(_ segment: borrowing Segment) {
        for absence in segment.absences where absence.position < frameCount {
            let seconds = Double(frameCount - absence.position) / Double(sampleRate)
            let rate = segment.source.sampleSpec.sampleRate
            _ = Self.list(
                RecordingGap(
                    position: frameCount, framesLost: Int((seconds * Double(rate)).rounded()), sampleRate: rate,
                    recordedRate: sampleRate, cause: absence.cause, input: absence.input), in: &streamGaps)
        }
    }

    /// Adds a gap to a list; true if it is listed by itself.
    private static func list(_ gap: RecordingGap, in gaps: inout [RecordingGap]) -> Bool {
        guard gap.isLoss, gaps.count(where: \.isLoss) >= mostLosses, let last = gaps.lastIndex(where: \.isLoss) else {
            gaps.append(gap)
            return true
        }
        gaps[last] = gaps[last].joined(with: gap)
        return false
    }

    private func recordSilence(
        _ seconds: Double, isTimeStill: Bool, in branch: Branch, _ segment: inout Segment
    ) {
        let blockFrames = 1024
        let silence = [Float](repeating: 0, count: blockFrames * branch.form.channelCount)
        var left = min(branch.form.frames(in: seconds), branch.framesLeft(upTo: limitSeconds))
        silence.withUnsafeBufferPointer { samples in
            while left > 0 {
                let block = AudioBlock(samples: samples, channelCount: branch.form.channelCount).prefix(left)
                if branch === main {
                    observe(
                        block, hostTime: segment.progress.clock.endHostTime, isTimeStill: isTimeStill, isFilled: true,
                        &segment)
                    if !isTimeStill { segment.progress.clock.advance(bySilence: block.frameCount) }
                }
                branch.record(block, hostTime: hostTime(ofNextFrameIn: branch, segment.progress.clock))
                left -= block.frameCount
                // Silence comes faster than a disk writes it.
                for writer in writers { writer.catchUp() }
            }
        }
    }
}
