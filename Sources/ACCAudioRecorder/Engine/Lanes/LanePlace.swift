/// Where the next frame of a lane lies on the recording's time: of the reference by the length of its audio, of others by their
/// clocks.
struct LanePlace {
    /// Why a lane has another place.
    enum Correction {
        /// The place was estimated before, and is known now.
        case placed
        /// A step has shown another one.
        case stepped
    }

    /// The recording's.
    private let sampleRate: Double
    /// How many seconds later than it was captured it is placed, beside the reference.
    private(set) var delay: Double
    /// Whether the lane's clock is the reference's.
    var sharesClock: Bool
    private(set) var isReference = false
    /// The lane's arrivals; nil before it was opened.
    private(set) var arrivals: LaneArrivals?
    private(set) var clock = LaneClock()
    /// The place of the reference's first frame, in frames.
    private var origin = 0
    /// The seconds of the lane's audio before the next frame, with what was missing.
    private var cursor = 0.0
    /// When the frame at a place was captured, in CLOCK_MONOTONIC nanoseconds, as the intake last said; and how long the machine
    /// had slept by then.
    private(set) var captureTime: (position: Int, hostTime: UInt64)?
    private(set) var timeAsleep: Int64 = 0
    /// By how much the lane was moved at most once it was placed, in seconds.
    private var correction = 0.0

    /// A lane that lies farther than this from its place once that is known is moved there; its rate corrects less. In seconds.
    private static let largestMisplacement = 0.001

    /// - Parameters:
    ///   - sampleRate: The recording's, in Hz.
    ///   - delay: How many seconds later than it was captured it is placed.
    init(sampleRate: Int, delay: Double, sharesClock: Bool) {
        self.sampleRate = Double(sampleRate)
        self.delay = delay
        self.sharesClock = sharesClock
    }

    /// By how many seconds the recording's time gains on the lane's audio in a second.
    var drift: Double { isReference ? 0 : clock.drift }

    /// How the lane lies beside the reference, and its clock beside others.
    ///
    /// - Parameter first: The place of its first frame; nil if it has none yet.
    func alignment(from first: Int?) -> LaneAlignment {
        LaneAlignment(
            offset: first.map { Double($0) / sampleRate },
            uncertainty: isReference || !clock.isPlaced ? nil : clock.uncertainty,
            clockDrift: isReference ? nil : clock.ppm,
            systemDrift: arrivals.flatMap { $0.floorCount > 1 ? $0.drift * 1e6 : nil }, correction: correction)
    }

    /// Goes on with audio in another format.
    mutating func change(to spec: SampleSpec) {
        if arrivals == nil { arrivals = LaneArrivals(spec) }
        arrivals?.change(to: spec)
    }

    /// Makes the lane's audio the recording's time from its first frame on, or places it on that of another lane.
    ///
    /// - Parameters:
    ///   - origin: The place of the reference's first frame, in frames.
    ///   - delay: The reference's.
    ///   - clock: Nil for the reference.
    mutating func begin(at origin: Int, after delay: Double, by clock: LaneClock?) {
        self.origin = origin
        self.delay -= delay
        isReference = clock == nil
        if let clock { self.clock = clock }
    }

    /// Forgets all times, because the lane begins again. It is not the reference.
    mutating func restart(as spec: SampleSpec?) {
        (arrivals, clock) = (spec.map { LaneArrivals($0) }, LaneClock())
        captureTime = nil
        isReference = false
    }

    /// Carries the recording's time on in place of a lane with the same clock.
    ///
    /// - Parameter end: The place of the lane's next frame.
    mutating func takeOver(_ reference: LaneArrivals, at end: Int) {
        arrivals = reference
        arrivals?.skip(Double(end - origin) / sampleRate - reference.seconds)
        isReference = true
    }

    /// Loses the lane, because it delivers nothing any more. The recording's time goes on at the reference's last rate.
    mutating func interrupt() {
        guard !isReference else { return }
        arrivals?.interrupt()
        clock.interrupt()
    }
}

// MARK: - The next frames

extension LanePlace {
    /// Goes to the first frame of the next item, or what is missing before it.
    mutating func begin(_ decisions: [Intake.Decision]) {
        cursor = arrivals?.seconds ?? 0
        for decision in decisions {
            switch decision {
            case .gap(let seconds, let cause) where cause != .sleep: arrivals?.skip(seconds)
            case .missing(let shortfall): arrivals?.skip(shortfall.seconds)
            case .gap, .partMissing, .record, .flow: break
            }
        }
    }

    /// Lets the clock follow the arrival of the next fragment.
    ///
    /// - Parameters:
    ///   - isLate: Whether its arrival tells nothing.
    ///   - judgement: What the fragments after it say of it.
    /// - Returns: Why the lane has another place from now on; nil if it has not.
    mutating func follow(
        _ stamp: FragmentStamp, isLate: Bool, as judgement: ArrivalLevel.Judgement, on reference: LaneArrivals
    ) -> Correction? {
        timeAsleep = stamp.timeAsleep
        arrivals?.add(stamp, isLate: isLate, as: judgement)
        guard !isReference, let arrivals else { return nil }
        let wasPlaced = clock.isPlaced
        clock.follow(arrivals, on: reference)
        if clock.takeMove() { return .stepped }
        return !wasPlaced && clock.isPlaced ? .placed : nil
    }

    /// Whether a lane is to be moved that lies too early by so many frames.
    mutating func isMove(by frames: Double) -> Bool {
        let misplacement = abs(frames) / sampleRate
        guard misplacement > Self.largestMisplacement else { return false }
        correction = max(correction, misplacement)
        return true
    }

    /// The place of a frame; nil if it is not known.
    ///
    /// - Parameter seconds: The length of the lane's audio from the next frame to that one.
    func place(after seconds: Double = 0) -> Double? {
        let seconds = cursor + seconds
        return (isReference ? seconds : clock.time(after: seconds)).map { ($0 + delay) * sampleRate + Double(origin) }
    }

    /// The place of the first frame that was not followed yet, as far as it is known.
    var upcoming: Double? { place(after: (arrivals?.seconds ?? 0) - cursor) }

    /// Says when the next frame was captured, in CLOCK_MONOTONIC nanoseconds.
    mutating func note(hostTime: UInt64) {
        if let place = place() { captureTime = (Int((place - delay * sampleRate).rounded()), hostTime) }
    }

    /// Passes seconds of the lane's audio.
    mutating func advance(by seconds: Double) {
        cursor += seconds
    }

    /// Passes seconds of the lane's audio that are missing at its end.
    mutating func skipLast(_ seconds: Double) {
        arrivals?.skip(seconds)
        cursor += seconds
    }
}

/// How a lane lies beside the reference, and its clock beside others; nil where that is not known.
struct LaneAlignment {
    /// The place of its first frame, and how uncertain it is, in seconds.
    var offset: Double?
    var uncertainty: Double?
    /// By how much its clock is slow beside the reference's and beside CLOCK_MONOTONIC, in parts per million.
    var clockDrift: Double?
    var systemDrift: Double?
    /// By how much it was moved at most once it was placed, in seconds.
    var correction = 0.0
}
