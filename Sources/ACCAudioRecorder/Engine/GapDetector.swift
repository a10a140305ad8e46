/// Finds what a server or the kernel has dropped, of which nobody tells: by the clock.
///
/// The lag of a fragment is when it arrived, less the time that its frames and all before it last. It wanders within
/// bounds while everything is delivered. A fragment that comes later than is usual is suspect: if it was only held up,
/// those after it come quickly, and the lag falls back to what it was. If it does not, what the lag has grown by is
/// missing. So the judgement on a suspect fragment needs the arrival of those after it. On a machine so busy that even
/// the lowest lags wander, more has to be missing.
///
/// Lags also grow, and nothing is missing, where another client of the source comes or goes: a server then delivers sooner
/// or later by up to a fragment, and the latency that it states makes up for that only in part. But it tells of clients
/// that come and go. So where it has told of nothing, less has to be missing, the stated latency has to agree, and more
/// fragments have to come late.
///
/// Where it is missing follows from the first fragment that had to be waited for again. A server that keeps no more for a
/// reader drops what comes until it is read from, and then delivers what came until the stop and what comes from now on
/// without a seam. So what has come since the reading was taken up again lies behind the loss, and that is as much as
/// time has passed, and a little more: what the server had kept by then. Where the reader was not stopped, the loss is within
/// the fragment that came late, and taken to be in its midst.
///
/// Where the capture ends before the reader has caught up, or it takes too long, the arrivals tell only that no more is
/// missing than so much. What is, the server states.
struct GapDetector {
    /// What is missing, and where.
    struct Loss {
        /// How much.
        var seconds: Double
        /// How many frames of the fragment come before it.
        var offset: Int
    }

    /// A loss, while the fragments are taken that come before it.
    private struct Finding {
        var seconds: Double
        /// After how many frames of the capture it is.
        var place: Int
        /// How many frames there are until the lag is no longer that of a reader who catches up.
        var settledFrameCount: Int
    }

    /// What is missing less than this goes unnoticed, in seconds, however steadily fragments arrive, where another client
    /// may have come or gone.
    private static let leastThreshold = 0.06
    /// The same where no client has.
    private static let leastCalmThreshold = 0.015
    /// How long ago something was told that may still show, in nanoseconds.
    private static let calmTime: UInt64 = 2_500_000_000
    /// For how long fragments have to be seen for a judgement, in seconds. A reader that gets the processor now and then
    /// only has caught up with the server once in this time.
    private static let judgementLength = 1.0
    /// The same where so little is missing that it might be a machine so busy that it delivers as late for a second.
    private static let calmJudgementLength = 3.0
    /// What a server delivers at once without having kept it for a reader who was stopped, in seconds.
    private static let longestBlock = 0.1
    /// How long a reader takes, at most, for what had gathered behind a loss while it caught up, in seconds.
    private static let longestCatchUp = 3.0

    /// How many fragments are waited for, at most, for a judgement on one of those that a reader gets while it catches up.
    private let lookahead: Int
    /// How many of them are seen for the judgement itself.
    private let judged: Int
    /// How many are seen, from the suspect one on, where little is missing.
    private let judgedWhenCalm: Int
    private let sampleRate: Double
    private let bytesPerFrame: Int
    private let bytesPerFragment: Int
    private let keptLength: () -> Double
    /// The same, once it was asked for the suspect fragment.
    private var knownKeptLength: Double?
    private var frameCount = 0
    private var lastArrivalTime: UInt64 = 0
    /// The lags of fragments that were not suspect.
    private var history = LagHistory()
    /// The same by what the server states of its latency.
    private var statedHistory = LagHistory()
    /// How often the server had told of a change, as far as is known, and when it was first seen that it had.
    private var changeCount: Int?
    private var changeTime: UInt64 = 0
    private var isSuspicious = false
    /// When the first suspect fragment arrived, in CLOCK_MONOTONIC nanoseconds.
    private var suspicionTime: UInt64 = 0
    private var suspicionLag = 0.0
    private var finding: Finding?
    /// How many fragments after the last have been waited for.
    private var seenCount = 0
    /// How many frames there are until the lag is no longer that of a reader who catches up.
    private var settledFrameCount = 0

