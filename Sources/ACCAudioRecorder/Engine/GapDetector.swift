/// Finds what a server or the kernel has dropped, of which nobody tells: by the clock.
///
/// The lag of a fragment is when it arrived, less the time that its frames and all before it last. It wanders within
/// bounds while everything is delivered. A fragment that comes later than is usual is suspect: if it was only held up,
/// those after it come quickly, and the lag falls back to what it was. If it does not, what the lag has grown by is
/// missing, just before the first fragment that had to be waited for again. So the judgement on a suspect fragment needs
/// the arrival of those after it. On a machine so busy that even the lowest lags wander, more has to be missing.
struct GapDetector {
    /// What is missing less than this goes unnoticed, in seconds, however steadily fragments arrive: when another client of
    /// the source comes or goes, a server delivers sooner or later by up to a fragment, and nothing is missing.
    private static let leastThreshold = 0.06
    /// For how long fragments have to be seen for a judgement, in seconds. A reader that gets the processor now and then
    /// only has caught up with the server once in this time.
    private static let lookaheadLength = 1.0

    /// How many fragments have to be seen for a judgement.
    let lookahead: Int
    private let sampleRate: Double
    private let bytesPerFrame: Int
    private var frameCount = 0
    private var lastArrivalTime: UInt64 = 0
    /// The lags of fragments that were not suspect.
    private var history = LagHistory()
    private var isSuspicious = false

    /// - Parameter fragmentFrames: The length of a fragment.
    init(_ spec: SampleSpec, fragmentFrames: Int) {
        sampleRate = Double(spec.sampleRate)
        bytesPerFrame = spec.bytesPerFrame
        lookahead = max(Int(Self.lookaheadLength * sampleRate) / fragmentFrames, 4)
    }

    /// Whether the fragments after the next one have to be seen before it is judged.
    ///
    /// - Parameter isExpected: Whether it is known that something is missing, for which a short history will do.
    mutating func suspects(_ next: FragmentRing.Stamp, isExpected: Bool = false) -> Bool {
        if !isSuspicious, history.isMeaningful || isExpected {
            isSuspicious = lag(of: next, after: frameCount) > history.highest + threshold / 2
        }
        return isSuspicious
    }

    /// Judges a suspect fragment.
    ///
    /// - Parameter stamps: The fragment, and those after it, up to `lookahead`.
    /// - Returns: The seconds that are missing just before it; 0 for none, or where the lag is still falling, and the
    ///   next fragment is suspect as well.
    mutating func missingSeconds(before stamps: some Collection<FragmentRing.Stamp>) -> Double {
        guard let next = stamps.first else { return 0 }
        let first = lag(of: next, after: frameCount)
        var lowest = first
        var frames = frameCount
        for stamp in stamps {
            lowest = min(lowest, lag(of: stamp, after: frames))
            frames += frameCount(of: stamp)
        }
        let pause = (Double(next.arrivalTime) - Double(lastArrivalTime)) * 1e-9
        let hadToBeWaitedFor = pause > length(of: next) / 8
        guard hadToBeWaitedFor, first - lowest < Self.leastThreshold + length(of: next) / 2 else { return 0 }
        isSuspicious = false
        let missing = lowest - history.lowest
        guard missing > threshold else { return 0 }
        history.reset()
        return missing
    }

    /// The fragment is taken.
    mutating func take(_ stamp: FragmentRing.Stamp) {
        if !isSuspicious { history.add(lag(of: stamp, after: frameCount), over: length(of: stamp)) }
        frameCount += frameCount(of: stamp)
        lastArrivalTime = stamp.arrivalTime
    }

    private var threshold: Double { max(Self.leastThreshold, 2 * history.wandering) }

    private func lag(of stamp: FragmentRing.Stamp, after frames: Int) -> Double {
        Double(stamp.arrivalTime) * 1e-9 - Double(frames + frameCount(of: stamp)) / sampleRate
    }

    private func frameCount(of stamp: FragmentRing.Stamp) -> Int {
        stamp.framesLostBefore + stamp.byteCount / bytesPerFrame
    }

    private func length(of stamp: FragmentRing.Stamp) -> Double {
        Double(stamp.byteCount / bytesPerFrame) / sampleRate
    }
}
