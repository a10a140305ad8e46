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
