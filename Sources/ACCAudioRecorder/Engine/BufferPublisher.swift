import FoundationEssentials

/// Splits the frames of a segment into buffers of the configured size, measures them, and sends them to the
/// subscribers.
struct BufferPublisher: ~Copyable {
    /// The level of all buffers published so far.
    private(set) var total: [ChannelLevel]
    /// Whether all samples so far were zero.
    private(set) var isSilent: Bool
    private var collector: BufferCollector
    private let form: StreamFormat
    private let broadcast: RecordingBroadcast
    /// Measures the current buffer.
    private var meter: LevelMeter
    /// The level of the previous buffer.
    private var levels: [ChannelLevel]
    /// The number of the current buffer's first frame.
    private var firstFrame = 0

    /// - Parameters:
    ///   - total: The level of the recording so far.
    ///   - clipThreshold: The magnitude at and above which a sample counts as clipped.
    init(
        bufferFrames: Int, form: StreamFormat, total: [ChannelLevel], clipThreshold: Float,
        broadcast: RecordingBroadcast
    ) {
        collector = BufferCollector(broadcast.buffers, form: form, bufferFrames: bufferFrames)
        self.form = form
        self.total = total
        isSilent = total.allSatisfy { $0.peak == 0 }
        self.broadcast = broadcast
        meter = LevelMeter(channelCount: form.channelCount, clipThreshold: clipThreshold)
        levels = Array(repeating: ChannelLevel(), count: form.channelCount)
    }

    /// The number of frames missing in the current buffer.
    var framesLeft: Int { collector.framesLeft }

    /// Appends the next frames of the recording.
    ///
    /// - Parameters:
    ///   - first: The number of the first frame.
    ///   - hostTime: When the first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    ///   - isTimeStill: Whether all frames have that time, because the clock stood still.
    mutating func append(_ block: AudioBlock, first: Int, hostTime: UInt64, isTimeStill: Bool = false) {
        var added = 0
        while added < block.frameCount {
            if collector.frameCount == 0 {
                firstFrame = first + added
                collector.begin(at: firstFrame, hostTime: isTimeStill ? hostTime : hostTime + nanoseconds(added))
            }
            let part = block.part(from: added, frames: framesLeft)
            meter.measure(part)
            if isSilent { isSilent = levels.indices.allSatisfy { meter.level(of: $0).peak == 0 } }
            collector.append(part)
            added += part.frameCount
            if framesLeft == 0 { publish() }
        }
    }

    /// Publishes the last buffer, which may be shorter.
    mutating func flush() {
        if collector.frameCount > 0 { publish() }
    }

    private mutating func publish() {
        var sum = ChannelLevel()
        for channel in levels.indices {
            levels[channel] = meter.level(of: channel)
            total[channel].add(levels[channel])
            sum.add(levels[channel])
        }
        meter.reset()
        broadcast.append(level: sum.rmsDecibels)
        if broadcast.levels.hasSubscribers {
            broadcast.levels.send(
                RecordingLevels(
                    channels: levels, totalClippedCount: total.reduce(0) { $0 + $1.clippedCount },
                    timestamp: Double(firstFrame + collector.frameCount) / Double(form.sampleRate)))
        }
        collector.send()
    }

    private func nanoseconds(_ frames: Int) -> UInt64 {
        UInt64(frames) * 1_000_000_000 / UInt64(form.sampleRate)
    }
}

/// Collects frames of one stream format into buffers, and sends them to a channel while that has subscribers.
struct BufferCollector {
    let channel: Channel<AudioBufferData>
    private let form: StreamFormat
    private let bufferFrames: Int
    private var samples = Data()
    private var isCollecting = false
    private var firstFrame = 0
    private var hostTime: UInt64 = 0
    /// The number of frames in the current buffer.
    private(set) var frameCount = 0

    /// - Parameter bufferFrames: The length of a buffer in frames.
    init(_ channel: Channel<AudioBufferData>, form: StreamFormat, bufferFrames: Int) {
        self.channel = channel
        self.form = form
        self.bufferFrames = bufferFrames
    }

    /// The number of frames missing in the current buffer.
    var framesLeft: Int { bufferFrames - frameCount }

    /// Collects and sends frames.
    ///
    /// - Parameters:
    ///   - first: The number of the first frame.
    ///   - hostTime: When the first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    mutating func collect(_ block: AudioBlock, first: Int, hostTime: UInt64) {
        var added = 0
        while added < block.frameCount {
            if frameCount == 0 {
                let passed = UInt64(added) * 1_000_000_000 / UInt64(form.sampleRate)
                begin(at: first + added, hostTime: hostTime + passed)
            }
            let part = block.part(from: added, frames: framesLeft)
            append(part)
            added += part.frameCount
            if framesLeft == 0 { send() }
        }
    }

    /// Begins a buffer, which must be empty.
    ///
    /// - Parameters:
    ///   - frame: The number of its first frame.
    ///   - hostTime: When that was captured, in CLOCK_MONOTONIC nanoseconds.
    mutating func begin(at frame: Int, hostTime: UInt64) {
        firstFrame = frame
        self.hostTime = hostTime
        isCollecting = channel.hasSubscribers
        if isCollecting {
            // New memory each time, because the previous buffer belongs to its subscribers.
            samples = Data(capacity: bufferFrames * form.channelCount * MemoryLayout<Float>.size)
        }
    }

    /// Appends frames, at most `framesLeft`.
    mutating func append(_ block: AudioBlock) {
        if isCollecting { samples.append(Data(buffer: block.samples)) }
        frameCount += block.frameCount
    }

    /// Sends the buffer and empties it.
    mutating func send() {
        if isCollecting {
            channel.send(
                AudioBufferData(
                    data: samples, frameLength: UInt32(frameCount), sampleRate: Double(form.sampleRate),
                    channelCount: UInt32(form.channelCount),
                    timestamp: Double(firstFrame) / Double(form.sampleRate), hostTime: hostTime))
        }
        frameCount = 0
    }
}
