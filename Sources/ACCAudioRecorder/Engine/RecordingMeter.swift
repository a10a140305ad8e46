import FoundationEssentials

/// Measures each frame of the recording once; publishes the frames and their levels in buffers of the configured size, and
/// reports levels to the recording's observer.
struct RecordingMeter: ~Copyable {
    /// The level of all buffers published so far.
    private(set) var total: [ChannelLevel]
    /// Returns the loudness of the recording so far, with which levels are published; nil before the first frame.
    private let loudness: () -> RecordingLoudness?
    private let form: StreamFormat
    private let broadcast: RecordingBroadcast
    private var collector: BufferCollector
    /// Measures the frames after the latest buffer or report.
    private var meter: LevelMeter
    /// The level of the current buffer, but for the frames in the meter.
    private var levels: [ChannelLevel]
    private var observation: LevelObservation?

    /// - Parameters:
    ///   - format: The source's sample format.
    ///   - form: The recording's stream format.
    ///   - total: The level of the recording so far.
    ///   - bufferFrames: The length of a buffer in frames.
    ///   - loudness: Returns the loudness of the recording so far; called only for levels that somebody gets.
    init(
        of format: SampleFormat, in form: StreamFormat, total: [ChannelLevel], bufferFrames: Int,
        broadcast: RecordingBroadcast, observer: LevelObserver?, loudness: @escaping () -> RecordingLoudness?
    ) {
        self.total = total
        self.loudness = loudness
        self.form = form
        self.broadcast = broadcast
        collector = BufferCollector(broadcast.audio, form: form, bufferFrames: bufferFrames)
        meter = LevelMeter(channelCount: form.channelCount, clipThreshold: format.clipThreshold)
        levels = Array(repeating: ChannelLevel(), count: form.channelCount)
        observation = observer.map {
            LevelObservation($0, form: form, clippedCount: total.reduce(0) { $0 + $1.clippedCount })
        }
    }

    /// The length of audio in seconds until somebody waits for a buffer or a level; infinity if nobody does.
    var secondsUntilAwaited: TimeInterval {
        let untilBuffer = broadcast.isFollowed ? Double(collector.framesLeft) / Double(form.sampleRate) : .infinity
        return min(untilBuffer, observation?.timeLeft ?? .infinity)
    }

    /// Measures the next frames of the recording.
    ///
    /// - Parameters:
    ///   - first: The number of the first frame.
    ///   - hostTime: When the first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    ///   - isTimeStill: Whether all frames have that time, because the clock stood still.
    mutating func measure(_ block: AudioBlock, first: Int, hostTime: UInt64, isTimeStill: Bool = false) {
        var added = 0
        while added < block.frameCount {
            if collector.frameCount == 0 {
                collector.begin(
                    at: first + added, hostTime: isTimeStill ? hostTime : hostTime + form.nanoseconds(added))
            }
            let part = block.part(from: added, frames: min(collector.framesLeft, observation?.framesLeft ?? .max))
            meter.measure(part)
            collector.append(part)
            added += part.frameCount
            observation?.advance(by: part.frameCount, to: first + added)
            if collector.framesLeft == 0 { publish() }
            if observation?.framesLeft == 0 { report() }
        }
    }

    /// Ends a batch of frames: reports its levels, if each batch's are asked for.
    mutating func endBatch() {
        if observation?.isOfEachBatch == true, observation?.hasFrames == true { report() }
    }

    /// Publishes what is left at the end of the segment. The last buffer may be shorter.
    mutating func flush() {
        if collector.frameCount > 0 { publish() }
        if observation?.hasFrames == true { report() }
    }

    /// Publishes a gap, after the frames before it and their levels.
    mutating func publish(_ gap: RecordingGap) {
        if gap.endsBuffers, collector.frameCount > 0 { publish() }
        collector.send(gap)
    }

    private mutating func report() {
        settle()
        observation?.report(loudness())
    }

    private mutating func publish() {
        settle()
        var sum = ChannelLevel()
        for channel in levels.indices {
            total[channel].add(levels[channel])
            sum.add(levels[channel])
        }
        broadcast.append(level: sum.rmsDecibels)
        if broadcast.levels.hasSubscribers {
            broadcast.levels.send(
                RecordingLevels(
                    channels: levels, totalClippedCount: total.reduce(0) { $0 + $1.clippedCount },
                    timestamp: Double(collector.endFrame) / Double(form.sampleRate), frame: collector.endFrame,
                    frameLength: collector.frameCount, loudness: loudness()))
        }
        for channel in levels.indices { levels[channel] = ChannelLevel() }
        collector.send()
    }

    /// Adds the level of the frames in the meter to the current buffer's and to the observer's.
    private mutating func settle() {
        for channel in levels.indices {
            let level = meter.level(of: channel)
            levels[channel].add(level)
            observation?.add(level, of: channel)
        }
        meter.reset()
    }
}

/// The levels that the recording's observer gets next.
struct LevelObservation {
    private let observer: LevelObserver
    private let sampleRate: Int
    /// 0 for each batch of frames.
    private let intervalFrames: Int
    private var levels: [ChannelLevel]
    /// Clipped samples since the recording began.
    private var clippedCount: Int
    /// Frames since the last report.
    private var frameCount = 0
    private var endFrame = 0

    /// - Parameter clippedCount: The number of clipped samples in earlier segments.
    init(_ observer: LevelObserver, form: StreamFormat, clippedCount: Int) {
        self.observer = observer
        self.clippedCount = clippedCount
        sampleRate = form.sampleRate
        intervalFrames = observer.interval > 0 ? max(form.frames(in: observer.interval), 1) : 0
        levels = Array(repeating: ChannelLevel(), count: form.channelCount)
    }

    /// The length of audio until the next report, in seconds.
    var timeLeft: TimeInterval { Double(max(intervalFrames - frameCount, 0)) / Double(sampleRate) }

    /// Whether levels are reported with each batch of frames.
    var isOfEachBatch: Bool { intervalFrames == 0 }

    /// How many frames the interval lacks; `.max` without one.
    var framesLeft: Int { isOfEachBatch ? .max : intervalFrames - frameCount }

    var hasFrames: Bool { frameCount > 0 }

    /// Counts the next frames of the recording. Their levels are added later.
    mutating func advance(by frames: Int, to end: Int) {
        frameCount += frames
        endFrame = end
    }

    /// Adds the level of frames that were counted.
    mutating func add(_ level: ChannelLevel, of channel: Int) {
        levels[channel].add(level)
        clippedCount += level.clippedCount
    }

    /// Reports the levels of the counted frames, all of which were added.
    ///
    /// - Parameter loudness: That of the recording so far.
    mutating func report(_ loudness: RecordingLoudness?) {
        observer.observe(
            RecordingLevels(
                channels: levels, totalClippedCount: clippedCount,
                timestamp: Double(endFrame) / Double(sampleRate), frame: endFrame, frameLength: frameCount,
                loudness: loudness))
        for channel in levels.indices { levels[channel] = ChannelLevel() }
        frameCount = 0
    }
}
