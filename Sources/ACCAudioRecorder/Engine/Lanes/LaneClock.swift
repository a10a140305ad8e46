/// Where the frames of a lane lie on the recording's time, which is the length of the first lane's audio.
///
/// First the lane is placed: by its lowest arrival lag against the first lane's and, because arrivals hide a constant, by the
/// medians of the capture times that the server states of both. From then on a second-order loop on the difference of the
/// lowest lags moves it: the loop of Adriaensen, "Using a DLL to filter time", 2005, with ω = 2πB, b = √2·ω and c = ω², as
/// PipeWire's `spa/utils/dll.h` has it for rates. Its bandwidth narrows with the time since the placement, like that of a fit
/// to all seconds so far, down to `finalBandwidth`. The loop changes only the drift, by at most 20 ppm in a second, so that
/// time is continuous: a clock that jumps by 200 ppm is followed with an error of at least 1 ms.
///
/// Lags hold for seconds and minutes; for longer, later medians of stated times correct them, by a tenth of what they differ.
struct LaneClock {
    /// The largest deviation of the ratio from 1, and its largest change in a second.
    static let largestDrift = 0.01
    static let largestChange = 20e-6
    /// In Hz.
    private static let finalBandwidth = 0.024
    /// The number of lowest lags, one a second, from which a lane is placed, and placed again.
    private static let placingCount = 5
    private static let placingAgainCount = 1
    /// A larger change of the difference of the lags from one second to the next is no drift, in seconds: a server delivers
    /// earlier or later, or audio is missing that the detector has not found. After so many seconds of it the lane keeps its
    /// place, and the difference counts from there; a few late seconds are ignored. Where the server is asked for its timing, the
    /// difference says where the lane lies: it is moved there. Where it states what each source keeps, the lane is moved at once: see
    /// `ArrivalLevel`.
    private static let largestStep = 0.003
    private static let stepCount = 4
    /// How much of a drift counts that was seen in five seconds of stated times, whose errors of 0.1 ms look like 50 ppm; and the
    /// time in seconds by which the bandwidth is as narrow as these errors ask for.
    private static let trustInStatedDrift = 0.9
    private static let ageByStatement = 15.0
    /// How much faster or slower than its own lags say a lane is made at most, as a fraction. Else audio that a server loses again
    /// and again without a word would be taken for a clock.
    private static let largestAdjustment = 300e-6
    /// The number of lowest lags from which a lane knows its own drift.
    private static let ownDriftCount = 10
    /// A lane that lies farther than this from where it is stated to be, after a step, is moved; its rate corrects less. In
    /// seconds.
    private static let largestSteered = 0.01
    /// Errors are not compared over a longer time, in seconds.
    private static let longestPause = 3.0
    /// How much later a source that is recorded may deliver than another one, in seconds; and as long as the server has stated
    /// that for a short time only, in which it may be far off. A faulty one may state any time.
    private static let largestConstant = 2.0
    private static let largestFirstConstant = 0.05
    private static let smallestCorrection = 0.1

    /// By how many seconds the recording's time gains on the lane's audio in a second.
    private(set) var drift = 0.0
    /// Whether the lane is placed. Until then each fragment moves it.
    private(set) var isPlaced = false
    /// The recording's time minus the length of the lane's audio, where that is `anchor`; nil before the first fragment.
    private var offset: Double?
    private var anchor = 0.0
    /// What the difference of the lags lacks: what is stated, and the steps.
    private var constant = 0.0
    private var spread = 0.0
    private var steps = 0.0
    private var wasPlaced = false
    /// The first lowest lag by which it is placed, by how much it differs from the first lane's, and what was stated then; nil where
    /// the server does not state what each source keeps, since what it states first may be far off.
    private var firstLag: (point: LagPoint, difference: Double, constant: Double)?
    /// The time since the placement in seconds, with that of placing.
    private var age = 0.0
    /// The latest lowest lag: its time and by how much the lane lies too early by it.
    private var last: (time: Double, error: Double)?
    /// The seconds that may be a step: the error in the first of them, and their number.
    private var step: (error: Double, count: Int)?
    /// The number of medians since a step; nil once they have confirmed the place.
    private var mediansSinceStep: Int?
    /// The steps of the first lane's arrivals that were followed.
    private var firstStepCount = 0
    /// Whether the lane was moved since somebody asked.
    private var wasMoved = false
    /// The number of medians that the lane had stated, and of those that were used since the placement.
    private var statedCount = 0
    private var correctionCount = 0

