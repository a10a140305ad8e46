/// The line of the lags that a server states when it is asked with each fragment (PulseAudio).
///
/// Most of what PulseAudio states within a second lies at a few levels, some 10 ms apart, each exact to 0.1 ms: it leaves out
/// what a stream holds back or what is on its way. While other clients come and go, nothing may lie at a level for up to 25 s,
/// because all that is stated rises by 20 ms and falls back, or has stepped by 10 to 30 ms. All levels follow the source's
/// clock. (`ArrivalTrace` of the benchmarks records it with `asked`.)
///
/// So the line begins at the fullest level, and stays at its level: in each second only what lies near the line counts. Where
/// nothing does, the line goes on as it was some seconds before, when it may have followed the beginning of a pattern; if lags
/// return to where it was last, because the clock itself had changed, or to where it was half a minute ago, it does so as well. A
/// level that has been away for longer is given up, and so is one on which the line has begun by mistake, because another one was
/// fuller for ten seconds, one after another.
struct StatedLine {
    private typealias State = (point: LagPoint, drift: Double)

    /// Lags that lie nearer to the line than that count, in seconds: a clock that has changed by 200 ppm moves them by 0.2 ms
    /// before it is seen. And the share of all lags of the second that must do so.
    private static let largestDistance = 0.0007
    private static let smallestShare = 0.25
    private static let (fewestLags, fewestFirst) = (2, 3)
    /// How close lags of a level lie together, in seconds.
    private static let levelWidth = 0.0006
    /// For how many seconds the line goes to each fuller level, at the beginning, and of how many seconds their lags are.
    private static let youth = 10
    private static let levelLength = 3
    /// The number of seconds after which a level without lags is given up.
    private static let patience = 30
    /// By how much another level must be fuller.
    private static let fuller = 1.5
    /// A former line counts again once lags were near it in so many seconds one after another.
    private static let returningCount = 3
    /// The number of lines that are kept, one a second, and of the latest ones that may have followed a pattern.
    private static let keptCount = 30
    private static let doubtfulCount = 8
    /// The time in seconds over which lines tell a drift better than the latest one does.
    private static let longEnough = 10.0
    /// The largest drift of a clock, as a fraction.
    private static let largestDrift = 600e-6
    /// More lags are not stated within a second, unless by a faulty server.
    private static let mostLags = 200
    /// The number of seconds over which distances to the line are averaged.
    private static let spreadLength = 8.0

    /// The lags of the current second, and of the latest ones.
    private var lags: [LagPoint] = []
    private var seconds: [[LagPoint]] = []
    private var fit = LagFit(longest: 8)
    /// The line after each of the latest seconds in which it had lags.
    private var lines: [State] = []
    private var age = 0
    private var missedCount = 0
    private var returnedCount = 0
    /// For how many seconds another level has been fuller, one after another.
    private var fullerCount = 0
    /// The number of seconds since the line has begun.
    private(set) var count = 0
    /// How far lags lie from the line on average, in seconds.
    private(set) var spread = 0.0

    /// The line at the end of the latest second; nil in the first second.
    var point: LagPoint? { fit.point }

    /// By how many seconds the lag grows in a second.
    var drift: Double { fit.drift }

    /// Adds the lag of a frame: the time when it was captured minus the length of the audio before it.
    mutating func add(_ lag: LagPoint) {
        if lags.count < Self.mostLags { lags.append(lag) }
    }

    /// Forgets the lags, because the lane comes back after it was away. The drift stays.
    mutating func interrupt() {
        fit.restart()
        lags.removeAll(keepingCapacity: true)
        (seconds, lines) = ([], [])
        (age, count, missedCount, returnedCount, fullerCount) = (0, 0, 0, 0, 0)
    }

    /// Ends the current second.
    mutating func endSecond(at time: Double) {
        rotate()
        age += 1
        count += 1
        guard let line = fit.point, age > Self.youth else { return beginning(at: time) }
        if missedCount == 0, let lag = lag(near: (line, drift), at: time) {
            guard let fuller = fullerLevel(at: time) else { return follow(lag) }
            return begin(at: fuller)
        }
        if let earlier, let lag = lag(near: earlier, at: time) {
            fit.move(to: earlier.point, drift: earlier.drift)
            lines.removeLast(min(Self.doubtfulCount, lines.count - 1))
            return follow(lag)
        }
        if let (former, lag) = former(at: time) {
            returnedCount += 1
            if returnedCount == Self.returningCount {
                fit.move(to: former.point, drift: former.drift)
                lines.removeAll { $0.point.time > former.point.time }
                return follow(lag)
            }
        } else {
            returnedCount = 0
        }
        missedCount += 1
        if missedCount >= Self.patience, let level = level(at: time) { return begin(at: level) }
        guard let earlier else { return }
        fit.move(to: LagPoint(time: time, lag: earlier.point.lag(at: time, drift: earlier.drift)), drift: earlier.drift)
    }
}

