import FoundationEssentials

/// Cuts the frames of a stretch into buffers of the size that was asked for, measures each, and hands it to the
/// subscribers.
struct BufferPublisher: ~Copyable {
    /// The level of all buffers that were published.
    private(set) var total: [ChannelLevel]
    /// Whether nothing but zeros was taken.
    private(set) var isSilent: Bool
    private let bufferFrames: Int
    private let form: FrameForm
    private let broadcast: RecordingBroadcast
    /// The level of the buffer that is being filled.
    private var meter: LevelMeter
    /// The level of the last buffer.
    private var levels: [ChannelLevel]
    /// What is in the buffer, where somebody wants it.
    private var samples = Data()
    private var isCollecting = false
    private var frameCount = 0
    private var firstFrame = 0
    private var hostTime: UInt64 = 0

    /// - Parameters:
    ///   - total: The level of the recording until now.
    ///   - clipThreshold: The magnitude from which on a sample counts as clipped.
    init(
        bufferFrames: Int, form: FrameForm, total: [ChannelLevel], clipThreshold: Float,
        broadcast: RecordingBroadcast
    ) {
        self.bufferFrames = bufferFrames
        self.form = form
        self.total = total
        isSilent = total.allSatisfy { $0.peak == 0 }
        self.broadcast = broadcast
        meter = LevelMeter(channelCount: form.channelCount, clipThreshold: clipThreshold)
        levels = Array(repeating: ChannelLevel(), count: form.channelCount)
    }

    /// How many frames the buffer lacks that is being filled.
    var framesLeft: Int { bufferFrames - frameCount }

    /// Takes the next frames of the recording.
    ///
    /// - Parameters:
    ///   - first: The number of the first.
    ///   - hostTime: When it was captured, in CLOCK_MONOTONIC nanoseconds.
    ///   - isTimeStill: Whether that is the time of all of them, since the clock stood still.
    mutating func take(_ block: AudioBlock, first: Int, hostTime: UInt64, isTimeStill: Bool = false) {
        var taken = 0
        while taken < block.frameCount {
            if frameCount == 0 {
                begin(at: first + taken, hostTime: isTimeStill ? hostTime : hostTime + nanoseconds(taken))
            }
            let part = block.part(from: taken, frames: bufferFrames - frameCount)
            meter.measure(part)
            if isSilent { isSilent = levels.indices.allSatisfy { meter.level(of: $0).peak == 0 } }
            if isCollecting { samples.append(Data(buffer: part.samples)) }
            frameCount += part.frameCount
            taken += part.frameCount
            if frameCount == bufferFrames { publish() }
        }
    }

    /// Publishes the last buffer, which may be a shorter one.
    mutating func flush() {
        if frameCount > 0 { publish() }
    }

    private mutating func begin(at frame: Int, hostTime: UInt64) {
        firstFrame = frame
        self.hostTime = hostTime
        isCollecting = broadcast.buffers.hasSubscribers
        if isCollecting {
            // New memory each time: the last buffer's belongs to its subscribers.
            samples = Data(capacity: bufferFrames * form.channelCount * MemoryLayout<Float>.size)
        }
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
                    timestamp: Double(firstFrame + frameCount) / Double(form.sampleRate)))
        }
        if isCollecting {
            broadcast.buffers.send(
                AudioBufferData(
                    data: samples, frameLength: UInt32(frameCount), sampleRate: Double(form.sampleRate),
                    channelCount: UInt32(form.channelCount),
                    timestamp: Double(firstFrame) / Double(form.sampleRate), hostTime: hostTime))
        }
        frameCount = 0
    }

    private func nanoseconds(_ frames: Int) -> UInt64 {
        UInt64(frames) * 1_000_000_000 / UInt64(form.sampleRate)
    }
}
