/// A lag at a time of CLOCK_MONOTONIC, both in seconds.
struct LagPoint {
    let time: Double
    let lag: Double

    /// The lag at another time.
    ///
    /// - Parameter drift: By how many seconds the lag grows in a second.
    func lag(at time: Double, drift: Double) -> Double { lag + drift * (time - self.time) }
}

/// The line of lags that follow one another.
///
/// A g-h filter fits it. Its gains are those of a least-squares fit to all lags so far, and stay at those of a limited number
/// (Brookner, "Tracking and Kalman Filtering Made Easy", 1998, 1.2.10: the expanding-memory filter,
/// g = 2(2n + 1) / (n + 2)(n + 1), h = 6 / (n + 2)(n + 1)).
struct LagFit {
    /// The number of lags whose gains the filter keeps.
    private let longest: Double
    /// The line at the latest lag; nil before the first one.
    private(set) var point: LagPoint?
    /// By how many seconds the lag grows in a second.
    private(set) var drift = 0.0
    private var count = 0.0

    /// A larger step is no drift, in seconds.
    private static let largestStep = 0.004

    init(longest: Double) {
        self.longest = longest
    }

    /// Begins a new line.
    ///
    /// - Parameter drift: What is known of its drift; that of the former line by default.
    mutating func restart(drift: Double? = nil) {
        (point, count) = (nil, 0)
        if let drift { self.drift = drift }
    }

    /// Moves the line without a new lag.
    mutating func move(to point: LagPoint, drift: Double) {
        (self.point, self.drift) = (point, drift)
    }

    /// Follows the next lag.
    mutating func add(_ next: LagPoint) {
        guard let last = point else {
            point = next
            return
        }
        let passed = next.time - last.time
        let predicted = last.lag(at: next.time, drift: drift)
        let error = next.lag - predicted
        guard passed > 0, abs(error) < Self.largestStep else {
            point = next
            return
        }
        count = min(count + 1, longest)
        let divisor = (count + 2) * (count + 1)
        point = LagPoint(time: next.time, lag: predicted + error * 2 * (2 * count + 1) / divisor)
        drift += error / passed * 6 / divisor
    }
}
