/// How late the audio of a lane arrives, by its lowest lags, and when it was captured, by what the server states.
///
/// The lag of a fragment is its arrival time minus the length of the lane's audio up to its end: it contains when the lane
/// began, grows where the lane's clock is slow, and is higher for each fragment that had to wait. The lowest lag of a second is
/// steady to 0.2 ms on PipeWire. On PulseAudio it rises by up to 10 ms and falls back within ten seconds, where fragments and
/// the blocks of the sink differ in length; the lowest of ten seconds is steady there (`Engine/Traces` of the unit tests). So
/// the lowest lag of one second counts as long as it varies little, else that of ten.
///
/// Where the server is asked for its timing with each fragment (PulseAudio), stated capture times are steadier than arrivals: a
/// lag is what they state, and a `StatedLine` holds it.
struct LaneArrivals {
    /// What the server states over some seconds.
    struct Stated: Equatable {
        /// The median of how much later a frame was captured than the lowest lag says, in seconds.
        var delay: Double
        /// Half the range of the middle half, in seconds.
        var spread: Double
    }

    /// The time that one lowest lag covers in seconds, and how many of them are compared.
    private static let bucketLength = 1.0
    private static let bucketCount = 10
    /// How much they may vary so that the latest counts by itself, in seconds: twice what a clock that changes by 200 ppm
    /// moves them in ten seconds.
    private static let steadiness = 0.004
    /// The largest drift of a clock, as a fraction. Lags that grow faster are a pattern of the arrivals.
    private static let largestDrift = 600e-6
    private static let longestFit = 60.0
    /// For how long the latest lowest lag counts rather than the fitted line, in seconds.
    private static let recent = 2.0
    /// The length of audio over which a median of stated times is taken, in seconds: the first, and each further one.
    private static let firstStatedLength = 5.0
    private static let statedLength = 10.0
    /// For how long lags may be in doubt before they count as they are, and for how long one without another one is, in seconds.
    private static let longestDoubt = 3.0
    private static let shortestDoubt = 0.5
    /// The number of first answers that show where the stream lies, and of those that are looked at. Measured after pauses, moves and
    /// suspensions: of seven, three or more are right.
    private static let (fewestAnswers, mostAnswers) = (7, 25)

    private var sampleRate: Double
    private var bytesPerFrame: Int
    private var frameCount = 0
    private var missing = 0.0
    /// When the latest fragment arrived, in seconds of CLOCK_MONOTONIC; nil before the first one.
    private(set) var arrivalTime: Double?

    /// The lowest lag of the current second so far, and when that ends.
    private var current: LagPoint?
    private var bucketEnd = -Double.infinity
    private var lowest: [LagPoint] = []
    /// The lags of the current second, where `sourceDelay` is stated.
    private var level = ArrivalLevel()
    /// Since when lags agree on no place, and when the latest of these fragments has arrived, in seconds of CLOCK_MONOTONIC.
    private var doubt: (begin: Double, end: Double)?
    /// The number of steps of the level, and by how much it has stepped with the latest fragment, in seconds.
    private(set) var stepCount = 0
    private(set) var step = 0.0
    /// How much later a frame was captured than it arrived, in seconds, as the server stated it last; nil where it states only a
    /// sum (PulseAudio).
    private(set) var sourceDelay: Double?
    /// Whether lags are what the server states when it is asked, rather than of arrivals; and those.
    private(set) var isByStatement = false
    private var line = StatedLine()
    /// The latest lowest lag; nil in the first second.
    private(set) var floor: LagPoint?
    /// The number of lowest lags since the beginning or the last interruption.
    private(set) var floorCount = 0
    /// Whether the lowest lags vary little.
    private(set) var isSteady = true
    private var fit = LagFit(longest: longestFit)

    /// When frames were captured, as lags, since the latest median; and the length of audio that they stand for, in seconds.
    private var captures: [LagPoint] = []
    private var heard = 0.0
    /// The latest median; nil before the first fragment.
    private(set) var stated: Stated?
    /// The number of medians over enough audio.
    private(set) var statedCount = 0

    /// - Parameter stated: What an earlier stream of the same source has stated; nil if that is not known.
    init(_ spec: SampleSpec, stated: Stated? = nil) {
        sampleRate = spec.sampleRate
        bytesPerFrame = spec.bytesPerFrame
        self.stated = stated
        statedCount = stated == nil ? 0 : 1
    }

    /// Goes on with audio in another format.
    mutating func change(to spec: SampleSpec) {
        (missing, frameCount) = (seconds, 0)
        (sampleRate, bytesPerFrame) = (spec.sampleRate, spec.bytesPerFrame)
    }

