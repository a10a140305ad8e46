import FoundationEssentials

/// Measures the frames of a segment, and publishes buffers and levels.
struct SegmentMeter: ~Copyable {
    private var publisher: BufferPublisher
    private var observation: LevelObservation?
    private let sampleRate: Int
    private let broadcast: RecordingBroadcast

    /// - Parameters:
    ///   - format: The source's sample format.
    ///   - form: The recording's stream format.
    ///   - total: The level of the recording so far.
    ///   - bufferFrames: The length of a buffer in frames.
    init(
        of format: SampleFormat, in form: StreamFormat, total: [ChannelLevel], bufferFrames: Int,
        broadcast: RecordingBroadcast, observer: LevelObserver?
    ) {
        let clipThreshold = format.clipThreshold
        publisher = BufferPublisher(
            bufferFrames: bufferFrames, form: form, total: total, clipThreshold: clipThreshold, broadcast: broadcast)
        observation = observer.map {
            LevelObservation(
                $0, form: form, clippedCount: total.reduce(0) { $0 + $1.clippedCount }, clipThreshold: clipThreshold)
        }
        sampleRate = form.sampleRate
        self.broadcast = broadcast
    }

    /// The level of all buffers published so far.
    var total: [ChannelLevel] { publisher.total }

    /// Whether all samples of the recording so far were zero.
    var isSilent: Bool { publisher.isSilent }

    /// The length of audio in seconds until somebody waits for a buffer or a level; infinity if nobody does.
    var secondsUntilAwaited: TimeInterval {
        let untilBuffer = broadcast.isFollowed ? Double(publisher.framesLeft) / Double(sampleRate) : .infinity
        switch observation {
        case .some(let observation): return min(untilBuffer, observation.timeLeft)
        case nil: return untilBuffer
        }
    }

    /// Measures the next frames of the recording.
    ///
    /// - Parameters:
    ///   - first: The number of the first frame.
    ///   - hostTime: When the first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    ///   - isTimeStill: Whether all frames have that time, because the clock stood still.
    mutating func measure(_ block: AudioBlock, first: Int, hostTime: UInt64, isTimeStill: Bool = false) {
        publisher.append(block, first: first, hostTime: hostTime, isTimeStill: isTimeStill)
        observation?.append(block, first: first)
    }

    /// Ends a batch of frames.
    mutating func endBatch() {
        observation?.endBatch()
    }

    /// Publishes what is left at the end of the segment.
    mutating func flush() {
        publisher.flush()
        observation?.flush()
    }
}

/// Measures the frames of a segment and reports their levels to the recording's observer.
///
/// It reports when the engine is running anyway, independent of buffer boundaries, so that the intervals are equal.
struct LevelObservation: ~Copyable {
    private let observer: LevelObserver
    private let sampleRate: Int
    private let intervalFrames: Int
    private var meter: LevelMeter
    private let channelCount: Int
    /// Clipped samples since the recording began.
    private var clippedCount: Int
    /// Frames since the last report.
    private var frameCount = 0
    private var endFrame = 0

    /// - Parameters:
    ///   - clippedCount: The number of clipped samples in earlier segments.
    ///   - clipThreshold: The magnitude at and above which a sample counts as clipped.
    init(_ observer: LevelObserver, form: StreamFormat, clippedCount: Int, clipThreshold: Float) {
        self.observer = observer
        self.clippedCount = clippedCount
        sampleRate = form.sampleRate
        channelCount = form.channelCount
        intervalFrames = max(form.frames(in: observer.interval), 1)
        meter = LevelMeter(channelCount: form.channelCount, clipThreshold: clipThreshold)
    }

    /// The length of audio until the next report, in seconds.
    var timeLeft: TimeInterval { Double(max(intervalFrames - frameCount, 0)) / Double(sampleRate) }

    /// Adds the next frames of the recording.
    ///
    /// - Parameter first: The number of the first frame.
    mutating func append(_ block: AudioBlock, first: Int) {
        meter.measure(block)
        frameCount += block.frameCount
        endFrame = first + block.frameCount
    }

    /// Ends a batch of frames: reports the levels once a full interval has accumulated.
    mutating func endBatch() {
        if frameCount >= intervalFrames { report() }
    }

    /// Reports the levels of the last frames.
    mutating func flush() {
        if frameCount > 0 { report() }
    }

    private mutating func report() {
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
