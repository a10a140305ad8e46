/// Whether a source delivers.
enum SourceFlow: Sendable, Equatable {
    /// The first frame of the segment has arrived, or the first after a suspension.
    case flowing
    /// The source was suspended, or the application plays nothing; may follow another one, if the cause has changed.
    case suspended(RecordingInterruption)
    /// The source is not suspended, but has delivered nothing for some time.
    case stalled
}

/// Turns the items of an input into a timeline: the frames to record, the gaps between them with their causes, and
/// whether the source delivers.
///
/// It detects dropped audio by the arrival times of fragments: one by one (`GapDetector`), and as a sum over the whole stretch
/// (`LossAccount`). It detects the machine's sleep by its clocks, and the gap of an
/// interruption by the times of the frames around it. All times come from the stamps.
///
/// The gap of an interruption is measured by `CaptureTimes`: where the same source was opened again, right to 3 ms on both
/// servers, whereas the capture times that a new stream states are off by up to a block that the source delivers. Where
/// fragments do not arrive evenly at first, and between the streams of an application, stated times are compared.
struct Intake {
    /// What to do next.
    enum Decision: Equatable {
        /// Record these frames of the fragment. The first was captured at this time, in CLOCK_MONOTONIC nanoseconds;
        /// nil if they directly follow the previous ones.
        case record(Range<Int>, hostTime: UInt64?)
        /// Record a gap.
        case gap(seconds: Double, RecordingGap.Cause)
        /// Report that audio is missing somewhere within the latest frames.
        case missing(LossAccount.Shortfall)
        /// Report that one of several streams lacks this many frames. They end before frame `end`, counted from the next
        /// frame.
        case partMissing(frames: Int, end: Int, tag: Int = 0)
        /// Report that the source began or stopped delivering.
        case flow(SourceFlow)
    }

    /// What is missing between the last frame of a recording and its end, or a pause.
    struct MissingEnd: Sendable {
        var seconds: Double
        var cause: RecordingGap.Cause
        /// Whether the recording goes on after a pause.
        var isBeforePause = false
    }

