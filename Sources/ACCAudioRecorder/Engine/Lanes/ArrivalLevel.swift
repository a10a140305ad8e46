/// The level of a lane's arrival lags on a server that states what its source keeps (PipeWire): where a step of it is no jitter.
///
/// The lowest lag of a quarter of a second is steady to 0.1 ms there. A client that comes or goes, a sink that gets another driver
/// or a server that was stopped moves it by 3 to 60 ms within a fragment, and it stays: so two quarters that agree tell what the
/// lowest lag of ten seconds hides for ten.
///
/// A fragment of PipeWire waits for the end of a cycle, and a loss may let it wait longer or shorter from then on: the lag then grows
/// by 10.7 ms where 5.3 are missing (measured). What the server had captured beyond the fragment says how long that is.
struct ArrivalLevel {
    /// What the quarters of a second tell.
    enum Change {
        /// The lags are where they were, or have been elsewhere for too long without agreeing.
        case none
        /// They may have stepped.
        case doubtful
        case stepped
    }

    /// The length of a quarter, in seconds.
    static let length = 0.25
    /// A smaller step is jitter or drift, in seconds.
    private static let smallestStep = 0.003
    /// How close two quarters lie together that agree, in seconds.
    private static let agreement = 0.001
    /// The number of quarters for which a step is doubtful.
    private static let longestDoubt = 12

    private var lowest: LagPoint?
    private var surplus = Double.infinity
    private var end = -Double.infinity
    private var previous: LagPoint?
    private var doubtCount = 0

    /// The lowest lag of the current quarter so far, without what its fragment has waited for; nil before one.
    var point: LagPoint? { lowest.map { LagPoint(time: $0.time, lag: $0.lag - (surplus < .infinity ? surplus : 0)) } }

    /// Whether a quarter has ended.
    func isComplete(at time: Double) -> Bool { time >= end }

    /// Adds a lag.
    ///
    /// - Parameter surplus: How much more than the fragment the server had captured when it delivered one, in seconds.
    mutating func add(_ lag: LagPoint, drift: Double, surplus: Double) {
        if lag.lag < lowest?.lag(at: lag.time, drift: drift) ?? .infinity { lowest = lag }
        self.surplus = min(self.surplus, surplus)
    }

    /// Ends the current quarter, and begins another one.
    ///
    /// - Parameter expected: The lag that was known at a time; nil if none was.
    mutating func endQuarter(at time: Double, drift: Double, expected: (Double) -> Double?) -> Change {
        defer { (lowest, surplus, end) = (nil, .infinity, time + Self.length) }
        guard let point else { return doubtCount == 0 ? .none : .doubtful }
        defer { previous = point }
        guard let lag = expected(point.time), abs(point.lag - lag) > Self.smallestStep else {
            doubtCount = 0
            return .none
        }
        if let previous, abs(previous.lag(at: point.time, drift: drift) - point.lag) < Self.agreement {
            doubtCount = 0
            return .stepped
        }
        doubtCount += 1
        return doubtCount > Self.longestDoubt ? .none : .doubtful
    }

    /// Forgets the lags.
    mutating func interrupt() { self = ArrivalLevel() }
}
