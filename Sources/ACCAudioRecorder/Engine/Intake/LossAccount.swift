/// Compares the audio that has arrived with the time that has passed, over a whole stretch between two openings of a source,
/// and finds how much is missing beside the losses that were found one by one.
///
/// `GapDetector` finds no loss in the first half second, where it has nothing to compare with, and no small one while clients
/// come and go. The account cannot say where exactly these are, but their sum is right.
///
/// The lag of a fragment is its arrival time minus the length of all audio up to its end, known losses included. The lowest
/// lag of ten seconds hardly depends on what else the machine does: measured on both servers, to less than a millisecond, and
/// to 20 ms on a sink of PulseAudio that rewinds. It changes for four reasons:
///
/// - The clocks of source and machine drift apart: by up to 500 ppm, and evenly. The account learns the drift, and follows it
///   where it changes by up to 250 ppm from one ten seconds to the next.
/// - A server delivers earlier or later when another client comes or goes, which it announces: by up to 75 ms, measured. As
///   long as this goes on, what a drift may explain of a growth is never called missing: up to 3.5 ms in ten seconds, and
///   6 ms before a drift has been learned. Where PipeWire's cycles are known, a client changes nothing: see `PulseCycles`.
/// - A server that gets no processor for long delivers later, by up to ten seconds in a minute, measured, and catches up in the
///   end. The lags within a period are unsteady then, and the server's stated latency hardly changes.
/// - Audio is missing: the lag grows by its length, and stays so.
struct LossAccount {
    /// What is missing beside the losses that are known.
    struct Shortfall: Equatable {
        /// The length of the missing audio in seconds.
        var seconds: Double
        /// The number of the latest frames among which audio is missing.
        var spanFrames: Int
    }

    /// How much time one comparison covers, in seconds.
    private static let period = 10.0
    /// How long the first fragments of a stretch are compared with, in seconds.
    private static let opening = 0.25
    /// The length in seconds of the end of a stretch. Its lowest lag tells whether the last audio is late or missing.
    private static let closing = 1.5
    private static let largestDrift = 500e-6
    private static let largestDriftChange = 250e-6
    /// How exactly the lowest lag of a period is known, in seconds.
    private static let inexactness = 0.001
    /// The smallest shortfall that is reported, in seconds, where no clients have come or gone.
    private static let smallest = 0.025
    /// The same where lags are unsteady: the stated latency of a server that gets no processor grows by up to so much without
    /// a loss, measured on PulseAudio.
    private static let smallestUnsteady = 0.25
    /// A shortfall so small is none, in seconds.
    private static let negligible = 0.005
    /// By how much of a shortfall that another stream of the same clock has lags must have grown.
    private static let sharedShare = 0.5
    /// By how much other clients may make deliveries earlier, in seconds: audio that is missing later is not hidden in more.
    private static let largestAdvance = 0.045
    /// How long clients may come and go at the beginning, in seconds: this recorder is one of them.
    private static let settling = 0.5

    private let sampleRate: Double
    private let bytesPerFrame: Int
    private let smallestDisturbedLoss: Double
    /// The frames that have arrived, and the seconds that are known to be missing.
    private var frameCount = 0
    private var missing = 0.0
    /// When the first fragment arrived, in seconds of CLOCK_MONOTONIC.
    private var start: Double?
    /// The lags of the opening, then of the latest completed period; and those of the current period.
    private var reference = Lags()
    private var current = Lags()
    /// The lags of the latest parts of the closing length; the first is the newest.
    private var latest = [Lags](repeating: Lags(), count: 6)
    /// By how many seconds the lag grows in a second; nil as long as that is not known.
    private var drift: Double?
    /// How much is missing as far as the completed periods tell, in seconds.
    private var shortfall = 0.0
    /// The number of frames until which nothing is missing.
    private var spanStart = 0
    /// The number of frames when the current period began.
    private var periodStart = 0
    private var changeCount = 0
    /// Whether clients have come or gone in the current period, whether in the previous one, and whether they may account for
    /// a part of the shortfall.
    private var hasChanged = false
    private var hadChanged = false
    private var isDisturbed = false
    /// Whether the lags of the previous period were unsteady, so that what is stated may account for a part.
    private var isUnsteady = false
    /// Whether the shortfall is reported with the next fragment, however small it is.
    private var isConfirmed = false

    /// - Parameter smallestDisturbedLoss: See `AudioSource`.
    init(_ spec: SampleSpec, smallestDisturbedLoss: Double = AudioSource.smallestDisturbedLossOnPulseAudio) {
        self.smallestDisturbedLoss = smallestDisturbedLoss
        sampleRate = spec.sampleRate
        bytesPerFrame = spec.bytesPerFrame
    }

    /// Adds the next fragment.
    ///
    /// - Returns: What is missing before it; at most every ten seconds.
    mutating func add(_ stamp: FragmentStamp) -> Shortfall? {
        let time = Double(stamp.steadyArrival) * 1e-9
        let found = isConfirmed ? report() : time >= current.begin + Self.period ? completePeriod() : nil
        frameCount += stamp.byteCount / bytesPerFrame
        let lag = time - Double(frameCount) / sampleRate - missing
        let stated = Double(stamp.hostTime) * 1e-9 - Double(frameCount) / sampleRate - missing
        let start = start ?? time
        self.start = start
        if time <= start + Self.opening { reference.add(lag, stated: stated, at: time) }
        current.add(lag, stated: stated, at: time)
        if time >= latest[0].begin + Self.closing / Double(latest.count - 1) {
            latest.removeLast()
            latest.insert(Lags(), at: 0)
        }
        latest[0].add(lag, stated: stated, at: time)
        if stamp.changeCount != changeCount, stamp.cycle == nil, time > start + Self.settling {
            (hasChanged, isDisturbed) = (true, true)
        }
        changeCount = stamp.changeCount
        return found
    }