    /// - Parameters:
    ///   - fragmentFrames: The length of a fragment.
    ///   - keptLength: Tells how much a server has kept, on average, of what came just before a stopped reader came back, in
    ///     seconds.
    init(_ spec: SampleSpec, fragmentFrames: Int, keptLength: @escaping () -> Double = { 0 }) {
        sampleRate = Double(spec.sampleRate)
        bytesPerFrame = spec.bytesPerFrame
        bytesPerFragment = fragmentFrames * spec.bytesPerFrame
        self.keptLength = keptLength
        judged = max(Int(Self.judgementLength * sampleRate) / fragmentFrames, 4)
        judgedWhenCalm = max(Int(Self.calmJudgementLength * sampleRate) / fragmentFrames, judged)
        lookahead = judged + Int(Self.longestCatchUp * sampleRate) / fragmentFrames
    }

    /// Whether the fragments after the next one have to be seen before it is judged.
    ///
    /// - Parameter isExpected: Whether it is known that something is missing, for which a short history will do.
    mutating func suspects(_ next: FragmentRing.Stamp, isExpected: Bool = false) -> Bool {
        guard finding == nil, frameCount >= settledFrameCount,
            history.isMeaningful || isExpected && !history.isEmpty
        else { return isSuspicious }
        let lag = lag(of: next, after: frameCount)
        let isLate = lag > history.highest + (isCalm(at: next) ? calmThreshold : threshold) / 2
        if isLate, !isSuspicious {
            (suspicionTime, suspicionLag) = (next.arrivalTime, lag)
            knownKeptLength = nil
        }
        isSuspicious = isLate
        return isSuspicious
    }

    /// Judges a suspect fragment.
    ///
    /// - Parameter stamps: Waits for so many fragments, that one and those after it; has fewer where no more are waited for.
    /// - Returns: What is missing within it or just before it; nil for nothing, or where that lies behind it.
    mutating func loss<Stamps: RandomAccessCollection<FragmentRing.Stamp>>(
        awaiting stamps: (_ count: Int) -> Stamps
    ) -> Loss? {
        var seen = stamps(max(seenCount, 1))
        while seen.count < lookahead, !decide(by: seen) {
            let more = stamps(seen.count + 1)
            guard more.count > seen.count else { break }
            seen = more
        }
        seenCount = seen.count
        guard let next = seen.first else { return nil }
        guard let finding = finding ?? statedFinding(in: seen) else {
            // Deliveries may come so late from now on: that is what later ones are compared with.
            if settledLag(of: seen.prefix(judged), after: frameCount) != nil { isSuspicious = false }
            return nil
        }
        guard finding.place < frameCount + frameCount(of: next) else { return nil }
        let offset = max(finding.place - frameCount - next.framesLostBefore, 0)
        isSuspicious = false
        settledFrameCount = finding.settledFrameCount
        self.finding = nil
        history.reset()
        statedHistory.reset()
        return Loss(seconds: finding.seconds, offset: offset)
    }

    /// Finds what is missing, if anything is, by the newest of these fragments.
    ///
    /// - Returns: Whether they tell.
    private mutating func decide(by stamps: some RandomAccessCollection<FragmentRing.Stamp>) -> Bool {
        guard finding == nil, !isAcquitted(by: stamps) else { return true }
        guard stamps.count >= judged else { return false }
        let (early, newest) = (stamps.dropLast(judged), stamps.suffix(judged))
        let frames = early.reduce(frameCount) { $0 + frameCount(of: $1) }
        let first = newest[newest.startIndex]
        let pause = (Double(first.arrivalTime) - Double(early.last?.arrivalTime ?? lastArrivalTime)) * 1e-9
        guard pause > length(of: first) / 8, let lowest = settledLag(of: newest, after: frames) else { return false }
        let missing = lowest - history.lowest
        if missing <= threshold {
            guard missing > calmThreshold, isCalm(through: stamps) else { return true }
            // So much less is a loss all the same where nothing comes sooner for longer, and the server states it.
            guard stamps.count >= judgedWhenCalm, statedGrowth(in: newest, after: frames) > missing / 2 else {
                return false
            }
        }
        finding = finding(missing, in: first, settledFrameCount: frames)
        return true
    }

    /// Whether the last of these fragments came as soon as fragments do, so that nothing can be missing before it.
    private func isAcquitted(by stamps: some RandomAccessCollection<FragmentRing.Stamp>) -> Bool {
        let frames = stamps.dropLast().reduce(frameCount) { $0 + frameCount(of: $1) }
        return stamps.last.map { lag(of: $0, after: frames) < history.lowest + calmThreshold } ?? false
    }

