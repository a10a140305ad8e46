/// What is observed of the frames of a recording, each once: their levels and buffers, which are published, what is wrong with
/// the signal, and when they were captured.
///
/// Used by one thread at a time.
final class FrameObserver {
    /// The level of all segments that have ended.
    private(set) var levels: [ChannelLevel]
    private let form: StreamFormat
    /// The length of subscribers' buffers, in frames of the recording.
    private let bufferFrames: Int
    private let broadcast: RecordingBroadcast
    private let levelObserver: LevelObserver?
    /// Nil between segments.
    private var meter: RecordingMeter?
    /// Nil before the first segment.
    private var watch: SignalWatch?
    private var times = RecordingTimes()

    /// - Parameter form: The recording's own format.
    init(_ form: StreamFormat, bufferFrames: Int, broadcast: RecordingBroadcast, levelObserver: LevelObserver?) {
        self.form = form
        self.bufferFrames = bufferFrames
        self.broadcast = broadcast
        self.levelObserver = levelObserver
        levels = Array(repeating: ChannelLevel(), count: form.channelCount)
        times.reserve()
    }

    /// The length of audio in seconds until somebody waits for a buffer or a level; infinity if nobody does.
    var secondsUntilAwaited: Double { meter?.secondsUntilAwaited ?? .infinity }

    /// Begins a segment of this source.
    func beginSegment(of source: AudioSource) {
        meter = RecordingMeter(
            of: source.sampleSpec.format, in: form, total: levels, bufferFrames: bufferFrames, broadcast: broadcast,
            observer: levelObserver
        ) { [unowned self] in watch?.takeLoudness() }
        if watch == nil { watch = SignalWatch(form, of: source) }
        watch?.breakOff()
    }

    /// Observes the next frames.
    ///
    /// - Parameters:
    ///   - first: The number of the first frame.
    ///   - hostTime: When it was captured, in CLOCK_MONOTONIC nanoseconds.
    func observe(_ block: AudioBlock, first: Int, hostTime: UInt64) {
        watch?.examine(block, at: first)
        times.note(first, at: hostTime, sampleRate: form.sampleRate)
        measure(block, first: first, hostTime: hostTime)
    }

    /// Observes silence in place of what is missing, which is measured and published, but was not captured.
    ///
    /// - Parameter isTimeStill: Whether the time of all frames is that of the first.
    func observe(silence block: AudioBlock, first: Int, hostTime: UInt64, isTimeStill: Bool) {
        measure(block, first: first, hostTime: hostTime, isTimeStill: isTimeStill)
    }

    private func measure(_ block: AudioBlock, first: Int, hostTime: UInt64, isTimeStill: Bool = false) {
        meter?.measure(block, first: first, hostTime: hostTime, isTimeStill: isTimeStill)
    }

    /// Notes that the next frames do not continue the last ones.
    func breakOff() {
        watch?.breakOff()
        times.breakOff(sampleRate: form.sampleRate)
    }

    /// Publishes a gap, after the frames before it.
    func publish(_ gap: RecordingGap) { meter?.publish(gap) }

    /// Ends a batch of frames: reports the levels, if they are due.
    func endBatch() { meter?.endBatch() }

    /// Publishes the last buffer and levels, which may be shorter.
    func flush() { meter?.flush() }

    /// Ends the segment, after a flush.
    func endSegment() {
        levels = meter?.total ?? levels
        meter = nil
        times.breakOff(sampleRate: form.sampleRate)
    }

    /// Examines the frames observed so far, of which the latest are collected first.
    func examineCollected() { watch?.examineCollected() }

    /// Whether `takeNews` may return anything.
    var hasNews: Bool { watch?.hasNews == true }

    /// Removes and returns what was found in the signal, as `SignalWatch` does.
    ///
    /// - Parameter absent: The channels of inputs that are away, counted from 1.
    func takeNews(absent: [Int]) -> [SignalFinding] { watch?.takeNews(absent: absent) ?? [] }

    /// After how many seconds no channel had sounded; nil if one had.
    var silentSeconds: Int? { watch?.silentSeconds }

    /// What was measured of all frames, at the end of the recording.
    func finish() -> SignalFigures? { watch?.finish() }

    /// What was found in the signal, but for what goes on.
    var findings: [SignalFinding] { watch?.findings ?? [] }

    /// When the frames were captured.
    var captureTimes: RecordingTimes { times.ended(sampleRate: form.sampleRate) }
}
