/// Resamples a lane to the recording's rate, with a ratio that glides so that each frame lies where the lane's clock has it.
///
/// The ratio is the clock's, and a correction for where the output frames really lie, which `Resampler` counts: an output frame
/// is at a place between source frames, and the filter, which holds frames back, has no delay. Output frames follow each other
/// until `start`, which begins again at a gap.
struct LaneRate: ~Copyable {
    /// The output frames of one call, with the place of the first on the recording's time, in frames.
    struct Placed {
        let block: AudioBlock
        let position: Int
    }

    /// How fast frames that lie elsewhere than on the clock are moved there: the seconds that the correction takes, and its
    /// limit as a fraction.
    private static let correctionTime = 2.0
    private static let largestCorrection = 20e-6
    private static let smoothingTime = 0.2

    private let recordingRate: Double
    private let nominalRatio: Double
    private var resampler: Resampler
    /// The ratio as it follows the clock by at most 20 ppm a second, and as it is used.
    private var glidingRatio: Double
    private var ratio: Double
    /// The place of the next output frame.
    private(set) var position = 0
    /// By how many frames of the recording the next output frame lies earlier than on the clock.
    private(set) var misplacement = 0.0
    /// Whether the audio before a gap has ended, so that `start` is next.
    private var isFinished = false

    /// - Parameters:
    ///   - rate: The lane's sample rate in Hz.
    ///   - blockFrames: The length of a block of output in frames, over which the ratio glides.
    init(
        from rate: Int, to recordingRate: Int, channelCount: Int, quality: ResamplerQuality, blockFrames: Int
    ) throws(ACCAudioRecorderError) {
        self.recordingRate = Double(recordingRate)
        nominalRatio = Double(recordingRate) / Double(rate)
        (glidingRatio, ratio) = (nominalRatio, nominalRatio)
        resampler = try Resampler(
            from: rate, to: recordingRate, channelCount: channelCount, quality: quality, blockFrames: blockFrames)
    }

    /// Begins with frames that do not follow the ones before, because the lane is placed or frames are missing. Call `finish`
    /// and `next` before, for what the filter still holds.
    ///
    /// - Parameters:
    ///   - time: The recording's time of the next source frame in seconds, at least 0.
    ///   - drift: The clock's drift.
    mutating func start(at time: Double, drift: Double) {
        position = Int((time * recordingRate).rounded())
        misplacement = time * recordingRate - Double(position)
        ratio = nominalRatio * (1 + drift)
        glidingRatio = ratio
        isFinished = false
        resampler.glide(to: ratio)
        resampler.reset()
    }

    /// Takes over a drift that is known for the first time.
    mutating func adopt(drift: Double) {
        ratio = nominalRatio * (1 + drift)
        glidingRatio = ratio
    }

    /// Appends the next source frames. Call `next` until it returns nil before appending others.
    ///
    /// - Parameters:
    ///   - endTime: The recording's time of the frame after the last one in seconds, by the lane's clock.
    ///   - drift: The clock's drift.
    mutating func append(_ block: AudioBlock, until endTime: Double, drift: Double) {
        resampler.append(block)
        let clockRatio = nominalRatio * (1 + drift)
        misplacement = misplacement(ofNext: endTime * recordingRate, drift: drift)
        let correction = misplacement / (recordingRate * Self.correctionTime)
        glide(
            to: clockRatio * (1 + min(max(correction, -Self.largestCorrection), Self.largestCorrection)),
            over: Double(block.frameCount) * nominalRatio / recordingRate)
    }

    /// By how many frames of the recording the next output frame lies too early.
    ///
    /// - Parameter place: Where the next source frame belongs, in frames of the recording.
    func misplacement(ofNext place: Double, drift: Double) -> Double {
        let held = Double(resampler.endPosition) - resampler.position
        return place - held * nominalRatio * (1 + drift) - Double(position)
    }

    /// Follows the clock, which changes once a second, without a bend: beside a tone whose frequency jumps by a few ppm, or
    /// suddenly begins to glide, there are others.
    private mutating func glide(to target: Double, over seconds: Double) {
        let largest = nominalRatio * LaneClock.largestChange * seconds
        glidingRatio += min(max(target - glidingRatio, -largest), largest)
        ratio += (glidingRatio - ratio) * min(seconds / Self.smoothingTime, 1)
        resampler.glide(to: ratio)
    }

    /// Ends the audio before a gap. Call `next` until it returns nil for what the filter still holds.
    mutating func finish() {
        guard !isFinished else { return }
        isFinished = true
        _ = resampler.finish()
    }

    /// The next output frames, valid until the next call; nil if more input is needed.
    mutating func next() throws(ACCAudioRecorderError) -> Placed? {
        guard let block = try resampler.next() else { return nil }
        defer { position += block.frameCount }
        return Placed(block: block, position: position)
    }
}
