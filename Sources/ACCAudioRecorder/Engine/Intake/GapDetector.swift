/// Detects audio that a server or the kernel dropped without reporting it, from arrival times.
///
/// The lag of a fragment is its arrival time minus the length of all audio up to its end. As long as everything is
/// delivered, lags stay within the jitter of their baseline. A late fragment is a candidate for a loss. If it was only
/// delayed, the following fragments arrive quickly, the lag returns to the baseline, and the candidate is rejected. If
/// the lag stays high, as much audio is missing as the lag has grown, and the candidate is confirmed. So judging a
/// candidate requires the fragments after it. The baseline is raised by a confirmed loss, so that a loss that follows at once
/// is detected, too. On a machine so busy that even the lowest lags vary, only larger losses are detected.
///
/// A server that gets no processor for long delivers seconds late, in pieces, and catches up in the end. So where lags are
/// unsteady, the server's stated latency must show a loss, too.
///
/// Lags also grow without a loss when another client of the source comes or goes: the server then delivers earlier or
/// later by up to a fragment, and its stated latency compensates for that only in part. But the server announces
/// clients. So as long as it has announced no change, a smaller loss can be confirmed too, provided that the stated
/// latency agrees and more fragments are late. Not where the server is asked for its timing with each fragment.
///
/// The first fragment that the reader had to wait for again shows where the loss is. If the queue that a server keeps
/// for a stopped reader is full, the server drops audio until the reader returns. Then it delivers the queue, followed
/// seamlessly by what it captures from then on. So the loss is followed by the audio captured since the reader
/// returned, plus the newest audio that the server had kept. If the reader was not stopped, the loss is within the late
/// fragment, and is placed in its middle.
///
/// If the capture ends before the reader has caught up, or catching up takes too long, arrival times give only an upper
/// bound. Then the server's stated latency determines how much is missing.
struct GapDetector {
    /// The length and place of a loss.
    struct Loss: Equatable {
        /// The length of the missing audio in seconds.
        var seconds: Double
        /// The number of frames of the fragment that precede the loss.
        var offset: Int
    }

    /// The judgement of the next fragment.
    enum Judgement: Equatable {
        /// It is not late.
        case inTime
        /// It is late, but nothing is missing within or just before it.
        case late
        /// It is late, and `lookahead` fragments must be seen to decide why.
        case undecided
        /// It is late, and this is missing within or just before it.
        case loss(Loss)
    }

    private enum State {
        /// Fragments are on time and form the baseline, starting from this frame; before it, a reader catches up.
        case steady(from: Int)
        /// Fragments are late.
        case candidate(Candidate)
        /// A loss is confirmed, within this fragment or a later one.
        case confirmed(Confirmation)
    }

    /// The first late fragment.
    private struct Candidate {
        /// Its arrival time in CLOCK_MONOTONIC nanoseconds.
        var arrivalTime: UInt64
        /// Its lag in seconds.
        var lag: Double
        /// How much of the newest audio the server keeps for a stopped reader, in seconds, as stated with the previous
        /// fragment.
        var keptLength: Double
    }

    private struct Confirmation {
        /// The length of the missing audio in seconds.
        var seconds: Double
        /// The frame of the capture after which it is missing.
        var frame: Int
        /// The first frame after the reader has caught up.
        var steadyFrame: Int
    }

    private enum Verdict {
        case rejected
        case confirmed(Confirmation)
        /// Confirmed by the stated latency only; if the loss is within a later fragment, it is judged again with that
        /// one.
        case estimated(Confirmation)
    }

