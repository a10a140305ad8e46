import FoundationEssentials
import Synchronization

/// What happens to the frames between the ring and the outputs: decoded, converted, measured, written and
/// published, in order, once.
///
/// `@unchecked Sendable`: apart from its atomics, the engine is used by one thread at a time. A stretch runs
/// on the engine thread; the recorder touches the engine before it starts a stretch and after it has awaited
/// the stretch's end, both of which order memory.
final class RecordingEngine: @unchecked Sendable {
    /// Why a stretch of recording ended.
    enum StretchEnd: Sendable {
        /// The ring is closed and empty: the capture has ended.
        case drained
        /// The stream has been on another source: what came from there, or may have, was left out.
        case leftSource
        /// The time limit is reached; frames beyond it were left in the ring.
        case limitReached
        /// Nothing is left to write to.
        case outputsFailed(ACCAudioRecorderError)
        /// The signal could not be converted.
        case failed(ACCAudioRecorderError)
    }

    /// One lane for each form; the first is the recording's own, which levels and streams are taken from.
    let lanes: [OutputLane]
    let writers: [OutputWriter]
    let configuration: ACCAudioRecorder.Configuration
    let broadcast: RecordingBroadcast
    private let warnings: RecordingWarnings
    private let levelObserver: LevelObserver?
    /// The bit pattern of the time limit in seconds.
    private let limit = Atomic<UInt64>(Double.infinity.bitPattern)
    private let recorded = Atomic<Int>(0)
    /// Whether the source was suspended since the last gap.
    private let wasSuspended = Atomic<Bool>(false)

    /// What users ask to happen now. Any thread.
    let cueRequests = CueRequests()
    var markerCount = 0
    /// Where the recording goes on in new files by itself; nil for nowhere.
    var cutSchedule: CutSchedule?
    private let askServerAlterations = Mutex<@Sendable () -> [Alteration]>({ [] })

    private var levels: [ChannelLevel]
    private var gaps: [RecordingGap] = []
    /// Why nothing has been recorded since the last frame, where that is an interruption.
    private var interruption: RecordingInterruption?
    /// When the frame after the last was captured, in CLOCK_MONOTONIC nanoseconds.
    private var endHostTime: UInt64 = 0
    /// For how long the machine had slept when the last fragment arrived; nil before the first, and after a pause.
    private var timeAsleep: Int64?
    /// How many frames of digital silence the recording began with; nil when something was heard, or it was told.
    private var leadingSilence: Int? = 0
    private var hasBegun = false

    /// After how many seconds of digital silence a recording warns.
    private static let longestSilence = 10
    /// For how long frames gather at most where nobody waits for them, in seconds. What a kill costs is that, a fragment, and
    /// what a container gathers for a frame or a page of its own: no more than a second together.
    static let longestPatience = 0.32
    /// What is longer than this, in nanoseconds, is a sleep of the machine, and no matter of how exactly clocks are read.
    private static let shortestSleep: Int64 = 10_000_000

    /// - Parameters:
    ///   - form: The recording's own form, which levels and streams are of.
    ///   - writers: The outputs, created and empty.
    init(
        configuration: ACCAudioRecorder.Configuration, form main: FrameForm, writers: [OutputWriter],
        broadcast: RecordingBroadcast, warnings: RecordingWarnings, levelObserver: LevelObserver? = nil
    ) {
        let forms = Dictionary(grouping: writers, by: \.form)
        lanes =
            [OutputLane(main, writers: forms[main, default: []])]
            + forms.filter { $0.key != main }.map { OutputLane($0.key, writers: $0.value) }
        self.configuration = configuration
        self.writers = writers
        self.broadcast = broadcast
        self.warnings = warnings
        self.levelObserver = levelObserver
        levels = Array(repeating: ChannelLevel(), count: main.channelCount)
        cutSchedule = CutSchedule(configuration.splitting, sampleRate: main.sampleRate)
    }

    /// Frames a second of the recording, in Hz.
    var sampleRate: Int { mainLane.form.sampleRate }

    /// Frames recorded so far, at the recording's rate. Any thread.
    var frameCount: Int { recorded.load(ordering: .relaxed) }