    /// The deviation of the lane's clock from the first lane's in parts per million; positive if it is slow, and a second of
    /// its audio takes longer than one of the recording's.
    var ppm: Double { drift * 1e6 }

    /// How uncertain the place is, in seconds: half of the times that were stated lie within it. Steps add to it, as long as
    /// what is stated has not confirmed them.
    var uncertainty: Double { spread + steps }

    /// The recording's time of a frame in seconds; nil before the first fragment.
    ///
    /// - Parameter seconds: The length of the lane's audio before that frame, with what is missing.
    func time(after seconds: Double) -> Double? {
        offset.map { seconds + $0 + drift * (seconds - anchor) }
    }

    /// Places the lane again, because it comes back after it was away. The drift stays.
    mutating func interrupt() {
        isPlaced = false
        (last, step) = (nil, nil)
    }

    /// Goes back to the beginning of the fragments by which the lane was placed, which it then follows again, if audio is missing
    /// among them: those before it lie elsewhere than those after it. What is stated tells a server that only delivers later.
    mutating func rewind() {
        guard let firstLag, let offset else { return }
        let seconds = firstLag.point.time - firstLag.point.lag
        let shift = firstLag.difference - offset - drift * (seconds - anchor)
        guard min(abs(shift + constant), abs(shift + firstLag.constant)) > Self.largestStep else { return }
        constant = firstLag.constant
        (self.offset, anchor) = (firstLag.difference + constant, seconds)
        last = (firstLag.point.time, 0)
    }

    /// Follows the lane after each of its fragments.
    ///
    /// - Parameters:
    ///   - lane: The lane's arrivals, which know what is missing.
    ///   - first: The first lane's. While it is away, time goes on at its last rate.
    mutating func follow(_ lane: LaneArrivals, on first: LaneArrivals) {
        guard isPlaced else { return place(lane, on: first) }
        let now = lane.arrivalTime ?? 0
        guard !lane.isInDoubt(at: now), !first.isInDoubt(at: now),
            let floor = lane.floor,
            floor.time > last?.time ?? -.infinity || first.stepCount != firstStepCount,
            let reference = first.lag(at: floor.time), let place = time(after: floor.time - floor.lag)
        else { return }
        firstStepCount = first.stepCount
        let seconds = floor.time - floor.lag
        let difference = floor.lag - reference - (place - seconds)
        if let place = statedPlace(of: lane, first, difference) {
            (statedCount, correctionCount) = (lane.statedCount, 0)
            return move(to: place, by: difference + place, at: floor.time, after: lane.seconds)
        }
        correct(by: lane, first, difference)
        var error = difference + constant
        // What is stated hides no constant: where its line lies elsewhere, it was wrong before, or audio is missing.
        let hidesConstant = !lane.isByStatement || !first.isByStatement
        let expected = hidesConstant ? last?.error ?? error : 0
        if abs(error - expected) > Self.largestStep {
            if let place = sourcePlace(of: lane, first) {
                return move(to: place, by: difference + place, at: floor.time, after: lane.seconds)
            }
            last?.time = floor.time
            guard isStep(to: error) else { return }
            guard hidesConstant else { return move(to: constant, by: error, at: floor.time, after: lane.seconds) }
            steps += abs(error - expected)
            mediansSinceStep = 0
            constant -= error - expected
            error = expected
        }
        step = nil
        // From here on, so that the new drift moves no frame of before.
        (offset, anchor) = (time(after: lane.seconds).map { $0 - lane.seconds }, lane.seconds)
        steer(by: error, at: floor.time)
        limit(to: lane, first)
    }

    /// Keeps the drift near that of the lane's own lags.
    private mutating func limit(to lane: LaneArrivals, _ first: LaneArrivals) {
        guard lane.floorCount > Self.ownDriftCount, first.floorCount > Self.ownDriftCount else { return }
        let own = lane.drift - first.drift
        drift = min(max(drift, own - Self.largestAdjustment), own + Self.largestAdjustment)
    }

    /// Whether the lane was moved since the last call.
    mutating func takeMove() -> Bool {
        defer { wasMoved = false }
        return wasMoved
    }