    /// The smallest detectable loss in seconds, however small the jitter, if no other client has come or gone.
    private static let smallestUndisturbedLoss = 0.015
    /// How long a change announced by the server may affect deliveries, in nanoseconds.
    private static let disturbanceTime: UInt64 = 2_500_000_000
    /// How long fragments must be late, in seconds. Within this time, even a reader that rarely gets the processor
    /// catches up with the server once.
    private static let judgementLength = 1.0
    /// How long fragments must be late for a small loss, and where lags are unsteady, in seconds: a busy machine may deliver
    /// that late for a second.
    private static let longJudgementLength = 3.0
    /// About how many verdicts are sought while the number of fragments that are looked at doubles.
    private static let verdictsPerDoubling = 128
    /// By how much of a small loss the stated latency must have grown.
    private static let statedShare = 0.5
    /// By how much of a loss that another stream of the same clock has all lags must have grown.
    private static let sharedShare = 0.5
    /// By how much lags that are steady differ at most, in seconds, beside half a fragment.
    private static let steadiness = 0.06
    /// The longest audio in seconds that a server delivers at once without having queued it for a stopped reader.
    private static let longestBlock = 0.1
    /// The longest time in seconds that a reader takes to catch up.
    private static let longestCatchUp = 3.0

    private let sampleRate: Double
    private let bytesPerFrame: Int
    private let bytesPerFragment: Int
    private let smallestDisturbedLoss: Double
    /// The number of fragments that must be late for a loss.
    private let judgedCount: Int
    /// The same for a small loss, and where lags are unsteady, counted from the candidate.
    private let longJudgedCount: Int
    /// The maximum number of fragments to wait for.
    private let largestLookahead: Int

    /// The number of fragments, starting with the next one, that the next call of `judge` has to see; fewer if no more
    /// are coming.
    private(set) var lookahead = 1
    private var state = State.steady(from: 0)
    private var baseline = ArrivalBaseline()
    private var frameCount = 0
    private var last: FragmentStamp?
    /// When the server's last announced change was seen, in CLOCK_MONOTONIC nanoseconds.
    private var changeTime: UInt64 = 0

    /// - Parameters:
    ///   - fragmentFrames: The length of a fragment in frames.
    ///   - smallestDisturbedLoss: See `AudioSource`.
    init(
        _ spec: SampleSpec, fragmentFrames: Int,
        smallestDisturbedLoss: Double = AudioSource.smallestDisturbedLossOnPulseAudio
    ) {
        self.smallestDisturbedLoss = smallestDisturbedLoss
        sampleRate = spec.sampleRate
        bytesPerFrame = spec.bytesPerFrame
        bytesPerFragment = fragmentFrames * spec.bytesPerFrame
        judgedCount = max(Int(Self.judgementLength * sampleRate) / fragmentFrames, 4)
        longJudgedCount = max(Int(Self.longJudgementLength * sampleRate) / fragmentFrames, judgedCount)
        largestLookahead = judgedCount + Int(Self.longestCatchUp * sampleRate) / fragmentFrames
    }

    /// Judges the next fragment.
    ///
    /// - Parameter stamps: The stamps of that fragment and the following ones, `lookahead` in all. With fewer, no more
    ///   are coming, and the judgement is final.
    mutating func judge(_ stamps: ArraySlice<FragmentStamp>) -> Judgement {
        guard let next = stamps.first else { return .inTime }
        compareWithBaseline(next)
        switch state {
        case .steady:
            return .inTime
        case .confirmed(let confirmation):
            lookahead = stamps.count
            return loss(confirmation, in: next)
        case .candidate(let candidate):
            guard let verdict = verdict(on: candidate, by: stamps) else {
                // A growing step, since each verdict looks at all of them: there are thousands if fragments are tiny.
                lookahead = stamps.count + 1 + stamps.count / Self.verdictsPerDoubling
                return .undecided
            }
            lookahead = stamps.count
            switch verdict {
            case .confirmed(let confirmation):
                state = .confirmed(confirmation)
                return loss(confirmation, in: next)
            case .estimated(let confirmation):
                return loss(confirmation, in: next)
            case .rejected:
                // If deliveries are later from now on, this is the new baseline.
                if steadyLag(of: stamps.prefix(judgedCount), after: frameCount) != nil {
                    state = .steady(from: frameCount)
                }
                return .late
            }
        }
    }

