/// The branches of a recording: one for each stream format of its outputs and subscribers, its own format first.
///
/// Used by one thread at a time.
struct Branches {
    /// What is converted in a segment.
    struct Source {
        let captured: StreamFormat
        /// The source's sample format.
        let format: SampleFormat
        /// The number of frames in the largest block.
        let maximumFrames: Int
    }

    /// The branch with the recording's own format, which is measured and published.
    let main: Branch
    private(set) var all: [Branch]
    private let quality: ResamplerQuality
    /// The length of buffers in frames of the main branch.
    private let bufferFrames: Int
    /// The publishers of subscribers to formats of their own.
    private var publishers: [BranchFormat: Publisher<RecordedAudio>] = [:]

    init(_ form: StreamFormat, writers: [OutputWriter], quality: ResamplerQuality, bufferFrames: Int) {
        let whole = Dictionary(grouping: writers.filter { $0.track == nil }, by: \.form)
        main = Branch(form, writers: whole[form, default: []])
        all = [main] + whole.filter { $0.key != form }.map { Branch($0.key, writers: $0.value) }
        for (track, writers) in Dictionary(grouping: writers, by: \.track) where track != nil {
            all += Dictionary(grouping: writers, by: \.form).map { Branch($0.key, of: track, writers: $0.value) }
        }
        self.quality = quality
        self.bufferFrames = bufferFrames
    }

    /// Whether all have reached this length in seconds.
    func haveReached(_ limit: Double) -> Bool {
        all.allSatisfy { $0.framesLeft(upTo: limit) <= 0 }
    }

    /// Begins a segment. A subscriber's stream ends if there is no conversion to its format.
    mutating func beginStretch(_ source: Source) throws(ACCAudioRecorderError) {
        for branch in all {
            do throws(ACCAudioRecorderError) {
                try begin(branch, source)
            } catch {
                guard branch !== main, branch.isForSubscribers else { throw error }
                branch.finishBuffers()
                all.removeAll { $0 === branch }
            }
        }
    }

    /// Adds branches for new subscribers to formats of their own, which get the next frame, and removes those that nobody
    /// needs any more.
    mutating func serveSubscribers(of broadcast: RecordingBroadcast, _ source: Source) {
        if let publishers = broadcast.convertedAudio(beyond: publishers.count) { self.publishers = publishers }
        guard !publishers.isEmpty else { return }
        all.removeAll { $0 !== main && $0.isAbandoned }
        for (format, publisher) in publishers where publisher.hasSubscribers {
            if all.contains(where: { $0.serves(publisher) }) { continue }
            do throws(ACCAudioRecorderError) {
                let branch = try branch(
                    of: format.streamFormat(of: main.form, from: source.captured), format.track, source)
                branch.collect(
                    for: publisher, bufferFrames: max(bufferFrames * branch.form.sampleRate / main.form.sampleRate, 1))
            } catch {
                publisher.finish()
            }
        }
    }

    /// The branch with this format and these channels, which begins with the next frame if there is none yet.
    private mutating func branch(
        of form: StreamFormat, _ track: TrackChannels?, _ source: Source
    ) throws(ACCAudioRecorderError) -> Branch {
        if let branch = all.first(where: { $0.form == form && $0.track == track }) { return branch }
        let branch = Branch(
            form, of: track, writers: [],
            frameCount: form.frames(in: Double(main.frameCount) / Double(main.form.sampleRate)))
        try begin(branch, source)
        all.append(branch)
        return branch
    }

    private func begin(_ branch: Branch, _ source: Source) throws(ACCAudioRecorderError) {
        try branch.beginStretch(
            source.captured, source.format, quality: quality, maximumFrames: source.maximumFrames)
    }

    func add(_ action: TimelineAction) {
        for branch in all { branch.add(action) }
    }

    func performMarkers() {
        for branch in all { branch.performMarkers() }
    }

    func flushBuffers() {
        for branch in all { branch.flushBuffers() }
    }
}

/// One stream format of a recording: the conversion to it, and the outputs that use it.
///
/// Used by one thread at a time.
final class Branch {
    let form: StreamFormat
    /// The channels of the source that it has; nil for all.
    let track: TrackChannels?
    private let writers: [OutputWriter]
    /// Collect buffers for subscribers to this format.
    private var collectors: [BufferCollector] = []
    private var selector: ChannelSelector?
    private var converter: FrameConverter?
    /// The pending actions, in order of time.
    private var actions: [TimelineAction] = []
    /// Frames recorded so far, across all segments.
    private(set) var frameCount = 0
    /// The fraction of a frame left over by rounding the previous segments to whole frames.
    private var remainder = 0.0

    /// - Parameters:
    ///   - track: The channels of the source that it has; nil for all.
    ///   - writers: The outputs with this format; there may be none.
    ///   - frameCount: The number of the first frame.
    init(_ form: StreamFormat, of track: TrackChannels? = nil, writers: [OutputWriter], frameCount: Int = 0) {
        self.track = track
        self.form = form
        self.writers = writers
        self.frameCount = frameCount
    }

    /// Sends buffers of this length to a publisher from the next frame on.
    func collect(for publisher: Publisher<RecordedAudio>, bufferFrames: Int) {
        collectors.append(BufferCollector(publisher, form: form, bufferFrames: bufferFrames))
    }

    /// Whether buffers are sent to this publisher.
    func serves(_ publisher: Publisher<RecordedAudio>) -> Bool {
        collectors.contains { $0.publisher === publisher }
    }

