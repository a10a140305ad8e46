/// When the frames of a recording were captured.
///
/// A recording consists of stretches without a gap or pause. Within one, frames between two points lie on the line between them;
/// those after its last point follow each other at the recording's rate. So a program can put a recording beside another one, or
/// beside anything else that has times of CLOCK_MONOTONIC, though their clocks differ. In JSON: an array of objects with `frame`,
/// `monotonic`, in seconds, and `is_first`.
public struct RecordingTimes: Sendable, Hashable {
    /// A frame, and when it was captured.
    public struct Point: Sendable, Hashable {
        /// The frame, at the recording's rate.
        public let frame: Int
        /// When it was captured, in CLOCK_MONOTONIC nanoseconds, to 2 ms: see ``AudioBufferData/hostTime``.
        public let hostTime: UInt64
        /// Whether a stretch begins with it, or has begun between it and the point before.
        public internal(set) var isFirst: Bool

        /// Creates a point.
        ///
        /// - Parameters:
        ///   - frame: The frame, at the recording's rate.
        ///   - hostTime: When it was captured, in CLOCK_MONOTONIC nanoseconds.
        ///   - isFirst: Whether a stretch begins with it.
        public init(frame: Int, hostTime: UInt64, isFirst: Bool = false) {
            (self.frame, self.hostTime, self.isFirst) = (frame, hostTime, isFirst)
        }
    }

    /// The first frame of each stretch, and one about every ten seconds; fewer where these would be many: at most 512 in all.
    public private(set) var points: [Point] = []

    /// The stretch that goes on: its first frame and the latest one, and whether the first is a point.
    private var stretch: (first: Int, latest: Point, isPlaced: Bool)?
    private var interval = shortestInterval

    /// The time between two points at first, in seconds; and the length of the beginning of a stretch in which times are inexact:
    /// its first frame gets the time that follows from later ones.
    private static let (shortestInterval, settling) = (10.0, 3.0)
    private static let mostPoints = 512

    /// Creates the times of no frames.
    public init() {}

    /// Gets the memory for all points, so that none is needed while a recording runs.
    mutating func reserve() { points.reserveCapacity(Self.mostPoints) }

    /// Notes when a frame was captured. Frames follow each other until `breakOff`.
    mutating func note(_ frame: Int, at hostTime: UInt64, sampleRate: Int) {
        let point = Point(frame: frame, hostTime: hostTime)
        let first = stretch?.first ?? frame
        stretch = (first, point, stretch?.isPlaced ?? false)
        if Double(frame - first) >= Self.settling * Double(sampleRate) { placeFirst(sampleRate: sampleRate) }
        guard stretch?.isPlaced == true, let last = points.last else { return }
        if Double(frame - last.frame) >= interval * Double(sampleRate) { add(point) }
    }

    /// Ends a stretch: what follows was captured later than at once, or is not what was captured.
    mutating func breakOff(sampleRate: Int) {
        placeFirst(sampleRate: sampleRate)
        stretch = nil
    }

    /// All that is known by now.
    func ended(sampleRate: Int) -> RecordingTimes {
        var times = self
        times.breakOff(sampleRate: sampleRate)
        return times
    }

    private mutating func placeFirst(sampleRate: Int) {
        guard let (first, latest, isPlaced) = stretch, !isPlaced else { return }
        let nanoseconds = UInt64(Double(latest.frame - first) / Double(sampleRate) * 1e9)
        add(Point(frame: first, hostTime: latest.hostTime - min(nanoseconds, latest.hostTime), isFirst: true))
        stretch?.isPlaced = true
    }

    private mutating func add(_ point: Point) {
        points.append(point)
        guard points.count == Self.mostPoints else { return }
        for index in 1..<Self.mostPoints / 2 {
            let isFirst = points[2 * index - 1].isFirst
            points[index] = points[2 * index]
            points[index].isFirst = points[index].isFirst || isFirst
        }
        points.removeLast(Self.mostPoints / 2)
        interval *= 2
    }

    /// Compares the points.
    public static func == (times: RecordingTimes, others: RecordingTimes) -> Bool { times.points == others.points }

    /// Hashes the points.
    public func hash(into hasher: inout Hasher) { hasher.combine(points) }
}

extension RecordingTimes: Codable {
    private struct Entry: Codable {
        let frame: Int
        let monotonic: Double
        let isFirst: Bool

        enum CodingKeys: String, CodingKey {
            case frame, monotonic
            case isFirst = "is_first"
        }
    }

    /// Encodes everything.
    public func encode(to encoder: any Encoder) throws {
        try points.map { point in
            Entry(
                frame: point.frame, monotonic: (Double(point.hostTime) / 1e3).rounded() / 1e6, isFirst: point.isFirst)
        }
        .encode(to: encoder)
    }

    /// Decodes everything, times to a microsecond.
    public init(from decoder: any Decoder) throws {
        points = try [Entry](from: decoder).map { entry in
            guard (0..<1e9).contains(entry.monotonic) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "a time is out of range"))
            }
            return Point(frame: entry.frame, hostTime: UInt64(entry.monotonic * 1e9), isFirst: entry.isFirst)
        }
    }
}