    /// Adds the next fragment after it was judged.
    mutating func add(_ stamp: FragmentStamp) {
        // Incomplete fragments are excluded: they arrive late by the rest of their length.
        if case .steady(let first) = state, frameCount >= first, stamp.byteCount == bytesPerFragment {
            baseline.add(
                lag(of: stamp, after: frameCount), stated: statedLag(of: stamp, after: frameCount),
                over: length(of: stamp))
        }
        if stamp.changeCount != last?.changeCount { changeTime = stamp.steadyArrival }
        frameCount += frameCount(of: stamp)
        last = stamp
        lookahead = max(lookahead - 1, 1)
    }

    /// Skips frames that are known to be missing.
    mutating func skip(_ frames: Int) {
        frameCount += frames
    }

    /// Takes a loss for confirmed that was found in another stream of the same clock, if it shows here as well: what one such
    /// stream lacks because the clock has jumped, all lack, and each of them alone may be too unsteady to tell.
    ///
    /// - Parameters:
    ///   - seconds: The length of the missing audio.
    ///   - offset: The number of frames that precede it, from the next one on.
    ///   - stamps: The stamps of all fragments that wait.
    mutating func confirm(_ seconds: Double, at offset: Int, by stamps: ArraySlice<FragmentStamp>) {
        if case .confirmed = state { return }
        guard baseline.isEstablished else { return }
        var (frames, steadyFrame, lateCount) = (frameCount, frameCount, 0)
        for stamp in stamps {
            let isLate = lag(of: stamp, after: frames) > baseline.lowest + seconds * Self.sharedShare
            frames += frameCount(of: stamp)
            if isLate { lateCount += 1 } else { (steadyFrame, lateCount) = (frames, 0) }
        }
        guard lateCount >= judgedCount / 2 else { return }
        state = .confirmed(Confirmation(seconds: seconds, frame: frameCount + offset, steadyFrame: steadyFrame))
    }
}

// MARK: - Candidates

extension GapDetector {
    /// Makes a late fragment a candidate, unless there is one; drops the candidate if the fragment is on time.
    private mutating func compareWithBaseline(_ next: FragmentStamp) {
        let candidate: Candidate?
        switch state {
        case .confirmed: return
        case .steady(let first) where frameCount < first || !baseline.isEstablished: return
        case .steady: candidate = nil
        case .candidate(let present): candidate = present
        }
        let lag = lag(of: next, after: frameCount)
        let isLate = lag > baseline.highest + (isUndisturbed(at: next) ? undisturbedThreshold : threshold) / 2
        if !isLate {
            state = .steady(from: frameCount)
        } else if candidate == nil {
            state = .candidate(
                Candidate(arrivalTime: next.steadyArrival, lag: lag, keptLength: last?.keptLength ?? 0))
        }
    }

    /// Judges a candidate by these fragments; nil if one more must be seen.
    private func verdict(
        on candidate: Candidate, by stamps: ArraySlice<FragmentStamp>
    ) -> Verdict? {
        guard stamps.count >= lookahead, stamps.count < largestLookahead else {
            return verdictByStatedLatency(on: candidate, by: stamps)
        }
        guard !isInTime(lastOf: stamps) else { return .rejected }
        guard stamps.count >= judgedCount, let first = firstInTime(of: stamps) else { return nil }
        let newest = stamps[first...]
        guard newest.count >= judgedCount, let next = newest.first else { return nil }
        let frames = stamps[..<first].reduce(frameCount) { $0 + frameCount(of: $1) }
        var missing = lowestLag(of: newest, after: frames) - baseline.lowest
        let stated = statedGrowth(in: newest, after: frames)
        if missing <= threshold {
            guard missing > undisturbedThreshold, isUndisturbed(through: stamps) else { return .rejected }
            let needed = missing * (areSteady(newest, after: frames) ? Self.statedShare : 1)
            guard stamps.count >= longJudgedCount, stated > needed else { return nil }
        } else if !areSteady(newest, after: frames) {
            guard stamps.count >= longJudgedCount, stated > threshold else { return nil }
            missing = min(missing, stated)
        }
        return .confirmed(confirmation(of: candidate, missing, in: next, steadyFrame: frames))
    }

