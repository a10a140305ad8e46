import FoundationEssentials

/// Collects frames of one stream format into buffers, and sends them to a publisher while it has subscribers.
struct BufferCollector {
    let publisher: Publisher<RecordedAudio>
    private let form: StreamFormat
    private let bufferFrames: Int
    private var samples = Data()
    private var isCollecting = false
    private var firstFrame = 0
    private var hostTime: UInt64 = 0
    /// The number of frames in the current buffer.
    private(set) var frameCount = 0

    /// - Parameter bufferFrames: The length of a buffer in frames.
    init(_ publisher: Publisher<RecordedAudio>, form: StreamFormat, bufferFrames: Int) {
        self.publisher = publisher
        self.form = form
        self.bufferFrames = bufferFrames
    }

    /// The number of the frame after the current buffer's last one.
    var endFrame: Int { firstFrame + frameCount }

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
                begin(at: first + added, hostTime: hostTime + form.nanoseconds(added))
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
        isCollecting = publisher.hasSubscribers
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
            publisher.send(
                .buffer(
                    AudioBufferData(
                        data: samples, frameLength: UInt32(frameCount), sampleRate: Double(form.sampleRate),
                        channelCount: UInt32(form.channelCount),
                        timestamp: Double(firstFrame) / Double(form.sampleRate), hostTime: hostTime)))
        }
        frameCount = 0
    }

    /// Sends a gap, after the frames before it.
    mutating func send(_ gap: RecordingGap) {
        if gap.endsBuffers, frameCount > 0 { send() }
        publisher.send(.gap(gap))
    }
}