    /// The length in seconds at which the recording ends by itself; infinity for none. Any thread, at any time.
    func setLimit(_ seconds: Double) {
        limit.store(seconds.bitPattern, ordering: .relaxed)
    }

    /// Says where to ask what the server has done to samples until now. Any thread.
    func setServerAlterations(_ ask: @escaping @Sendable () -> [Alteration]) {
        askServerAlterations.withLock { $0 = ask }
    }

    /// What the server has done to samples until now. Any thread.
    var serverAlterations: [Alteration] { askServerAlterations.withLock { $0 }() }

    /// The source was suspended, which is why the next gap will be. Any thread.
    func noteSuspension() {
        wasSuspended.store(true, ordering: .relaxed)
    }

    /// Whether the recording is as long as its limit, in each of its forms. Not during a stretch.
    var isAtLimit: Bool {
        lanes.allSatisfy { $0.frameCount >= $0.form.frames(in: limitSeconds) }
    }

    private var limitSeconds: Double { Double(bitPattern: limit.load(ordering: .relaxed)) }

    private var mainLane: OutputLane { lanes[0] }

    /// What became of the outputs; completes them.
    ///
    /// - Parameter serverAlterations: What the server did to the samples before they were captured.
    func finish(
        _ ending: RecordingReport.Ending, source: AudioSource, serverAlterations: [Alteration] = []
    ) async -> RecordingReport {
        placeMarkers()
        // All of them write what is left at the same time.
        let finishing = writers.map { $0.finish(serverAlterations: serverAlterations) }
        var outputs: [OutputReport] = []
        for reports in finishing { outputs += await reports.value }
        return report(ending, source: source, outputs: outputs)
    }

    /// Removes what the outputs created.
    func discard(_ ending: RecordingReport.Ending, source: AudioSource) async -> RecordingReport {
        for writer in writers { await writer.discard().value }
        return report(ending, source: source, outputs: [])
    }

    private func report(
        _ ending: RecordingReport.Ending, source: AudioSource, outputs: [OutputReport]
    ) -> RecordingReport {
        RecordingReport(
            ending: ending, source: source, sampleRate: sampleRate, channelCount: mainLane.form.channelCount,
            frameCount: frameCount, framesLost: gaps.reduce(0) { $0 + $1.framesLost }, gaps: gaps, levels: levels,
            outputs: outputs)
    }
}

// MARK: - A stretch of recording, on the engine thread