    /// Whether the branch was made for subscribers.
    var isForSubscribers: Bool { writers.isEmpty && !collectors.isEmpty }

    /// Whether the branch was made for subscribers, and has none any more.
    var isAbandoned: Bool { isForSubscribers && collectors.allSatisfy { !$0.publisher.hasSubscribers } }

    /// Begins a segment.
    ///
    /// - Parameters:
    ///   - captured: The captured format, whose frames follow in blocks of at most `maximumFrames`.
    ///   - format: The source's sample format.
    func beginStretch(
        _ captured: StreamFormat, _ format: SampleFormat, quality: ResamplerQuality, maximumFrames: Int
    ) throws(ACCAudioRecorderError) {
        let captured = StreamFormat(
            sampleRate: captured.sampleRate, channelMap: track?.map ?? captured.channelMap)
        selector = track.map { ChannelSelector($0.numbers, maximumFrames: maximumFrames) }
        converter = try FrameConverter(
            from: captured, to: form, quality: quality, maximumFrames: maximumFrames, remainder: remainder)
        for writer in writers { writer.record(captureOf: format, captured) }
    }

    /// Appends a block of the source. Call `next` until it returns nil before appending another.
    func append(_ block: AudioBlock) {
        converter?.append(selector?.select(block) ?? block)
    }

    /// Ends the conversion of a segment. Call `next` until it returns nil for what the conversion still holds.
    func finishConversion() {
        remainder = converter?.finish() ?? remainder
    }

    /// The next converted block, valid until the next call; nil if more input is needed.
    func next() throws(ACCAudioRecorderError) -> AudioBlock? {
        try converter?.next()
    }

    /// The number of frames left until this length in seconds.
    func framesLeft(upTo limit: Double) -> Int {
        form.frames(in: limit) - frameCount
    }

    /// Records a block, and performs the actions within it.
    ///
    /// - Parameter hostTime: When its first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    func record(_ block: AudioBlock, hostTime: UInt64) {
        var rest = block
        var hostTime = hostTime
        while !actions.isEmpty {
            let action = actions[0]
            let offset = max(form.frames(in: action.seconds) - frameCount, 0)
            guard offset < rest.frameCount else { break }
            if offset > 0 { write(rest.prefix(offset), hostTime: hostTime) }
            rest = rest.part(from: offset, frames: rest.frameCount)
            hostTime += form.nanoseconds(offset)
            perform(actions.removeFirst())
        }
        write(rest, hostTime: hostTime)
    }

    /// Sends the last buffers, which may be shorter.
    func flushBuffers() {
        for index in collectors.indices where collectors[index].frameCount > 0 { collectors[index].send() }
    }

    /// Ends the streams of buffers.
    func finishBuffers() {
        for collector in collectors { collector.publisher.finish() }
    }

    /// Ends the segment and has everything written.
    func endSegment() {
        converter = nil
        for writer in writers { writer.rest() }
    }

    private func write(_ block: AudioBlock, hostTime: UInt64) {
        for index in collectors.indices { collectors[index].collect(block, first: frameCount, hostTime: hostTime) }
        for writer in writers { writer.write(block) }
        frameCount += block.frameCount
    }
}

// MARK: - Actions

extension Branch {
    /// Schedules an action for its time, or for the next frame if the branch is past it.
    func add(_ action: TimelineAction) {
        actions.insert(action, at: actions.firstIndex { $0.seconds > action.seconds } ?? actions.endIndex)
    }

    /// The first frame of a recording at this sample rate at which the branch can still be cut: the nearest frame of
    /// the branch is not recorded yet.
    func firstCut(ofRate sampleRate: Int) -> Int {
        let double = 2 * form.sampleRate
        return max((2 * frameCount - 1) * sampleRate + double - 1, 0) / double
    }

    /// The latest time in seconds for a cut so that no output exceeds this file size; nil if none is near it.
    func latestCut(within size: Int) -> Double? {
        let frames = writers.map { $0.framesFitting(in: size) }.min() ?? .max
        return frames == .max ? nil : Double(frameCount + frames) / Double(form.sampleRate)
    }

    /// Whether files that begin at one of these times in seconds and end at the other have no frame in this format.
    func hasEmptyFile(from start: Double, to end: Double) -> Bool {
        !writers.isEmpty && form.frames(in: start) == form.frames(in: end)
    }

    /// Whether a cut is pending.
    var hasPendingCut: Bool { actions.contains { !$0.isMarker } }

    /// Performs the remaining markers after the last frame. Pending cuts wait for the next frame, if there is one.
    func performMarkers() {
        for action in actions where action.isMarker { perform(action) }
        actions.removeAll(where: \.isMarker)
    }

    private func perform(_ action: TimelineAction) {
        if case .gap(let gap, _) = action.kind {
            for index in collectors.indices { collectors[index].send(gap) }
        }
        for writer in writers {
            switch action.kind {
            case .marker(let marker): writer.mark(marker.label, at: form.frames(in: action.seconds))
            case .gap(let gap, let isMarked):
                if isMarked { writer.mark(gap.label, at: form.frames(in: action.seconds)) }
            case .processing(let step): writer.record(step, inLaterFiles: false)
            case .newFile(let hostTime, let serverProcessing):
                writer.startNewFile(hostTime: hostTime, serverProcessing: serverProcessing)
            }
        }
    }
}