    /// The first of these fragments that the reader had to wait for and whose lag is hardly higher than the lowest one: from
    /// it on the reader has caught up. Lags may grow again by a later loss.
    private func firstInTime(of stamps: ArraySlice<FragmentStamp>) -> Int? {
        let lowest = lowestLag(of: stamps, after: frameCount)
        var (previous, frames) = (last?.steadyArrival ?? 0, frameCount)
        return stamps.indices.first { index in
            let stamp = stamps[index]
            defer { (previous, frames) = (stamp.steadyArrival, frames + frameCount(of: stamp)) }
            // Fragments that were queued for the reader arrive without a pause.
            let pause = (Double(stamp.steadyArrival) - Double(previous)) * 1e-9
            return pause > length(of: stamp) / 8 && isSteady(lag(of: stamp, after: frames), lowest, stamp)
        }
    }

    /// Judges a candidate if the reader takes too long to catch up or the capture ends first.
    ///
    /// Arrival times alone prove nothing here: the following fragments might arrive at once, and the last one of a
    /// capture is shorter and thus later than others. So the server's stated latency must have grown, too.
    private func verdictByStatedLatency(
        on candidate: Candidate, by stamps: ArraySlice<FragmentStamp>
    ) -> Verdict {
        let frames = stamps.reduce(frameCount) { $0 + frameCount(of: $1) }
        let missing = min(
            lowestLag(of: stamps, after: frameCount) - baseline.lowest, statedGrowth(in: stamps, after: frameCount))
        guard missing > threshold, let next = stamps.first else { return .rejected }
        return .estimated(confirmation(of: candidate, missing, in: next, steadyFrame: frames))
    }

    /// Whether the last of these fragments is on time, so that nothing can be missing before it.
    private func isInTime(lastOf stamps: ArraySlice<FragmentStamp>) -> Bool {
        let frames = stamps.dropLast().reduce(frameCount) { $0 + frameCount(of: $1) }
        return stamps.last.map { lag(of: $0, after: frames) < baseline.lowest + undisturbedThreshold } ?? false
    }

    /// Whether the server had announced no change for long enough when this fragment arrived, and is not asked for its timing.
    ///
    /// What PulseAudio answers may rise by 30 ms for some seconds, together with all arrivals, though nothing is missing. Where it
    /// is asked, `LaneClock` finds what is missing, by what is stated for half a minute.
    private func isUndisturbed(at next: FragmentStamp) -> Bool {
        !next.isAsked && next.changeCount == last?.changeCount && next.steadyArrival > changeTime + Self.disturbanceTime
    }

    /// Whether the server has announced no change during these fragments either.
    private func isUndisturbed(through stamps: ArraySlice<FragmentStamp>) -> Bool {
        stamps.first.map(isUndisturbed(at:)) ?? false
            && stamps.allSatisfy { $0.changeCount == last?.changeCount }
    }
}

// MARK: - Losses

extension GapDetector {
    /// Determines where a loss is.
    ///
    /// - Parameter stamp: The first fragment that shows it.
    private func confirmation(
        of candidate: Candidate, _ missing: Double, in stamp: FragmentStamp, steadyFrame: Int
    ) -> Confirmation {
        let lag = baseline.lowest + missing
        var end = Double(candidate.arrivalTime) * 1e-9 - lag
        if candidate.lag - lag > Self.longestBlock {
            end -= candidate.keptLength
        } else {
            end -= length(of: stamp) / 2
        }
        return Confirmation(seconds: missing, frame: Int(end * sampleRate), steadyFrame: steadyFrame)
    }