    /// Changes the drift, once a second. Adriaensen's loop adds b·e to the time and c·e to the period; here b·e is spread over the following
    /// second, as a change of the drift.
    private mutating func steer(by error: Double, at time: Double) {
        let pause = last.map { time - $0.time } ?? 0
        age += min(pause, 1)
        let bandwidth = max(2 * .pi * Self.finalBandwidth, 2 / age)
        let growth = pause < Self.longestPause ? error - (last?.error ?? error) : 0
        let change = bandwidth * bandwidth * error + 2.0.squareRoot() * bandwidth * growth
        drift += min(max(change, -Self.largestChange), Self.largestChange)
        drift = min(max(drift, -Self.largestDrift), Self.largestDrift)
        last = (time, error)
    }
}

// MARK: - The place

extension LaneClock {
    /// Sets the place to what is known so far.
    private mutating func place(_ lane: LaneArrivals, on first: LaneArrivals) {
        guard let time = lane.arrivalTime, let lag = lane.lag(at: time), let reference = first.lag(at: time) else {
            return
        }
        if !wasPlaced {
            let limit = lane.statedCount * first.statedCount > 0 ? Self.largestConstant : Self.largestFirstConstant
            constant = min(max((lane.stated?.delay ?? 0) - (first.stated?.delay ?? 0), -limit), limit)
            spread = (lane.stated?.spread ?? 0) + (first.stated?.spread ?? 0)
            drift = lane.isSteady && first.isSteady ? lane.drift - first.drift : 0
            if lane.isByStatement { drift *= Self.trustInStatedDrift }
            // The first fragment of the first lane may be as late as the next ones show.
            if firstLag == nil, first.floor != nil, let floor = lane.floor, let constant = sourcePlace(of: lane, first)
            {
                firstLag = first.lag(at: floor.time).map { (floor, floor.lag - $0, constant) }
            }
        }
        (offset, anchor) = (lag - reference + constant, time - lag)
        guard lane.floorCount >= (wasPlaced ? Self.placingAgainCount : Self.placingCount),
            lane.statedCount > 0, first.statedCount > 0,
            wasPlaced || !first.isByStatement || first.floorCount >= Self.placingCount
        else { return }
        (isPlaced, wasPlaced) = (true, true)
        (age, statedCount, correctionCount) = (Double(Self.placingCount), lane.statedCount, 0)
        if lane.isByStatement { age = Self.ageByStatement }
        last = lane.floor.map { ($0.time, 0) }
    }

    /// Where the lane lies beside the difference of the lags, as far as the server states what each source keeps.
    private func sourcePlace(of lane: LaneArrivals, _ first: LaneArrivals) -> Double? {
        guard let delay = lane.sourceDelay, let reference = first.sourceDelay else { return nil }
        return delay - reference
    }

    /// What is stated after a step of what the difference lacks, if it puts the lane far from where it lies; nil if it does not.
    private mutating func statedPlace(of lane: LaneArrivals, _ first: LaneArrivals, _ difference: Double) -> Double? {
        guard let count = mediansSinceStep, lane.statedCount > statedCount, let stated = lane.stated,
            let reference = first.stated
        else { return nil }
        mediansSinceStep = count + 1
        // The first one may have begun before the step.
        guard count > 0 else { return nil }
        mediansSinceStep = nil
        let place = stated.delay - reference.delay
        return abs(difference + place) > Self.largestSteered ? place : nil
    }

    /// Moves the lane to where it is stated to be.
    private mutating func move(to place: Double, by misplacement: Double, at time: Double, after seconds: Double) {
        guard let offset = self.time(after: seconds).map({ $0 - seconds }) else { return }
        (constant, steps, step) = (place, 0, nil)
        (self.offset, anchor) = (offset + misplacement, seconds)
        last = (time, 0)
        wasMoved = true
    }

    /// Moves the constant towards what was stated since: by half of what that differs the first time, then by a third.
    private mutating func correct(by lane: LaneArrivals, _ first: LaneArrivals, _ difference: Double) {
        guard lane.statedCount > statedCount, let stated = lane.stated, let reference = first.stated else { return }
        statedCount = lane.statedCount
        correctionCount += 1
        let share = max(1 / Double(correctionCount + 1), Self.smallestCorrection)
        let correction = (difference + stated.delay - reference.delay) * share
        constant += correction
        last?.error += correction
        steps *= 1 - share
    }

    /// Whether the difference has stayed for long enough where it jumped to.
    private mutating func isStep(to error: Double) -> Bool {
        if let begun = step, abs(error - begun.error) < Self.largestStep {
            step?.count += 1
        } else {
            step = (error, 1)
        }
        return step.map { $0.count >= Self.stepCount } ?? false
    }
}
