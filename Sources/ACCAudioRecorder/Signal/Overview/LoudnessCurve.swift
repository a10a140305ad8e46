/// Momentary and short-term loudness over time, in a bounded number of points.
///
/// When the points are full, each two become one, and the louder one is kept.
public struct LoudnessCurve: Sendable, Hashable {
    /// A point: the highest loudness within it, in LUFS; -infinity for none.
    public struct Point: Sendable, Hashable {
        /// That of 400 ms.
        public var momentary: Double
        /// That of three seconds.
        public var shortTerm: Double

        /// A point without loudness.
        public static let silence = Point(momentary: -.infinity, shortTerm: -.infinity)
    }

    private let interval: Duration
    private var grid: ColumnGrid
    /// The points so far.
    public private(set) var points: [Point] = []

    /// Creates a curve without a point.
    ///
    /// - Parameters:
    ///   - capacity: How many points there are at most, at least 2.
    ///   - interval: The time between two values, above zero.
    ///   - expectedLength: How long the recording probably is; zero if unknown.
    public init(capacity: Int, interval: Duration = .milliseconds(100), expectedLength: Duration = .zero) {
        self.interval = interval
        let values = (expectedLength / interval).rounded(.up)
        grid = ColumnGrid(capacity: max(capacity, 2), expectedFrames: (1..<1e15).contains(values) ? Int(values) : 0)
        points.reserveCapacity(grid.capacity)
    }

    /// The length of a point; the last one may be shorter.
    public var pointLength: Duration { interval * grid.framesPerColumn }

    /// Adds the loudness at the end of the next interval.
    ///
    /// - Parameters:
    ///   - momentary: In LUFS; nil where there is none yet.
    ///   - shortTerm: In LUFS; nil where there is none yet.
    public mutating func append(momentary: Double?, shortTerm: Double?) {
        if grid.isFull { merge() }
        let point = Point(momentary: momentary ?? -.infinity, shortTerm: shortTerm ?? -.infinity)
        if grid.column < points.count {
            points[grid.column] = Self.louder(points[grid.column], point)
        } else {
            points.append(Self.louder(.silence, point))
        }
        grid.advance(by: 1)
    }

    private mutating func merge() {
        let pairs = (points.count + 1) / 2
        for index in 0..<pairs {
            let other = 2 * index + 1 < points.count ? points[2 * index + 1] : .silence
            points[index] = Self.louder(points[2 * index], other)
        }
        points.removeLast(points.count - pairs)
        grid.merge()
    }

    private static func louder(_ one: Point, _ other: Point) -> Point {
        Point(momentary: max(one.momentary, other.momentary), shortTerm: max(one.shortTerm, other.shortTerm))
    }
}