    /// Counts audio that is known to be missing after the latest fragment.
    mutating func add(missing seconds: Double) {
        missing += seconds
    }

    /// Takes a shortfall for confirmed that was found in another stream of the same clock, if the latest lags show it here as
    /// well. It is reported with the next fragment.
    ///
    /// - Parameter seconds: The length of the missing audio.
    mutating func confirm(_ seconds: Double) {
        let latest = Lags(latest)
        guard latest.lowest < .infinity else { return }
        let growth = latest.lowest - reference.lowest - (drift ?? 0) * (latest.time - reference.time)
        guard shortfall + growth > seconds * Self.sharedShare else { return }
        (reference, current) = (latest, Lags())
        (shortfall, isConfirmed) = (seconds, true)
    }

    /// What is missing at the end of the stretch.
    mutating func close() -> Shortfall? {
        let latest = Lags(latest)
        guard latest.lowest < .infinity else { return nil }
        isUnsteady = false
        shortfall += missingPart(of: step(to: latest), in: latest)
        return report()
    }

    private mutating func completePeriod() -> Shortfall? {
        let whole = step(to: current)
        let step = missingPart(of: whole, in: current)
        // A delivery that was earlier or later for a while is undone first, so that such changes do not add up.
        let isUndone = step < 0 && shortfall > 0
        shortfall = max(shortfall + step, isUndone ? 0 : -Self.largestAdvance)
        isUnsteady = current.areUnsteady
        // What is only late is compared again.
        current.lowest -= whole - step
        if whole > 0 { current.highestStated = reference.highestStated + step }
        reference = current
        current = Lags()
        // The lowest lag of a period may be of before a change or a loss within it.
        if abs(shortfall) < Self.negligible { (spanStart, isDisturbed) = (periodStart, hasChanged) }
        (periodStart, hadChanged, hasChanged) = (frameCount, hasChanged, false)
        return report()
    }

    /// By how much the lowest lag has grown since the reference beyond what a drift explains, in seconds; negative if it has
    /// become smaller. What a drift explains is learned, unless clients may have caused it: their changes follow one another
    /// up and down, and would add up to a loss if a drift took a part of each.
    private mutating func step(to lags: Lags) -> Double {
        let length = lags.time - reference.time
        let known = drift ?? 0
        let rest = lags.lowest - reference.lowest - known * length
        let explained = (drift == nil ? Self.largestDrift : Self.largestDriftChange) * length + Self.inexactness
        guard !hasChanged, !hadChanged else { return rest - explained }
        guard abs(rest) <= explained else { return rest }
        if length > Self.period / 2 {
            let learned = known + (drift == nil ? 1 : 0.5) * rest / length
            drift = min(max(learned, -Self.largestDrift), Self.largestDrift)
        }
        return 0
    }

    /// How much of a step is missing rather than late: all of it if lags are steady, otherwise what the stated latency shows.
    private func missingPart(of step: Double, in lags: Lags) -> Double {
        guard lags.areUnsteady else { return step }
        return min(step, max(lags.highestStated - reference.highestStated, 0))
    }

    /// The shortfall, if it is large enough; it is known from here on.
    private mutating func report() -> Shortfall? {
        let smallest = isUnsteady ? Self.smallestUnsteady : isDisturbed ? smallestDisturbedLoss : Self.smallest
        guard isConfirmed || shortfall >= smallest else { return nil }
        let found = Shortfall(seconds: shortfall, spanFrames: frameCount - spanStart)
        missing += shortfall
        reference.shift(by: -shortfall)
        for index in latest.indices { latest[index].shift(by: -shortfall) }
        (shortfall, spanStart, isDisturbed, isConfirmed) = (0, frameCount, hasChanged, false)
        return found
    }
}

extension LossAccount {
    /// The lags within a time, in seconds.
    private struct Lags {
        /// How much higher than the lowest the others are at most where they are steady, in seconds.
        private static let steadiness = 0.08

        var lowest = Double.infinity
        var highest = -Double.infinity
        /// By the stated latency. The highest, because libpulse assumes for some time that missing audio is still on its way.
        var highestStated = -Double.infinity
        /// When the fragment with the lowest lag arrived, and the first one, in seconds of CLOCK_MONOTONIC.
        var time = 0.0
        var begin = Double.infinity

        var areUnsteady: Bool { highest > lowest + Self.steadiness }

        init() {}

        /// The lags of all parts.
        init(_ parts: [Lags]) {
            for part in parts {
                if part.lowest < lowest { (lowest, time) = (part.lowest, part.time) }
                highest = max(highest, part.highest)
                highestStated = max(highestStated, part.highestStated)
                begin = min(begin, part.begin)
            }
        }

        mutating func add(_ lag: Double, stated: Double, at time: Double) {
            begin = min(begin, time)
            if lag < lowest { (lowest, self.time) = (lag, time) }
            highest = max(highest, lag)
            highestStated = max(highestStated, stated)
        }

        mutating func shift(by seconds: Double) {
            lowest += seconds
            highest += seconds
            highestStated += seconds
        }
    }
}