    /// When the first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    private struct FirstTime {
        let passedOn: UInt64
        var known: UInt64
        /// The length of audio before it, in seconds; nil once `times` is that of a later stretch.
        var seconds: Double?
    }

    /// What one input passes on to the next one of the recording.
    struct Carryover {
        /// When the frame after the last one was captured, in CLOCK_MONOTONIC nanoseconds; nil before the first.
        fileprivate var endTime: UInt64?
        /// The same, as the server stated it.
        fileprivate var statedEnd: UInt64 = 0
        /// When the last fragment arrived, in CLOCK_MONOTONIC nanoseconds.
        fileprivate var lastArrival: UInt64 = 0
        /// The source of the last input, and how it delivered: see `CaptureTimes.delay`.
        fileprivate var source: AudioSource?
        fileprivate var delay: Double?
        /// The interruption since the last frame, if any.
        fileprivate var interruption: RecordingInterruption?
        /// Whether the source has ended by itself, so that nothing is missing afterwards.
        fileprivate var isExhausted = false
        /// How long the machine had slept when the last fragment arrived, in nanoseconds.
        fileprivate var timeAsleep: Int64?

        /// Creates the carryover of a recording without frames.
        init() {}
    }

    private enum Delivery: Equatable {
        /// Nothing has arrived yet.
        case opened(isLate: Bool)
        case flowing
        case suspended
        case stalled
        case exhausted
    }

    /// A longer difference of the clocks, in nanoseconds, means that the machine slept; a shorter one is imprecision.
    private static let shortestSleep: Int64 = 10_000_000

    /// A capture time of this many nanoseconds after the first frame, or fewer, may be corrected later.
    private static let settlingTime: UInt64 = 3_000_000_000

    /// The length in seconds of the audio that corrects the time of the first frame. More would add the drift of the clocks.
    private static let learningTime = 10.0

    private let source: AudioSource
    private let fragmentFrames: Int
    private var delivery = Delivery.opened(isLate: false)
    /// How many of the next frames were captured before the suspension that has ended.
    private var earlierFrames = 0
    private var detector: GapDetector
    /// Whether the latest fragment has waited somewhere, so that its arrival tells nothing.
    private(set) var isLate = false
    private var account: LossAccount
    private var times: CaptureTimes
    /// The capture time of the first frame, as it was passed on and as it is known by now; nil before it.
    private var firstTime: FirstTime?
    /// Whether the recording has not begun, so that its first frame is still to come.
    var awaitsStart = false
    private var carryover: Carryover
    /// Whether nothing has arrived yet since the source was opened again after an interruption.
    private var isOpenedAgain: Bool
    /// The number of fragments that show whether the first one of a stream arrived evenly: those of 0.4 s, at least two.
    private let fragmentsOfStart: Int
    private var awaitedFragments = 1
    /// The decisions about the current item; a variable to reuse its memory.
    private var decisions: [Decision] = []

    /// - Parameters:
    ///   - source: The input's source.
    ///   - fragmentFrames: The length of a fragment in frames.
    ///   - carryover: The carryover of the previous input.
    ///   - interruption: The interruption between the two; nil for a pause.
    init(
        _ source: AudioSource, fragmentFrames: Int, carryover: Carryover = Carryover(),
        after interruption: RecordingInterruption? = nil
    ) {
        self.source = source
        self.fragmentFrames = fragmentFrames
        self.carryover = carryover
        isOpenedAgain = interruption != nil
        let spec = source.sampleSpec
        fragmentsOfStart = max((spec.rate * 2 / 5 + fragmentFrames - 1) / fragmentFrames, 2)
        detector = GapDetector(
            spec, fragmentFrames: fragmentFrames, smallestDisturbedLoss: source.smallestDisturbedLoss)
        account = LossAccount(spec, smallestDisturbedLoss: source.smallestDisturbedLoss)
        times = CaptureTimes(
            source, delayBefore: source.deliversLike(carryover.source) ? carryover.delay : nil)
        decisions.reserveCapacity(8)
        if let interruption {
            setInterruption(interruption)
        } else {
            // A pause is no gap, nor is the time until the source delivers afterwards.
            self.carryover.interruption = nil
            self.carryover.endTime = nil
            self.carryover.timeAsleep = nil
        }
    }

    /// The number of fragments, starting with the next item, that the next call of `decide` has to see.
    var lookahead: Int { max(detector.lookahead, awaitedFragments) }

    private var spec: SampleSpec { source.sampleSpec }

    /// Whether arrival times determine the length of the gap before the next frame.
    private var isMeasuredByArrival: Bool {
        guard carryover.endTime != nil, let cause = carryover.interruption else { return false }
        // What PulseAudio states of a stream that has begun to play is up to 0.7 s wrong for a second. On PipeWire, the first
        // fragments of one come together.
        guard source.kind == .application, source.isOnPipeWire else { return true }
        return cause == .applicationMoved && !isOpenedAgain
    }

    /// What the next input continues from.
    var nextCarryover: Carryover {
        var next = carryover
        next.source = source
        next.delay = times.delay
        return next
    }

    /// What is known by now of a capture time that was passed on, in CLOCK_MONOTONIC nanoseconds: those of the first seconds
    /// are less exact.
    func corrected(_ time: UInt64) -> UInt64 {
        guard let firstTime, time <= firstTime.passedOn + Self.settlingTime else { return time }
        return firstTime.known + time - min(firstTime.passedOn, time)
    }

    /// Decides about the next item.
    ///
    /// - Parameter upcoming: If the item is a fragment, its stamp and those of the following fragments, `lookahead` in
    ///   all; fewer only if no more are coming.
    /// - Returns: What to do, in order; nil if a later fragment must be seen first: `lookahead` has grown, and the call
    ///   must be repeated.
    mutating func decide(
        _ item: CaptureItem, upcoming: ArraySlice<FragmentStamp>
    ) -> [Decision]? {
        decisions.removeAll(keepingCapacity: true)
        switch item {
        case .fragment(let stamp) where isStillDelivered:
            recordEarlierFragment(stamp)
        case .fragment(let stamp):
            if delivery != .flowing, isMeasuredByArrival, upcoming.count < fragmentsOfStart, upcoming.count >= lookahead
            {
                awaitedFragments = fragmentsOfStart
                return nil
            }
            if delivery != .flowing, isMeasuredByArrival, !isOpenedAgain, times.isEarlier(firstOf: upcoming) {
                recordEarlierFragment(stamp)
                break
            }
            let judgement = detector.judge(upcoming)
            if judgement == .undecided { return nil }
            consume(stamp, judgement, upcoming)
            awaitedFragments = 1
        case .hole(let frames, let cause):
            detector.skip(frames)
            let seconds = Double(frames) / spec.sampleRate
            account.add(missing: seconds)
            times.skip(seconds)
            carryover.advance(by: spec.nanoseconds(frames))
            decisions.append(.gap(seconds: seconds, cause == .overrun ? .overrun : .dropped))
        case .partMissing(let frames, let end, let tag):
            decisions.append(.partMissing(frames: frames, end: end, tag: tag))
        case .suspended(.applicationMoved):
            // It goes on at once, unless another cause follows.
            pause(as: .opened(isLate: false))
            setInterruption(.applicationMoved)
        case .suspended(let cause):
            pause(as: .suspended)
            setInterruption(RecordingInterruption(cause))
            decisions.append(.flow(.suspended(RecordingInterruption(cause))))
        case .resumed(let frames):
            pause(as: .opened(isLate: false))
            earlierFrames = carryover.endTime == nil ? 0 : frames
        case .exhausted:
            pause(as: .exhausted)
            carryover.isExhausted = true
        }
        return decisions
    }

    /// Takes for confirmed what another input of the same clock lacks, if it shows here as well.
    ///
    /// - Parameters:
    ///   - decision: The one about the other input; only losses count.
    ///   - offset: How many seconds later than the next frame that loss is.
    ///   - upcoming: The stamps of all fragments that wait.
    mutating func confirm(_ decision: Decision, at offset: Double, upcoming: ArraySlice<FragmentStamp>) {
        switch decision {
        case .gap(let seconds, .dropped):
            detector.confirm(seconds, at: Int(offset * spec.sampleRate), by: upcoming)
        case .missing(let shortfall): account.confirm(shortfall.seconds)
        case .gap, .partMissing, .record, .flow: break
        }
    }

    /// Counts what is missing after the latest fragment as known, because it was found otherwise; negative if it was less than what
    /// is known.
    mutating func skip(_ seconds: Double) {
        detector.skip(Int((seconds * spec.sampleRate).rounded()))
        account.add(missing: seconds)
    }

    /// Called at the end of the input, or of the recording.
    ///
    /// - Returns: What is missing without having been found before.
    mutating func close() -> LossAccount.Shortfall? {
        let shortfall = account.close()
        if let shortfall { carryover.advance(by: UInt64(shortfall.seconds * 1e9)) }
        return shortfall
    }

    /// Called when nothing arrived for `CaptureRing.idleTime`.
    ///
    /// - Returns: The resulting change of the source, if any.
    mutating func idle() -> SourceFlow? {
        switch delivery {
        case .opened(isLate: false):
            // Some sources need twice as long before their first frame, such as a Bluetooth headset or a sink that
            // renders blocks of two seconds.
            delivery = .opened(isLate: true)
            return nil
        case .opened(isLate: true), .flowing:
            pause(as: .stalled)
            return .stalled
        case .suspended, .stalled, .exhausted:
            return nil
        }
    }

    private mutating func consume(
        _ stamp: FragmentStamp, _ judgement: GapDetector.Judgement,
        _ upcoming: ArraySlice<FragmentStamp>
    ) {
        let frameCount = stamp.byteCount / spec.bytesPerFrame
        let isMeasured = isMeasuredByArrival && upcoming.count >= fragmentsOfStart
        isLate = judgement == .late
        let isEven = times.lookAhead(at: upcoming)
        let start = times.seconds
        let loss: GapDetector.Loss? = if case .loss(let loss) = judgement { loss } else { nil }
        if let loss { times.skip(loss.seconds) }
        times.add(stamp, isLate: isLate)
        var first = recordEarlierFrames(atMost: frameCount)
        guard first < frameCount else { return detector.add(stamp) }
        let startTime = times.time(after: start + seconds(first))
        // A stalled source is closed unless it is suspended, so one that delivers again was suspended.
        if delivery == .stalled { setInterruption(.suspended) }
        let hasBegun = delivery != .flowing
        delivery = .flowing
        if hasBegun {
            if let shortfall = account.close() { decisions.append(.missing(shortfall)) }
            account = LossAccount(spec, smallestDisturbedLoss: source.smallestDisturbedLoss)
        }
        detector.add(stamp)

        let timeSlept = stamp.timeAsleep - (carryover.timeAsleep ?? stamp.timeAsleep)
        carryover.timeAsleep = stamp.timeAsleep
        if timeSlept > Self.shortestSleep {
            decisions.append(.gap(seconds: Double(timeSlept) * 1e-9, .sleep))
        }
        if let cause = carryover.interruption.take(), let endTime = carryover.endTime {
            let stated = (from: carryover.statedEnd, to: stamp.hostTime + spec.nanoseconds(first))
            let gap = isMeasured && isEven ? (from: endTime, to: startTime) : stated
            var missing = (Double(gap.to) - Double(gap.from)) * 1e-9
            let frameLength = seconds(1)
            // The times may be too inexact to show how many frames are missing, even overlap.
            if cause.isOfApplication || isOpenedAgain && missing < -frameLength { missing = max(missing, frameLength) }
            if missing > frameLength / 2 { decisions.append(.gap(seconds: missing, .interruption(cause))) }
        }
        isOpenedAgain = false
        // After the gap, so that whoever hears of it knows what is missing.
        if hasBegun { decisions.append(.flow(.flowing)) }

        if let loss { account.add(missing: loss.seconds) }
        if let shortfall = account.add(stamp) { decisions.append(.missing(shortfall)) }
        if let loss {
            if loss.offset > first { decisions.append(.record(first..<loss.offset, hostTime: nil)) }
            first = max(first, loss.offset)
            decisions.append(.gap(seconds: loss.seconds, .dropped))
        }
        let time = times.time(after: start + (loss?.seconds ?? 0) + seconds(first))
        decisions.append(.record(first..<frameCount, hostTime: time))
        if awaitsStart || firstTime == nil {
            firstTime = FirstTime(passedOn: time, known: time, seconds: times.seconds - seconds(frameCount - first))
        }
        if let seconds = firstTime?.seconds, times.seconds < seconds + Self.learningTime {
            firstTime?.known = times.time(after: seconds)
        }
        carryover.endTime = max(carryover.endTime ?? 0, times.time(after: times.seconds))
        carryover.statedEnd = max(carryover.statedEnd, stamp.hostTime + spec.nanoseconds(frameCount))
        carryover.lastArrival = stamp.arrivalTime
    }

    /// The length of a number of frames in seconds.
    private func seconds(_ frames: Int) -> Double { Double(frames) / spec.sampleRate }

    /// Whether what arrives was captured before a suspension. A busy PulseAudio announces that first.
    private var isStillDelivered: Bool {
        delivery == .suspended && carryover.endTime != nil && source.kind != .application && !source.isOnPipeWire
    }

    /// Records a fragment that was captured before a suspension.
    private mutating func recordEarlierFragment(_ stamp: FragmentStamp) {
        earlierFrames = stamp.byteCount / spec.bytesPerFrame
        _ = recordEarlierFrames(atMost: earlierFrames)
    }

    /// Records the frames of the next fragment that were captured before a suspension.
    ///
    /// - Returns: How many these are.
    private mutating func recordEarlierFrames(atMost frameCount: Int) -> Int {
        let count = min(earlierFrames, frameCount)
        guard count > 0 else { return 0 }
        earlierFrames -= count
        carryover.advance(by: spec.nanoseconds(count))
        decisions.append(.record(0..<count, hostTime: nil))
        return count
    }

    /// If nothing arrived between two interruptions, the first one is the cause of the gap.
    private mutating func setInterruption(_ interruption: RecordingInterruption) {
        carryover.interruption = carryover.interruption ?? interruption
    }

    /// Called when the source stops delivering for a while; starts a new baseline, because fragments will arrive at
    /// other times.
    private mutating func pause(as delivery: Delivery) {
        self.delivery = delivery
        carryover = nextCarryover
        detector = GapDetector(
            spec, fragmentFrames: fragmentFrames, smallestDisturbedLoss: source.smallestDisturbedLoss)
        times = CaptureTimes(source, delayBefore: times.delay)
        firstTime?.seconds = nil
    }
}

