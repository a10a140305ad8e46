/// Says when each output frame of a stretch was captured, from the stamps of the source's fragments.
struct StretchTimeline {
    private let inputRate: Double
    private let outputRate: Double
    private var fragmentHostTime: UInt64 = 0
    private var fragmentFirstFrame = 0
    private var framesIn = 0
    private var framesOut = 0

    init(inputRate: Int, outputRate: Int) {
        self.inputRate = Double(inputRate)
        self.outputRate = Double(outputRate)
    }

    /// A fragment of `frames` source frames follows.
    mutating func begin(_ stamp: FragmentRing.Stamp, frames: Int) {
        fragmentHostTime = stamp.hostTime
        fragmentFirstFrame = framesIn
        framesIn += frames
    }

    /// So many output frames were taken.
    mutating func advance(by frames: Int) {
        framesOut += frames
    }

    /// When the next output frame was captured, in CLOCK_MONOTONIC nanoseconds: the fragment's time, and the
    /// distance to it, which is negative for frames that a resampler held back.
    var hostTimeOfNextFrame: UInt64 {
        let seconds = Double(framesOut) / outputRate - Double(fragmentFirstFrame) / inputRate
        return UInt64(max(Double(fragmentHostTime) + seconds * 1e9, 0))
    }
}