    /// What is missing where the reader takes longer to catch up than can be waited for, or the capture ends before.
    ///
    /// How late such fragments are is no evidence by itself: those that follow might come at once, and the last of a capture,
    /// which is shorter, is later than others. So the latency that the server states has to have grown, too.
    private mutating func statedFinding(in stamps: some RandomAccessCollection<FragmentRing.Stamp>) -> Finding? {
        var frames = frameCount
        var lowest = Double.infinity
        for stamp in stamps {
            lowest = min(lowest, lag(of: stamp, after: frames))
            frames += frameCount(of: stamp)
        }
        let missing = min(lowest - history.lowest, statedGrowth(in: stamps, after: frameCount))
        guard missing > threshold, let next = stamps.first else { return nil }
        return finding(missing, in: next, settledFrameCount: frames)
    }

    /// - Parameter stamp: The first fragment that shows it.
    private mutating func finding(
        _ missing: Double, in stamp: FragmentRing.Stamp, settledFrameCount: Int
    ) -> Finding {
        let lowest = history.lowest + missing
        var end = Double(suspicionTime) * 1e-9 - lowest
        if suspicionLag - lowest > Self.longestBlock {
            let length = knownKeptLength ?? keptLength()
            knownKeptLength = length
            end -= length
        } else {
            end -= length(of: stamp) / 2
        }
        return Finding(seconds: missing, place: Int(end * sampleRate), settledFrameCount: settledFrameCount)
    }

    /// By how much more these fragments are late by what the server states than those before the suspect one were.
    private func statedGrowth(
        in stamps: some RandomAccessCollection<FragmentRing.Stamp>, after frames: Int
    ) -> Double {
        var frames = frames
        // The highest, for libpulse takes it for some time that what is missing is on its way.
        var highest = -Double.infinity
        for stamp in stamps {
            highest = max(highest, statedLag(of: stamp, after: frames))
            frames += frameCount(of: stamp)
        }
        return highest - statedHistory.highest
    }

    /// The lowest lag of these fragments, where that of the first is hardly more: nobody catches up any longer.
    private func settledLag(
        of stamps: some RandomAccessCollection<FragmentRing.Stamp>, after frames: Int
    ) -> Double? {
        guard let next = stamps.first else { return nil }
        let first = lag(of: next, after: frames)
        var (lowest, frames) = (first, frames)
        for stamp in stamps {
            lowest = min(lowest, lag(of: stamp, after: frames))
            frames += frameCount(of: stamp)
        }
        return first - lowest < Self.leastThreshold + length(of: next) / 2 ? lowest : nil
    }

    /// The fragment is taken.
    mutating func take(_ stamp: FragmentRing.Stamp) {
        // A part of a fragment is late by the rest of it.
        if !isSuspicious, frameCount >= settledFrameCount, stamp.byteCount == bytesPerFragment {
            history.add(lag(of: stamp, after: frameCount), over: length(of: stamp))
            statedHistory.add(statedLag(of: stamp, after: frameCount), over: length(of: stamp))
        }
        if let count = stamp.changeCount, count != changeCount {
            changeCount = count
            changeTime = stamp.arrivalTime
        }
        frameCount += frameCount(of: stamp)
        lastArrivalTime = stamp.arrivalTime
        seenCount = max(seenCount - 1, 0)
    }

    private var threshold: Double { max(Self.leastThreshold, 2 * history.wandering) }
    private var calmThreshold: Double { max(Self.leastCalmThreshold, 2 * history.wandering) }

    /// Whether the server has told of nothing for long enough, as far as this fragment.
    private func isCalm(at next: FragmentRing.Stamp) -> Bool {
        changeCount != nil && next.arrivalTime > changeTime + Self.calmTime
            && (next.changeCount == nil || next.changeCount == changeCount)
    }

    /// Whether it has told of nothing during these fragments, either.
    private func isCalm(through stamps: some RandomAccessCollection<FragmentRing.Stamp>) -> Bool {
        stamps.first.map(isCalm(at:)) ?? false
            && stamps.allSatisfy { $0.changeCount == nil || $0.changeCount == changeCount }
    }

    private func lag(of stamp: FragmentRing.Stamp, after frames: Int) -> Double {
        Double(stamp.arrivalTime) * 1e-9 - Double(frames + frameCount(of: stamp)) / sampleRate
    }

    private func statedLag(of stamp: FragmentRing.Stamp, after frames: Int) -> Double {
        Double(stamp.hostTime) * 1e-9 - Double(frames + stamp.framesLostBefore) / sampleRate
    }

    private func frameCount(of stamp: FragmentRing.Stamp) -> Int {
        stamp.framesLostBefore + stamp.byteCount / bytesPerFrame
    }

    private func length(of stamp: FragmentRing.Stamp) -> Double {
        Double(stamp.byteCount / bytesPerFrame) / sampleRate
    }
}