extension Intake.Carryover {
    /// By how many seconds a source that delivers may be behind.
    private static let longestDelivery = 1.0

    /// What is missing between the last frame and the end of a recording, or a pause.
    ///
    /// - Parameters:
    ///   - end: When the recording ends or pauses, in CLOCK_MONOTONIC nanoseconds.
    ///   - interruption: Why its source is closed; nil if it was open until then.
    /// - Returns: Nil if the source has delivered until the end. What it delivered last may have been captured long before
    ///   it arrived: a server that drops audio of a program that was stopped delivers what is left of the oldest.
    func missing(until end: UInt64, after interruption: RecordingInterruption?) -> Intake.MissingEnd? {
        guard !isExhausted, let endTime, end > endTime else { return nil }
        let seconds = Double(end - endTime) * 1e-9
        if let cause = self.interruption ?? interruption { return .init(seconds: seconds, cause: .interruption(cause)) }
        guard seconds > Self.longestDelivery else { return nil }
        let silence = Double(end - min(lastArrival, end)) * 1e-9
        return .init(seconds: seconds, cause: silence > Self.longestDelivery ? .interruption(.stalled) : .dropped)
    }

    /// Moves the end by a number of nanoseconds. The sum is limited, because a faulty server may state any number of long holes.
    fileprivate mutating func advance(by nanoseconds: UInt64) {
        endTime = endTime.map { min($0, .max - nanoseconds) + nanoseconds }
        statedEnd = min(statedEnd, .max - nanoseconds) + nanoseconds
    }
}