extension RecordingEngine {
    /// Records what comes out of the ring until it closes or the limit is reached.
    ///
    /// - Parameters:
    ///   - holdBack: Says which fragments are of the source; nil where all are.
    ///   - keptLength: Tells how much the server has kept, on average, of what came just before a stopped reader came back,
    ///     in seconds.
    ///   - interruption: What came between the last stretch and this one, so that the time between them is a gap.
    ///   - noteIdle: Called each time that the source has delivered nothing for `FragmentRing.idleTime`.
    func record(
        _ ring: FragmentRing, from source: AudioSource, holdBack: HoldBack? = nil,
        keptLength: @escaping () -> Double = { 0 },
        after interruption: RecordingInterruption? = nil,
        noteIdle: () -> Void = {}
    ) -> StretchEnd {
        do throws(ACCAudioRecorderError) {
            let spec = source.sampleSpec
            let captured = try configuration.capturedForm(of: source)
            let decoder = FragmentDecoder(spec, selectedChannels: configuration.selectedChannels)
            var stretch = Stretch(
                of: spec, in: mainLane.form, levels: levels, configuration: configuration, broadcast: broadcast,
                observer: levelObserver)
            defer {
                stretch.flush()
                levels = stretch.publisher.total
            }
            for lane in lanes {
                try lane.begin(captured, quality: configuration.resamplerQuality, maximumFrames: decoder.maximumFrames)
                lane.note(captureOf: spec.format, captured)
            }
            if interruption == nil { timeAsleep = nil }
            // Where nothing came between two interruptions, the first was the cause.
            self.interruption = interruption == nil ? nil : self.interruption ?? interruption
            wasSuspended.store(false, ordering: .relaxed)
            var detector = GapDetector(
                spec, fragmentFrames: ring.slotBytes / spec.bytesPerFrame, keptLength: keptLength)
            /// Fragments in the ring of which it is known that they are of the source.
            var confirmedCount = 0

            while !isAtLimit {
                if confirmedCount == 0 {
                    let count = holdBack?.hasLeft == true ? 1 : patience(for: ring, of: spec, stretch)
                    guard ring.waitForFragments(count, orUrgentOne: true, noteIdle: noteIdle) > 0 else { break }
                    confirmedCount = holdBack?.confirmedCount(in: ring) ?? ring.filledCount
                    guard confirmedCount > 0 else { break }
                }
                var loss: GapDetector.Loss?
                if detector.suspects(ring.stamp(of: 0), isExpected: wasSuspended.load(ordering: .relaxed)) {
                    loss = detector.loss { count in
                        // What gathers meanwhile is not left to a question that comes after a move.
                        let seenCount = min(
                            ring.waitForFragments(min(count, ring.slotCount / 2), noteIdle: noteIdle), count)
                        if seenCount > confirmedCount {
                            confirmedCount = max(confirmedCount, holdBack?.confirmedCount(in: ring) ?? ring.filledCount)
                        }
                        return ring.stamps(seenCount)
                    }
                }
                confirmedCount -= 1
                try ring.take { (bytes, stamp) throws(ACCAudioRecorderError) in
                    if stamp.framesLostBefore > 0 { note(framesLost: stamp.framesLostBefore, from: source) }
                    detector.take(stamp)
                    noteSleep(before: stamp, source, &stretch)
                    if let cause = self.interruption.take(), hasBegun, stamp.hostTime > endHostTime {
                        let seconds = Double(stamp.hostTime - endHostTime) * 1e-9
                        noteGap(seconds, .interruption(cause), source, &stretch)
                    }
                    if !hasBegun { begin(hostTime: stamp.hostTime) }
                    let frames = bytes.count / spec.bytesPerFrame
                    let offset = loss?.offset ?? 0
                    if let loss {
                        stretch.timeline.extend(by: offset)
                        try take(0..<offset, of: bytes, by: decoder, &stretch)
                        // What is missing behind the end is nothing that the recording lacks.
                        if isAtLimit { return }
                        let wasSuspended = wasSuspended.exchange(false, ordering: .relaxed)
                        noteGap(loss.seconds, wasSuspended ? .interruption(.suspended) : .dropped, source, &stretch)
                    }
                    stretch.timeline.begin(stamp, frames: frames, after: offset)
                    try take(offset..<frames, of: bytes, by: decoder, &stretch)
                    warnOfSilence(in: source)
                }
                if confirmedCount == 0 {
                    for writer in writers { writer.endBatch() }
                    stretch.observation?.endBatch()
                }
                if let failure = outputFailure { return .outputsFailed(failure) }
            }
            guard !isAtLimit else { return .limitReached }
            try mainLane.flush(limit: limitSeconds) { observe($0, first: $1, &stretch) }
            for lane in lanes.dropFirst() { try lane.flush(limit: limitSeconds) }
            if ring.framesLostAtEnd > 0 { note(framesLost: ring.framesLostAtEnd, from: source) }
            if isAtLimit { return .limitReached }
            return holdBack?.hasLeft == true ? .leftSource : .drained
        } catch {
            return .failed(error)
        }
    }

    /// How many fragments the engine lets gather before it takes them: one where somebody waits for each, and what fills a
    /// buffer where somebody waits for those.
    private func patience(for ring: FragmentRing, of spec: SampleSpec, _ stretch: borrowing Stretch) -> Int {
        guard hasBegun, writers.allSatisfy({ !$0.isUrgent }) else { return 1 }
        let buffer = broadcast.isFollowed ? Double(stretch.publisher.framesLeft) / Double(sampleRate) : .infinity
        let awaited = min(buffer, stretch.timeUntilObserved)
        let left = limitSeconds - Double(frameCount) / Double(sampleRate)
        let fragments = Double(spec.sampleRate * spec.bytesPerFrame) / Double(ring.slotBytes)
        let count = (min(Self.longestPatience, awaited, left) * fragments).rounded(.up)
        return min(max(Int(count), 1), ring.slotCount / 4)
    }

