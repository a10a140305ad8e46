import FoundationEssentials
import Synchronization

/// What happens to the frames between the ring and the outputs: decoded, converted, measured, written and
/// published, in order, once.
///
/// `@unchecked Sendable`: apart from its atomics, the engine is used by one thread at a time. A stretch runs
/// on the engine thread; the recorder touches the engine before it starts a stretch and after it has awaited
/// the stretch's end, both of which order memory.
final class RecordingEngine: @unchecked Sendable {
    /// Why a stretch of recording ended.
    enum StretchEnd: Sendable {
        /// The ring is closed and empty: the capture has ended.
        case drained
        /// The time limit is reached; frames beyond it were left in the ring.
        case limitReached
        /// Nothing is left to write to.
        case outputsFailed(ACCAudioRecorderError)
        /// The signal could not be converted.
        case failed(ACCAudioRecorderError)
    }

    /// One lane for each form; the first is the recording's own, which levels and streams are taken from.
    private let lanes: [OutputLane]
    private let writers: [OutputWriter]
    private let configuration: ACCAudioRecorder.Configuration
    private let broadcast: RecordingBroadcast
    private let warnings: RecordingWarnings
    /// The bit pattern of the time limit in seconds.
    private let limit = Atomic<UInt64>(Double.infinity.bitPattern)
    private let recorded = Atomic<Int>(0)

    private var levels: [ChannelLevel]
    private var gaps: [RecordingGap] = []
    private var lastHostTime: UInt64 = 0
    /// How many frames of digital silence the recording began with; nil when something was heard, or it was told.
    private var leadingSilence: Int? = 0
    private var hasBegun = false

    /// After how many seconds of digital silence a recording warns.
    private static let longestSilence = 10

    /// - Parameters:
    ///   - form: The recording's own form, which levels and streams are of.
    ///   - writers: The outputs, created and empty.
    init(
        configuration: ACCAudioRecorder.Configuration, form main: FrameForm, writers: [OutputWriter],
        broadcast: RecordingBroadcast, warnings: RecordingWarnings
    ) {
        let forms = Dictionary(grouping: writers, by: \.form)
        lanes =
            [OutputLane(main, writers: forms[main, default: []])]
            + forms.filter { $0.key != main }.map { OutputLane($0.key, writers: $0.value) }
        self.configuration = configuration
        self.writers = writers
        self.broadcast = broadcast
        self.warnings = warnings
        levels = Array(repeating: ChannelLevel(), count: main.channelCount)
    }

    /// Frames a second of the recording, in Hz.
    var sampleRate: Int { mainLane.form.sampleRate }

    /// Frames recorded so far, at the recording's rate. Any thread.
    var frameCount: Int { recorded.load(ordering: .relaxed) }

    /// The length in seconds at which the recording ends by itself; infinity for none. Any thread, at any time.
    func setLimit(_ seconds: Double) {
        limit.store(seconds.bitPattern, ordering: .relaxed)
    }

    /// Whether the recording is as long as its limit, in each of its forms. Not during a stretch.
    var isAtLimit: Bool {
        lanes.allSatisfy { $0.frameCount >= $0.form.frames(in: limitSeconds) }
    }

    private var limitSeconds: Double { Double(bitPattern: limit.load(ordering: .relaxed)) }

    private var mainLane: OutputLane { lanes[0] }

    /// What became of the outputs; completes them.
    ///
    /// - Parameter serverAlterations: What the server did to the samples before they were captured.
    func finish(
        _ ending: RecordingReport.Ending, source: AudioSource, serverAlterations: [Alteration] = []
    ) -> RecordingReport {
        report(
            ending, source: source, outputs: writers.map { $0.finish(serverAlterations: serverAlterations) })
    }

    /// Removes what the outputs created.
    func discard(_ ending: RecordingReport.Ending, source: AudioSource) -> RecordingReport {
        for writer in writers { writer.discard() }
        return report(ending, source: source, outputs: [])
    }

    private func report(
        _ ending: RecordingReport.Ending, source: AudioSource, outputs: [OutputReport]
    ) -> RecordingReport {
        RecordingReport(
            ending: ending, source: source, sampleRate: sampleRate, channelCount: mainLane.form.channelCount,
            frameCount: frameCount, framesLost: gaps.reduce(0) { $0 + $1.framesLost }, gaps: gaps, levels: levels,
            outputs: outputs)
    }
}

// MARK: - A stretch of recording, on the engine thread