extension AudioSource {
    /// Whether it is the other source, and delivers what it captures as soon as that one.
    fileprivate func deliversLike(_ other: AudioSource?) -> Bool {
        name == other?.name && sampleSpec == other?.sampleSpec && kind != .application
    }
}

extension SuspensionCause {
    /// Nil for an interruption that is no suspension.
    init?(_ interruption: RecordingInterruption) {
        let all: [Self] = [.suspended, .applicationAbsent, .applicationPaused, .applicationMoved]
        guard let cause = all.first(where: { RecordingInterruption($0) == interruption }) else { return nil }
        self = cause
    }
}

extension RecordingInterruption {
    fileprivate var isOfApplication: Bool {
        [.applicationAbsent, .applicationPaused, .applicationMoved].contains(self)
    }

    /// Why an input ended by itself; nil if it was stopped, or failed otherwise.
    init?(_ end: CaptureEnd) {
        switch end {
        case .sourceRemoved: self = .deviceLost
        case .killed: self = .streamKilled
        case .moved: self = .streamMoved
        case .serverLost: self = .serverLost
        case .stopped, .failed: return nil
        }
    }

    init(_ cause: SuspensionCause) {
        self =
            switch cause {
            case .suspended: .suspended
            case .applicationAbsent: .applicationAbsent
            case .applicationPaused: .applicationPaused
            case .applicationMoved: .applicationMoved
            }
    }
}
