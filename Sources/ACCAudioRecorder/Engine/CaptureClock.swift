/// Computes when each frame of a recording was captured, from the capture times of the source's frames.
struct CaptureClock {
    private let outputRate: Double
    private var inputRate = 1.0
    /// When the frame after the last one was captured, in CLOCK_MONOTONIC nanoseconds.
    private(set) var endHostTime: UInt64 = 0
    /// The latest source frame with a known time, by its number in the segment.
    private var reference = (frame: 0, hostTime: UInt64(0))
    /// Source frames and output frames of the segment so far.
    private var framesIn = 0
    private var framesOut = 0

    init(outputRate: Int) {
        self.outputRate = Double(outputRate)
    }

    /// Begins a segment with a source of this sample rate.
    mutating func beginSegment(inputRate: Int) {
        self.inputRate = Double(inputRate)
        reference = (0, 0)
        (framesIn, framesOut) = (0, 0)
    }

    /// Adds source frames.
    ///
    /// - Parameter hostTime: When the first one was captured; nil if they directly follow the previous ones.
    mutating func append(_ frames: Int, hostTime: UInt64?) {
        if let hostTime { reference = (framesIn, hostTime) }
        framesIn += frames
    }

    /// When the next output frame was captured, in CLOCK_MONOTONIC nanoseconds. May precede the reference, because a
    /// resampler holds frames back.
    var hostTimeOfNextFrame: UInt64 {
        let seconds = Double(framesOut) / outputRate - Double(reference.frame) / inputRate
        return max(endHostTime, UInt64(max(Double(reference.hostTime) + seconds * 1e9, 0)))
    }

    /// Adds output frames.
    mutating func advance(by frames: Int) {
        framesOut += frames
        endHostTime = hostTimeOfNextFrame
    }

    /// Adds output frames of silence that fill a gap.
    mutating func advance(bySilence frames: Int) {
        endHostTime += UInt64(frames) * 1_000_000_000 / UInt64(outputRate)
    }
}
