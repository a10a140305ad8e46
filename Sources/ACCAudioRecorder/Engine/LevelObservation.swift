import FoundationEssentials

/// Measures the frames of a stretch for the recording's observer, and tells it of them.
///
/// Whatever the length of a buffer, it is told when the engine is at work anyway, so that all its pictures come equally
/// far apart.
struct LevelObservation: ~Copyable {
    private let observer: LevelObserver
    private let sampleRate: Int
    private let intervalFrames: Int
    private var meter: LevelMeter
    private let channelCount: Int
    /// Since the recording began.
    private var clippedCount: Int
    /// Frames since it was told last.
    private var frameCount = 0
    private var endFrame = 0

    /// - Parameters:
    ///   - clippedCount: Samples that had clipped before.
    ///   - clipThreshold: The magnitude from which on a sample counts as clipped.
    init(_ observer: LevelObserver, form: FrameForm, clippedCount: Int, clipThreshold: Float) {
        self.observer = observer
        self.clippedCount = clippedCount
        sampleRate = form.sampleRate
        channelCount = form.channelCount
        intervalFrames = max(form.frames(in: observer.interval), 1)
        meter = LevelMeter(channelCount: form.channelCount, clipThreshold: clipThreshold)
    }

    /// How much is to come before it is told again, in seconds.
    var timeLeft: TimeInterval { Double(max(intervalFrames - frameCount, 0)) / Double(sampleRate) }

    /// Takes the next frames of the recording.
    ///
    /// - Parameter first: The number of the first.
    mutating func take(_ block: AudioBlock, first: Int) {
        meter.measure(block)
        frameCount += block.frameCount
        endFrame = first + block.frameCount
    }

    /// The next frames come later: tells of those there are, if that are enough.
    mutating func endBatch() {
        if frameCount >= intervalFrames { tell() }
    }

    /// Tells of the last frames.
    mutating func flush() {
        if frameCount > 0 { tell() }
    }

    private mutating func tell() {
        let channels = (0..<channelCount).map { meter.level(of: $0) }
        clippedCount += channels.reduce(0) { $0 + $1.clippedCount }
        observer.observe(
            RecordingLevels(
                channels: channels, totalClippedCount: clippedCount,
                timestamp: Double(endFrame) / Double(sampleRate)))
        meter.reset()
        frameCount = 0
    }
}