extension RecordingEngine {
    /// Records what comes out of the ring until it closes or the limit is reached.
    func record(_ ring: FragmentRing, from source: AudioSource) -> StretchEnd {
        do throws(ACCAudioRecorderError) {
            let spec = source.sampleSpec
            let captured = try configuration.capturedForm(of: source)
            let maximumFrames = ring.slotBytes / spec.bytesPerFrame
            let decoder = SampleDecoder(spec: spec, maximumFrames: maximumFrames)
            let selected = configuration.selectedChannels
            let selector = selected.isEmpty ? nil : ChannelSelector(selected, maximumFrames: maximumFrames)
            var meter = LevelMeter(
                channelCount: mainLane.form.channelCount,
                clipThreshold: LevelMeter.clipThreshold(integerBits: spec.format.integerBits))
            var timeline = StretchTimeline(inputRate: spec.sampleRate, outputRate: sampleRate)
            for lane in lanes {
                try lane.begin(captured, quality: configuration.resamplerQuality, maximumFrames: maximumFrames)
                lane.note(captureOf: spec.format, captured)
            }

            while !isAtLimit {
                let isOpen = try ring.next { (bytes, stamp) throws(ACCAudioRecorderError) in
                    if stamp.framesLostBefore > 0 { note(framesLost: stamp.framesLostBefore) }
                    timeline.begin(stamp, frames: bytes.count / spec.bytesPerFrame)
                    if !hasBegun { begin(hostTime: stamp.hostTime) }
                    let decoded = decoder.decode(bytes)
                    let block = selector?.select(decoded) ?? decoded
                    try mainLane.take(block, limit: limitSeconds) { observe($0, first: $1, &meter, &timeline) }
                    warnOfSilence(in: source)
                    for lane in lanes.dropFirst() { try lane.take(block, limit: limitSeconds) }
                }
                if let failure = outputFailure { return .outputsFailed(failure) }
                if !isOpen {
                    try mainLane.flush(limit: limitSeconds) { observe($0, first: $1, &meter, &timeline) }
                    for lane in lanes.dropFirst() { try lane.flush(limit: limitSeconds) }
                    if ring.framesLostAtEnd > 0 { note(framesLost: ring.framesLostAtEnd) }
                    return isAtLimit ? .limitReached : .drained
                }
            }
            return .limitReached
        } catch {
            return .failed(error)
        }
    }

    /// The failure of the last output, when none is left of those there were.
    private var outputFailure: ACCAudioRecorderError? {
        guard let last = writers.last, writers.allSatisfy({ $0.failure != nil }) else { return nil }
        return last.failure
    }

    /// The first frame of the recording was captured at this time.
    private func begin(hostTime: UInt64) {
        hasBegun = true
        for writer in writers { writer.begin(hostTime: hostTime) }
    }

    private func note(framesLost: Int) {
        let gap = RecordingGap(position: frameCount, framesLost: framesLost)
        gaps.append(gap)
        broadcast.events.send(.gap(gap))
    }

    /// Measures and publishes frames that the recording takes.
    private func observe(
        _ block: AudioBlock, first: Int, _ meter: inout LevelMeter, _ timeline: inout StretchTimeline
    ) {
        lastHostTime = max(lastHostTime, timeline.hostTimeOfNextFrame)
        timeline.advance(by: block.frameCount)
        meter.measure(block)
        for channel in levels.indices { levels[channel].add(meter.levels[channel]) }
        if let silence = leadingSilence {
            leadingSilence = levels.allSatisfy { $0.peak == 0 } ? silence + block.frameCount : nil
        }
        recorded.store(first + block.frameCount, ordering: .relaxed)
        publish(block, first: first, levels: meter.levels)
    }

    private func warnOfSilence(in source: AudioSource) {
        guard let silence = leadingSilence, silence >= Self.longestSilence * sampleRate else { return }
        warnings.tell(.silence(seconds: Self.longestSilence, source))
        leadingSilence = nil
    }

    private func publish(_ block: AudioBlock, first: Int, levels: [ChannelLevel]) {
        var sum = ChannelLevel()
        for level in levels { sum.add(level) }
        broadcast.append(level: sum.rmsDecibels)
        if broadcast.levels.hasSubscribers {
            let end = Double(first + block.frameCount) / Double(sampleRate)
            let clipped = self.levels.reduce(0) { $0 + $1.clippedCount }
            broadcast.levels.send(RecordingLevels(channels: levels, totalClippedCount: clipped, timestamp: end))
        }
        if broadcast.buffers.hasSubscribers {
            broadcast.buffers.send(
                AudioBufferData(
                    data: Data(buffer: block.samples), frameLength: UInt32(block.frameCount),
                    sampleRate: Double(sampleRate), channelCount: UInt32(block.channelCount),
                    timestamp: Double(first) / Double(sampleRate), hostTime: lastHostTime))
        }
    }
}
