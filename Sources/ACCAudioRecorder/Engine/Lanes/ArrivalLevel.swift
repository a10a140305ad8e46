/// The level of a lane's arrival lags on a server that states what its source keeps (PipeWire): where a step of it is no jitter.
///
/// Fragments arrive there to within 0.1 ms of each other. A client that comes or goes, a sink that gets another driver or a server
/// that was stopped moves all lags by 3 to 75 ms within a fragment, and they stay there. So a fragment whose lag differs is judged by
/// those after it, before it is placed. If the lowest lag of the next half second is not where lags were, those of two eighths of a
/// second that agree tell the step: a client may stay for half a second only.
struct ArrivalLevel {
    /// What the fragments after one say of it.
    enum Judgement: Equatable {
        /// Its lag is where lags were.
        case usual
        /// Later lags are where they were.
        case late
        /// Lags are elsewhere, and agree on no place.
        case doubtful
        /// From it on, lags are there.
        case stepped(to: Double)
        /// More fragments must be seen.
        case undecided
    }

    /// For how long fragments may be late, in seconds.
    private static let longestLateness = 0.5
    /// The length of a part of the lags that follow, in seconds, and in fragments at least.
    private static let shortestPart = 0.125
    private static let fragmentsOfPart = 1.5
    /// A smaller step is jitter or drift, in seconds.
    private static let smallestStep = 0.003
    /// How close two parts lie together that agree, in seconds.
    private static let agreement = 0.001

    /// The lowest lag so far; nil before one.
    private(set) var point: LagPoint?

    /// Adds a fragment.
    mutating func add(_ arrival: LagPoint, drift: Double) {
        if arrival.lag < point?.lag(at: arrival.time, drift: drift) ?? .infinity { point = arrival }
    }

    /// Forgets the lags.
    mutating func restart() { self = ArrivalLevel() }

    /// Judges the first of these fragments by those after it.
    ///
    /// - Parameters:
    ///   - length: The length of a fragment in seconds.
    ///   - expected: Where lags were; nil if that is not known.
    ///   - isLast: Whether no more fragments may follow soon.
    static func judge(_ arrivals: [LagPoint], length: Double, expected: Double?, isLast: Bool) -> Judgement {
        func isExpected(_ level: Double) -> Bool { expected.map { abs(level - $0) < smallestStep } ?? false }
        let next = arrivals[0]
        guard !isExpected(next.lag) else { return .usual }
        // By the lowest: a later fragment may be as late as all were before.
        guard level(of: arrivals.dropFirst()).map({ isExpected($0.lag) }) != true else { return .late }
        guard isLast || isEnough(arrivals, length: length) else { return .undecided }
        let partLength = partLength(length)
        func part(_ number: Double) -> LagPoint? {
            let begin = next.time + number * partLength
            return level(of: arrivals.dropFirst().filter { begin..<begin + partLength ~= $0.time })
        }
        guard let first = part(0), let second = part(1), abs(second.lag - first.lag) < agreement,
            abs(next.lag - first.lag) < smallestStep
        else { return .doubtful }
        return .stepped(to: first.lag)
    }

    /// Whether more fragments would not tell more.
    static func isEnough(_ arrivals: [LagPoint], length: Double) -> Bool {
        guard let first = arrivals.first, let last = arrivals.last else { return false }
        return last.time - first.time > max(longestLateness, 2 * partLength(length))
    }

    private static func partLength(_ length: Double) -> Double { max(shortestPart, fragmentsOfPart * length) }

    private static func level(of arrivals: some Sequence<LagPoint>) -> LagPoint? { arrivals.min { $0.lag < $1.lag } }
}
