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
    ///
    /// - Parameter extent: How many of them belonged to the fragment before, by their time.
    mutating func begin(_ stamp: FragmentRing.Stamp, frames: Int, after extent: Int = 0) {
        fragmentHostTime = stamp.hostTime + UInt64(Double(extent) / inputRate * 1e9)
        fragmentFirstFrame = framesIn
        framesIn += frames - extent
    }

    /// So many source frames follow that came without a break after the fragment before.
    mutating func extend(by frames: Int) {
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