    /// The length of all audio so far, with what is missing, in seconds.
    var seconds: Double { Double(frameCount) / sampleRate + missing }

    /// By how many seconds the lag grows in a second: how slow the lane's clock is, beside CLOCK_MONOTONIC.
    var drift: Double {
        if isByStatement { return line.drift }
        return abs(fit.drift) <= Self.largestDrift ? fit.drift : 0
    }

    /// Judges the first of these fragments, which is the next one, where the server states what its source keeps, and the first one
    /// of all where the server is asked.
    ///
    /// - Parameter isLast: Whether no more of them may follow soon.
    func judge(_ stamps: ArraySlice<FragmentStamp>, isLast: Bool) -> ArrivalLevel.Judgement {
        guard let next = stamps.first else { return .usual }
        guard !next.isAsked else { return judgeFirstAnswers(stamps, isLast: isLast) }
        guard next.sourceLatency != nil else { return .usual }
        var end = seconds
        var arrivals: [LagPoint] = []
        for stamp in stamps {
            end += length(of: stamp)
            arrivals.append(Self.arrival(of: stamp, endingAt: end))
            if ArrivalLevel.isEnough(arrivals, length: length(of: next)) { break }
        }
        let expected = floor == nil ? nil : lag(at: arrivals[0].time)
        return ArrivalLevel.judge(arrivals, length: length(of: next), expected: expected, isLast: isLast)
    }

    /// Where the server's first answers lie: each alone may be 20 ms off.
    private func judgeFirstAnswers(_ stamps: ArraySlice<FragmentStamp>, isLast: Bool) -> ArrivalLevel.Judgement {
        guard floor == nil, current == nil else { return .usual }
        guard isLast || stamps.count >= Self.fewestAnswers else { return .undecided }
        var start = seconds
        let lags = stamps.prefix(Self.mostAnswers).map { stamp in
            defer { start += length(of: stamp) }
            return Self.stated(of: stamp, beginningAt: start).lag
        }
        return StatedLine.levelOfFirst(lags).map { .stepped(to: $0) } ?? .usual
    }

    private static func stated(of stamp: FragmentStamp, beginningAt seconds: Double) -> LagPoint {
        let time = Double(stamp.hostTime) * 1e-9
        return LagPoint(time: time, lag: time - seconds)
    }

    private func length(of stamp: FragmentStamp) -> Double { Double(stamp.byteCount / bytesPerFrame) / sampleRate }

    private static func arrival(of stamp: FragmentStamp, endingAt seconds: Double) -> LagPoint {
        let time = Double(stamp.arrivalTime) * 1e-9
        return LagPoint(time: time, lag: time - seconds)
    }

    /// Adds the next fragment.
    ///
    /// - Parameters:
    ///   - isLate: Whether the fragment has waited somewhere, so that its arrival tells nothing.
    ///   - judgement: What `judge` says of it.
    mutating func add(_ stamp: FragmentStamp, isLate: Bool, as judgement: ArrivalLevel.Judgement = .usual) {
        let start = seconds
        frameCount += stamp.byteCount / bytesPerFrame
        let time = Double(stamp.arrivalTime) * 1e-9
        arrivalTime = time
        if time >= bucketEnd {
            endBucket()
            bucketEnd = time + Self.bucketLength
        }
        isByStatement = stamp.isAsked
        if stamp.isAsked {
            let lag = Self.stated(of: stamp, beginningAt: start)
            line.add(lag)
            // Nothing but the first second is asked for before it is over.
            if case .stepped(let first) = judgement { current = LagPoint(time: lag.time, lag: first) }
            current = current ?? lag
            stated = stated ?? Stated(delay: 0, spread: 0)
            heard += seconds - start
            if heard >= Self.firstStatedLength { statedCount = max(statedCount, 1) }
            return
        }
        sourceDelay = stamp.sourceLatency.map { -Double($0) * 1e-9 }
        let arrival = Self.arrival(of: stamp, endingAt: seconds)
        if sourceDelay != nil {
            follow(arrival, isLate: isLate, as: judgement)
        } else if !isLate, arrival.lag < current?.lag(at: time, drift: drift) ?? .infinity {
            current = arrival
        }
        hear(stamp, after: start, at: time)
    }

    /// Counts audio that is missing after the last frame, so that the lags of what follows compare with those before.
    mutating func skip(_ seconds: Double) {
        missing += seconds
    }

