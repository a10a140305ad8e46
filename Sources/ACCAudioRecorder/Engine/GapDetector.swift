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
/// that come and go. So where it has told of nothing, less has to be missing, and the stated latency has to agree.
///
/// Where it is missing follows from the first fragment that had to be waited for again. A server that keeps no more for a
/// reader drops what comes until it is read from, and then delivers what came until the stop and what comes from now on
/// without a seam. So what has come since the reading was taken up again lies behind the loss, and that is as much as
/// time has passed, and a little more. Where the reader was not stopped, the loss is within the fragment that came late,
/// and taken to be in its midst.
struct GapDetector {
    /// What is missing, and where.
    struct Loss {
        /// How much.
        var seconds: Double
        /// How many frames of the fragment come before it.
        var offset: Int
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
    /// What a server delivers at once without having kept it for a reader who was stopped, in seconds.
    private static let longestBlock = 0.1
    /// How long a reader takes, at most, for what had gathered behind a loss while it caught up, in seconds.
    private static let longestCatchUp = 1.0

    /// How many fragments have to be seen for a judgement on one of those that a reader gets while it catches up.
    let lookahead: Int
    /// How many of them are seen for the judgement itself.
    private let judged: Int
    private let sampleRate: Double
    private let bytesPerFrame: Int
    private let bytesPerFragment: Int
    /// What the server has kept of what came just before a stopped reader came back, as a part of a fragment: as measured.
    private let remainder: Double
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
    /// How many frames there are until the lag is no longer that of a reader who catches up.
    private var settledFrameCount = 0

    /// - Parameters:
    ///   - fragmentFrames: The length of a fragment.
    ///   - isPipeWire: Whether the server keeps the newest fragment when it drops the others; PulseAudio does not, but
    ///     finds room for some of it.
    init(_ spec: SampleSpec, fragmentFrames: Int, isPipeWire: Bool = false) {
        sampleRate = Double(spec.sampleRate)
        bytesPerFrame = spec.bytesPerFrame
        bytesPerFragment = fragmentFrames * spec.bytesPerFrame
        remainder = isPipeWire ? 0.75 : 0.25
        judged = max(Int(Self.judgementLength * sampleRate) / fragmentFrames, 4)
        lookahead = judged + Int(Self.longestCatchUp * sampleRate) / fragmentFrames
    }

    /// Whether the fragments after the next one have to be seen before it is judged.
    ///
    /// - Parameter isExpected: Whether it is known that something is missing, for which a short history will do.
    mutating func suspects(_ next: FragmentRing.Stamp, isExpected: Bool = false) -> Bool {
        if !isSuspicious, frameCount >= settledFrameCount, history.isMeaningful || isExpected {
            suspicionTime = next.arrivalTime
            suspicionLag = lag(of: next, after: frameCount)
            let least = isCalm(at: next) ? calmThreshold : threshold
            isSuspicious = suspicionLag > history.highest + least / 2
        }
        return isSuspicious
    }

    /// Whether a fragment after a suspect one came as soon as fragments do, so that nothing can be missing before it.
    ///
    /// - Parameter stamps: The suspect fragment, and those after it until that one.
    func isAcquitted(by stamps: some RandomAccessCollection<FragmentRing.Stamp>) -> Bool {
        let frames = stamps.dropLast().reduce(frameCount) { $0 + frameCount(of: $1) }
        return stamps.last.map { lag(of: $0, after: frames) < history.lowest + calmThreshold } ?? false
    }

    /// Judges a suspect fragment.
    ///
    /// - Parameter stamps: The fragment, and those after it, up to `lookahead`.
    /// - Returns: What is missing within it or just before it; nil for nothing, or where that lies behind it.
    mutating func loss(in stamps: some RandomAccessCollection<FragmentRing.Stamp>) -> Loss? {
        guard let next = stamps.first else { return nil }
        var frames = frameCount
        var lastArrivalTime = lastArrivalTime
        for index in stamps.indices.prefix(max(stamps.count - judged, 0) + 1) {
            let stamp = stamps[index]
            let pause = (Double(stamp.arrivalTime) - Double(lastArrivalTime)) * 1e-9
            if pause > length(of: stamp) / 8,
                let lowest = settledLag(of: stamps[index...].prefix(judged), after: frames)
            {
                let missing = lowest - history.lowest
                guard missing > threshold || isLoss(missing, in: stamps, from: index) else {
                    if index == stamps.startIndex { isSuspicious = false }
                    return nil
                }
                let wasStopped = suspicionLag - lowest > Self.longestBlock
                let end = Double(suspicionTime) * 1e-9 - lowest
                let place = (end - (wasStopped ? remainder : 0.5) * length(of: stamp)) * sampleRate
                let offset = max(Int(place) - frameCount - next.framesLostBefore, 0)
                guard offset < next.byteCount / bytesPerFrame else { return nil }
                isSuspicious = false
                settledFrameCount = frames
                history.reset()
                statedHistory.reset()
                return Loss(seconds: missing, offset: offset)
            }
            frames += frameCount(of: stamp)
            lastArrivalTime = stamp.arrivalTime
        }
        return nil
    }

    /// Whether so much less than the threshold is a loss all the same.
    private func isLoss<Stamps: RandomAccessCollection<FragmentRing.Stamp>>(
        _ missing: Double, in stamps: Stamps, from index: Stamps.Index
    ) -> Bool {
        // The end of a take is no evidence: its last fragment is shorter, and so later than others.
        guard missing > calmThreshold, let next = stamps.first, isCalm(at: next), stamps[index...].count >= judged,
            stamps.allSatisfy({ $0.changeCount == nil || $0.changeCount == changeCount })
        else { return false }
        var frames = stamps[..<index].reduce(frameCount) { $0 + frameCount(of: $1) }
        // The highest, for libpulse takes it for some time that what is missing is on its way.
        var highest = -Double.infinity
        for stamp in stamps[index...].prefix(judged) {
            highest = max(highest, statedLag(of: stamp, after: frames))
            frames += frameCount(of: stamp)
        }
        return highest - statedHistory.highest > missing / 2
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
    }

    private var threshold: Double { max(Self.leastThreshold, 2 * history.wandering) }
    private var calmThreshold: Double { max(Self.leastCalmThreshold, 2 * history.wandering) }

    /// Whether the server has told of nothing for long enough, as far as this fragment.
    private func isCalm(at next: FragmentRing.Stamp) -> Bool {
        changeCount != nil && next.arrivalTime > changeTime + Self.calmTime
            && (next.changeCount == nil || next.changeCount == changeCount)
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
