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
    /// The channels of subscribers to formats of their own.
    private var channels: [BufferFormat: Channel<AudioBufferData>] = [:]

    init(_ form: StreamFormat, writers: [OutputWriter], quality: ResamplerQuality, bufferFrames: Int) {
        let forms = Dictionary(grouping: writers, by: \.form)
        main = Branch(form, writers: forms[form, default: []])
        all = [main] + forms.filter { $0.key != form }.map { Branch($0.key, writers: $0.value) }
        self.quality = quality
        self.bufferFrames = bufferFrames
    }

    /// Whether all have reached this length in seconds.
    func haveReached(_ limit: Double) -> Bool {
        all.allSatisfy { $0.framesLeft(upTo: limit) <= 0 }
    }

    /// Begins a segment. A subscriber's stream ends if there is no conversion to its format.
    mutating func beginSegment(_ source: Source) throws(ACCAudioRecorderError) {
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
        if let channels = broadcast.convertedBuffers(beyond: channels.count) { self.channels = channels }
        guard !channels.isEmpty else { return }
        all.removeAll { $0 !== main && $0.isAbandoned }
        for (format, channel) in channels where channel.hasSubscribers {
            if all.contains(where: { $0.serves(channel) }) { continue }
            do throws(ACCAudioRecorderError) {
                let branch = try branch(of: format.streamFormat(of: main.form, from: source.captured), source)
                branch.collect(
                    for: channel, bufferFrames: max(bufferFrames * branch.form.sampleRate / main.form.sampleRate, 1))
            } catch {
                channel.finish()
            }
        }
    }

    /// The branch with this format, which begins with the next frame if there is none yet.
    private mutating func branch(of form: StreamFormat, _ source: Source) throws(ACCAudioRecorderError) -> Branch {
        if let branch = all.first(where: { $0.form == form }) { return branch }
        let branch = Branch(
            form, writers: [], frameCount: form.frames(in: Double(main.frameCount) / Double(main.form.sampleRate)))
        try begin(branch, source)
        all.append(branch)
        return branch
    }

    private func begin(_ branch: Branch, _ source: Source) throws(ACCAudioRecorderError) {
        try branch.beginSegment(
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
