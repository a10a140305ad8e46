import FoundationEssentials

// Frames of a recording as times of capture, and back.

extension RecordingReport {
    /// When a frame was captured, in CLOCK_MONOTONIC nanoseconds, to 2 ms; nil for one that the recording has not.
    ///
    /// - Parameter frame: The number of the frame in the recording, counted from 0.
    public func hostTime(ofFrame frame: Int) -> UInt64? {
        guard (0..<frameCount).contains(frame), let first = times.points.first else { return nil }
        let next = times.points.firstIndex { $0.frame > frame } ?? times.points.endIndex
        let point = next > 0 ? times.points[next - 1] : first
        let ahead = Double(frame - point.frame) * nanosecondsPerFrame(after: next - 1)
        return UInt64(max(Double(point.hostTime) + ahead, 0).rounded())
    }

    /// The frame that was captured at a time, to 2 ms; nil if none was: before the beginning, after the end, and in a gap or a
    /// pause.
    ///
    /// - Parameter hostTime: In CLOCK_MONOTONIC nanoseconds.
    public func frame(capturedAt hostTime: UInt64) -> Int? {
        let points = times.points
        let next = points.firstIndex { $0.hostTime > hostTime } ?? points.endIndex
        guard next > 0 else { return nil }
        let point = points[next - 1]
        let ahead = Double(hostTime - point.hostTime) / nanosecondsPerFrame(after: next - 1)
        let end = next < points.endIndex ? points[next].frame : frameCount
        let frame = Double(point.frame) + ahead.rounded(.down)
        return frame < Double(end) ? Int(frame) : nil
    }

    /// How fast a source counts time.
    public struct ClockEstimate: Sendable, Hashable {
        /// By how many millionths its clock is faster than CLOCK_MONOTONIC; negative if it is slower.
        public let drift: Double
        /// By how much the drift may be wrong, in millionths: the times of two frames, each to 2 ms, over the time between them.
        public let uncertainty: Double
    }

    /// How fast the source, or the first of several inputs, counted time, by the longest stretch without a gap or pause; nil if none
    /// is longer than ten seconds.
    public var clock: ClockEstimate? {
        var (longest, first): ((RecordingTimes.Point, RecordingTimes.Point)?, RecordingTimes.Point?)
        for point in times.points {
            if point.isFirst || first == nil { first = point }
            guard let first else { continue }
            if point.frame - first.frame > longest.map({ $1.frame - $0.frame }) ?? 0 { longest = (first, point) }
        }
        guard let (first, last) = longest, last.hostTime > first.hostTime else { return nil }
        let passed = Double(last.hostTime - first.hostTime) * 1e-9
        let counted = Double(last.frame - first.frame) / Double(sampleRate)
        return ClockEstimate(drift: (counted / passed - 1) * 1e6, uncertainty: 2 * Self.accuracy / passed * 1e6)
    }

    /// Of the time of a frame, in seconds: see ``AudioBufferData/hostTime``.
    private static let accuracy = 0.002

    /// The length of the frames after a point: as to the next point of its stretch, or else by the rate.
    private func nanosecondsPerFrame(after index: Int) -> Double {
        let points = times.points
        guard index >= 0, index + 1 < points.endIndex, !points[index + 1].isFirst,
            points[index + 1].frame > points[index].frame, points[index + 1].hostTime > points[index].hostTime
        else { return 1e9 / Double(sampleRate) }
        let (point, next) = (points[index], points[index + 1])
        return Double(next.hostTime - point.hostTime) / Double(next.frame - point.frame)
    }
}