extension StatedLine {
    /// The line as it was some seconds ago, with its drift since the earliest one that is kept.
    private var earlier: State? {
        guard let first = lines.first, let last = lines.dropLast(min(Self.doubtfulCount, lines.count - 1)).last else {
            return nil
        }
        let length = last.point.time - first.point.time
        guard length > Self.longEnough else { return last }
        return (last.point, (last.point.lag - first.point.lag) / length)
    }

    /// The latest line, which has followed the clock, or that of half a minute ago, which has followed no pattern, with the lag of
    /// the second near it; nil if lags are near neither.
    private func former(at time: Double) -> (line: State, lag: LagPoint)? {
        for line in [lines.last, lines.first] {
            if let line, let lag = lag(near: line, at: time) { return (line, lag) }
        }
        return nil
    }

    /// Goes to the fullest level.
    private mutating func beginning(at time: Double) {
        guard let level = level(at: time) else { return }
        guard let line = fit.point, abs(line.lag(at: time, drift: drift) - level.lag) < Self.largestDistance else {
            return begin(at: level)
        }
        follow(lag(near: (level, drift), at: time) ?? level)
    }

    /// Another level that has been fuller for long enough; nil if none has.
    private mutating func fullerLevel(at time: Double) -> LagPoint? {
        guard let line = fit.point, let level = level(at: time) else { return nil }
        let here = count(near: LagPoint(time: time, lag: line.lag(at: time, drift: drift)))
        let isFuller = Double(count(near: level)) > Self.fuller * Double(here)
        fullerCount = isFuller ? fullerCount + 1 : 0
        return fullerCount >= Self.youth ? level : nil
    }

    /// The number of lags of the latest seconds that lie near one.
    private func count(near lag: LagPoint) -> Int {
        seconds.joined().count { abs($0.lag(at: lag.time, drift: drift) - lag.lag) < Self.largestDistance }
    }

    private mutating func begin(at level: LagPoint) {
        fit.restart()
        fullerCount = 0
        lines = []
        count = 1
        follow(level)
    }

    private mutating func follow(_ lag: LagPoint) {
        (missedCount, returnedCount) = (0, 0)
        if let line = fit.point {
            spread += (abs(lag.lag - line.lag(at: lag.time, drift: drift)) - spread) / Self.spreadLength
        }
        fit.add(lag)
        guard let line = fit.point else { return }
        fit.move(to: line, drift: min(max(drift, -Self.largestDrift), Self.largestDrift))
        if lines.count == Self.keptCount { lines.removeFirst() }
        lines.append((line, drift))
    }

    /// The median of the second's lags that lie near a line; nil if there are too few.
    private func lag(near line: State, at time: Double) -> LagPoint? {
        guard let second = seconds.last else { return nil }
        let expected = line.point.lag(at: time, drift: line.drift)
        let near = second.map { $0.lag(at: time, drift: line.drift) }
            .filter { abs($0 - expected) < Self.largestDistance }.sorted()
        let fewest = max(Self.fewestLags, Int((Self.smallestShare * Double(second.count)).rounded(.up)))
        return near.count >= fewest ? LagPoint(time: time, lag: near[near.count / 2]) : nil
    }

    /// The highest level of the first lags of a stream, of which several lie at one; nil if too few do. Those that are wrong are
    /// mostly too low: after a suspension, more of them than are right.
    static func levelOfFirst(_ lags: [Double]) -> Double? {
        let lags = lags.sorted()
        let fewest = max(fewestFirst, Int(smallestShare * Double(lags.count)))
        let last = lags.indices.last { $0 >= fewest - 1 && lags[$0] - lags[$0 - fewest + 1] < levelWidth }
        return last.map { lags[$0 - fewest / 2] }
    }

    /// The level of the latest seconds with most lags, the lowest of several.
    private func level(at time: Double) -> LagPoint? {
        let lags = seconds.joined().map { $0.lag(at: time, drift: drift) }.sorted()
        let fewest = max(Self.fewestLags, Int(Self.smallestShare * Double(lags.count)))
        var (first, fullest) = (0, 0..<0)
        for last in lags.indices {
            while lags[last] - lags[first] >= Self.levelWidth { first += 1 }
            if last + 1 - first > fullest.count { fullest = first..<last + 1 }
        }
        return fullest.count >= fewest ? LagPoint(time: time, lag: lags[fullest.lowerBound + fullest.count / 2]) : nil
    }

    /// Keeps the lags of the second that ends, in the memory of the earliest one.
    private mutating func rotate() {
        var earliest = seconds.count == Self.levelLength ? seconds.removeFirst() : []
        earliest.removeAll(keepingCapacity: true)
        seconds.append(lags)
        lags = earliest
    }
}