    /// Takes frames of a fragment in each form.
    private func take(
        _ frames: Range<Int>, of fragment: UnsafeRawBufferPointer, by decoder: borrowing FragmentDecoder,
        _ stretch: inout Stretch
    ) throws(ACCAudioRecorderError) {
        try decoder.decode(frames, of: fragment) { (block) throws(ACCAudioRecorderError) in
            try mainLane.take(block, limit: limitSeconds) { observe($0, first: $1, &stretch) }
            for lane in lanes.dropFirst() { try lane.take(block, limit: limitSeconds) }
        }
    }

    /// The failure of the last output, when none is left of those there were.
    private var outputFailure: ACCAudioRecorderError? {
        guard let last = writers.last, writers.allSatisfy({ $0.failure != nil }) else { return nil }
        return last.failure
    }

    /// The first frame of the recording was captured at this time.
    private func begin(hostTime: UInt64) {
        hasBegun = true
        for writer in writers { writer.begin(hostTime: hostTime) }
        broadcast.events.send(.firstFrame(hostTime: hostTime))
    }

    /// Measures and publishes frames that the recording takes.
    private func observe(_ block: AudioBlock, first: Int, _ stretch: inout Stretch) {
        let hostTime = max(endHostTime, stretch.timeline.hostTimeOfNextFrame)
        placeCues(in: block, first: first, hostTime: hostTime)
        stretch.publish(block, first: first, hostTime: hostTime)
        stretch.timeline.advance(by: block.frameCount)
        endHostTime = max(endHostTime, stretch.timeline.hostTimeOfNextFrame)
        if let silence = leadingSilence {
            leadingSilence = stretch.publisher.isSilent ? silence + block.frameCount : nil
        }
        recorded.store(first + block.frameCount, ordering: .relaxed)
    }

    private func warnOfSilence(in source: AudioSource) {
        guard let silence = leadingSilence, silence >= Self.longestSilence * sampleRate else { return }
        warnings.tell(.silence(seconds: Self.longestSilence, source))
        leadingSilence = nil
    }
}

// MARK: - Gaps

extension RecordingEngine {
    private func note(framesLost: Int, from source: AudioSource) {
        note(
            RecordingGap(position: frameCount, framesLost: framesLost, sampleRate: source.sampleSpec.sampleRate))
    }

    private func note(_ gap: RecordingGap) {
        gaps.append(gap)
        broadcast.events.send(.gap(gap))
    }

    /// Notes that the machine has slept since the fragment before.
    private func noteSleep(before stamp: FragmentRing.Stamp, _ source: AudioSource, _ stretch: inout Stretch) {
        let slept = stamp.timeAsleep - (timeAsleep ?? stamp.timeAsleep)
        timeAsleep = stamp.timeAsleep
        if slept > Self.shortestSleep { noteGap(Double(slept) * 1e-9, .sleep, source, &stretch) }
    }

    /// Notes what is missing after the last frame, and puts silence there where that is asked for.
    private func noteGap(
        _ seconds: Double, _ cause: RecordingGap.Cause, _ source: AudioSource, _ stretch: inout Stretch
    ) {
        let rate = source.sampleSpec.sampleRate
        let fillsGaps = configuration.interruptions.fillsGaps
        note(
            RecordingGap(
                position: frameCount, framesLost: Int((seconds * Double(rate)).rounded()), sampleRate: rate,
                cause: cause, isFilled: fillsGaps))
        guard fillsGaps else { return }
        // The clock of host times stands still while the machine sleeps.
        let isTimeStill = cause == .sleep
        mainLane.fill(seconds: seconds, limit: limitSeconds) { block, first in
            placeCues(in: block, first: first, hostTime: endHostTime)
            stretch.publish(block, first: first, hostTime: endHostTime, isTimeStill: isTimeStill)
            if !isTimeStill { endHostTime += UInt64(block.frameCount) * 1_000_000_000 / UInt64(sampleRate) }
            recorded.store(first + block.frameCount, ordering: .relaxed)
        }
        for lane in lanes.dropFirst() { lane.fill(seconds: seconds, limit: limitSeconds) }
    }
}