    /// How much audio is missing before a fragment if it arrives as late as those before, in seconds.
    func missing(before stamp: FragmentStamp) -> Double {
        let time = Double(stamp.arrivalTime) * 1e-9
        guard let lag = lag(at: time) else { return 0 }
        return max(time - lag - seconds - Double(stamp.byteCount / bytesPerFrame) / sampleRate, 0)
    }

    /// Forgets the lags, because the lane comes back after it was away. The drift stays, and what was stated.
    mutating func interrupt() {
        (current, floor) = (nil, nil)
        level.restart()
        doubt = nil
        fit.restart()
        line.interrupt()
        (lowest, captures) = ([], [])
        (floorCount, heard) = (0, 0)
        bucketEnd = -.infinity
    }

    /// The lowest lag at a time in seconds of CLOCK_MONOTONIC, in seconds: the latest one or, if the lane has delivered nothing
    /// since, that of the fitted line. Nil before the first fragment.
    func lag(at time: Double) -> Double? {
        guard let floor else { return (current ?? level.point)?.lag(at: time, drift: drift) }
        return (time - floor.time < Self.recent ? floor : fit.point ?? floor).lag(at: time, drift: drift)
    }

    /// Whether lags agree on no place, at a time in seconds of CLOCK_MONOTONIC. A lane that delivers nothing more is in doubt no longer.
    func isInDoubt(at time: Double) -> Bool {
        doubt.map { $0.end < $0.begin + Self.longestDoubt && time < $0.end + Self.shortestDoubt } ?? false
    }

    /// Follows the arrivals of a server that states what its source keeps.
    private mutating func follow(_ arrival: LagPoint, isLate: Bool, as judgement: ArrivalLevel.Judgement) {
        let time = arrival.time
        step = 0
        switch judgement {
        case .stepped(let lag):
            step = lag - (floor.map { $0.lag(at: time, drift: drift) } ?? lag)
            // What was before the step counts no more.
            level.restart()
            (lowest, captures, heard, doubt) = ([], [], 0, nil)
            let point = LagPoint(time: time, lag: lag)
            current = point
            // It is no drift.
            fit.move(to: point, drift: fit.drift)
            endBucket()
            bucketEnd = time + Self.bucketLength
            stepCount += 1
            return
        case .doubtful:
            doubt = (doubt?.begin ?? time, time)
            guard floor == nil || !isInDoubt(at: time) else { return }
            // A lane that returns lies by the lag of each fragment until they agree.
            if floor == nil { level.restart() }
        case .usual: doubt = nil
        case .late, .undecided: break
        }
        if !isLate { level.add(arrival, drift: drift) }
    }

    private mutating func endBucket() {
        let ofLevel = level.point
        level.restart()
        guard let point = current.take() ?? ofLevel else { return }
        if isByStatement { return endStatedSecond(at: arrivalTime ?? point.time) }
        if lowest.count == Self.bucketCount { lowest.removeFirst() }
        lowest.append(point)
        var (least, highest) = (Double.infinity, -Double.infinity)
        for earlier in lowest {
            let lag = earlier.lag(at: point.time, drift: drift)
            (least, highest) = (min(least, lag), max(highest, lag))
        }
        isSteady = highest - least < Self.steadiness
        // What was fitted to the lags of single seconds was their pattern.
        if !isSteady, floorCount < Self.bucketCount { fit.restart(drift: 0) }
        let floor = isSteady ? point : LagPoint(time: point.time, lag: least)
        self.floor = floor
        floorCount += 1
        fit.add(floor)
    }

    private mutating func endStatedSecond(at time: Double) {
        line.endSecond(at: time)
        guard let point = line.point else { return }
        floor = point
        floorCount = line.count
        stated?.spread = line.spread / 2
    }

    private mutating func hear(_ stamp: FragmentStamp, after start: Double, at time: Double) {
        guard let lag = lag(at: time) else { return }
        // Stated is the time of the first frame, while lags are of the last.
        let captured =
            stamp.sourceLatency.map { lag - Double($0) * 1e-9 }
            ?? Double(stamp.hostTime) * 1e-9 - start + drift * (seconds - start)
        captures.append(LagPoint(time: time, lag: captured))
        heard += seconds - start
        let isLongEnough = heard >= (statedCount == 0 ? Self.firstStatedLength : Self.statedLength)
        guard isLongEnough || stated == nil else { return }
        let delays = captures.map { $0.lag(at: time, drift: drift) - lag }.sorted()
        let spread = delays[delays.count * 3 / 4] - delays[delays.count / 4]
        stated = Stated(delay: delays[delays.count / 2], spread: spread / 2)
        guard isLongEnough else { return }
        captures.removeAll(keepingCapacity: true)
        heard = 0
        statedCount += 1
    }
}