    /// Reports a confirmed loss, unless it is after this fragment.
    private mutating func loss(_ confirmation: Confirmation, in next: FragmentStamp) -> Judgement {
        guard confirmation.frame < frameCount + frameCount(of: next) else { return .late }
        state = .steady(from: confirmation.steadyFrame)
        baseline.shift(by: confirmation.seconds)
        return .loss(Loss(seconds: confirmation.seconds, offset: max(confirmation.frame - frameCount, 0)))
    }
}

// MARK: - Lags

extension GapDetector {
    private var threshold: Double { max(smallestDisturbedLoss, 2 * baseline.jitter) }
    private var undisturbedThreshold: Double { max(Self.smallestUndisturbedLoss, 2 * baseline.jitter) }

    /// How much the lag by stated latency has grown since the baseline, in seconds.
    private func statedGrowth(
        in stamps: ArraySlice<FragmentStamp>, after frames: Int
    ) -> Double {
        var frames = frames
        // The highest, because libpulse assumes for some time that the missing audio is still on its way.
        var highest = -Double.infinity
        for stamp in stamps {
            highest = max(highest, statedLag(of: stamp, after: frames))
            frames += frameCount(of: stamp)
        }
        return highest - baseline.highestStated
    }

    /// The lowest lag of these fragments if that of the first is hardly higher, which means that the reader has caught
    /// up; otherwise nil.
    private func steadyLag(
        of stamps: ArraySlice<FragmentStamp>, after frames: Int
    ) -> Double? {
        guard let next = stamps.first else { return nil }
        let (first, lowest) = (lag(of: next, after: frames), lowestLag(of: stamps, after: frames))
        return isSteady(first, lowest, next) ? lowest : nil
    }

    /// Whether the lag of none of these fragments is much higher than the lowest one.
    private func areSteady(_ stamps: ArraySlice<FragmentStamp>, after frames: Int) -> Bool {
        let lowest = lowestLag(of: stamps, after: frames)
        var frames = frames
        return stamps.allSatisfy { stamp in
            defer { frames += frameCount(of: stamp) }
            return isSteady(lag(of: stamp, after: frames), lowest, stamp)
        }
    }

    /// Whether the lag of this fragment is hardly higher than the lowest one.
    private func isSteady(_ lag: Double, _ lowest: Double, _ stamp: FragmentStamp) -> Bool {
        lag - lowest < Self.steadiness + length(of: stamp) / 2
    }

    /// The lowest lag of these fragments; infinity for none.
    private func lowestLag(of stamps: ArraySlice<FragmentStamp>, after frames: Int) -> Double {
        var (lowest, frames) = (Double.infinity, frames)
        for stamp in stamps {
            lowest = min(lowest, lag(of: stamp, after: frames))
            frames += frameCount(of: stamp)
        }
        return lowest
    }

    private func lag(of stamp: FragmentStamp, after frames: Int) -> Double {
        Double(stamp.steadyArrival) * 1e-9 - Double(frames + frameCount(of: stamp)) / sampleRate
    }

    private func statedLag(of stamp: FragmentStamp, after frames: Int) -> Double {
        Double(stamp.hostTime) * 1e-9 - Double(frames) / sampleRate
    }

    private func frameCount(of stamp: FragmentStamp) -> Int {
        stamp.byteCount / bytesPerFrame
    }

    private func length(of stamp: FragmentStamp) -> Double {
        Double(stamp.byteCount / bytesPerFrame) / sampleRate
    }
}

extension AudioSource {
    /// The smallest loss that is told from other clients that come or go, however small the jitter, in seconds.
    ///
    /// They make deliveries later, as measured: on PulseAudio by up to 41 ms. On PipeWire it is 75 ms, twice as much as they shorten
    /// its cycle, where cycles are not known; where they are, a source lacks half of these 75 ms at most, and an application nothing.
    var smallestDisturbedLoss: Double { isOnPipeWire ? 0.09 : Self.smallestDisturbedLossOnPulseAudio }
    static let smallestDisturbedLossOnPulseAudio = 0.06
}
