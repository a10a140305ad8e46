import Synchronization

/// Processes everything between the ring and the outputs: decodes, converts, measures, writes and publishes what the
/// intake decides, in order.
///
/// `@unchecked Sendable`: apart from its controls, which any thread may use, the engine is used by one thread at a time. A
/// segment is recorded on the engine thread; the recorder uses the engine only before it starts a segment and after it
/// has awaited the segment's end, both of which order memory.
final class RecordingEngine: @unchecked Sendable {
    /// Why a segment ended. A segment is what was captured between one opening of the source and its end.
    enum SegmentEnd: Sendable {
        /// The input has ended, and everything it delivered is recorded.
        case inputEnded(CaptureEnd)
        /// The time limit is reached; later frames were left in the ring.
        case limitReached
        /// The source was silent for as long as its sound activation says.
        case silent
        /// The end that was asked for is reached; later frames were left in the ring.
        case endReached
        /// All outputs have failed.
        case outputsFailed(ACCAudioRecorderError)
        /// The conversion failed.
        case failed(ACCAudioRecorderError)
    }

    /// The settings of a recording.
    struct Settings: Sendable {
        /// What the recording is asked for.
        let policies: RecordingPolicies
        /// The channels of the source to record, counted from 1; empty for all.
        var selectedChannels: [Int] = []
        /// The channels of the source whose sound counts, counted from 1; empty for all.
        var soundChannels: [Int] = []
        /// Whether the source waits for outputs that are behind.
        var waitsForOutputs = false
        /// The names of the inputs, where there are several.
        var inputNames: [String] = []
        /// The recording begins with the first frame captured at this time or later, in CLOCK_MONOTONIC nanoseconds; nil for the
        /// first there is.
        var startTime: UInt64?
    }

    let controls: RecordingControls
    private let settings: Settings
    private let writers: [OutputWriter]
    private let broadcast: RecordingBroadcast
    private let warnings: RecordingWarnings
    private let frames: FrameRecorder
    private let gaps: GapRecorder
    private var carryover = SegmentRecorder.Carryover()

    /// - Parameters:
    ///   - form: The recording's own format, for levels and streams.
    ///   - writers: The outputs, created and empty.
    init(
        _ settings: Settings, form: StreamFormat, writers: [OutputWriter],
        broadcast: RecordingBroadcast, warnings: RecordingWarnings, levelObserver: LevelObserver? = nil
    ) {
        self.settings = settings
        self.writers = writers
        self.broadcast = broadcast
        self.warnings = warnings
        controls = RecordingControls(broadcast: broadcast)
        frames = FrameRecorder(
            settings, form: form, writers: writers, controls: controls, broadcast: broadcast,
            levelObserver: levelObserver)
        gaps = GapRecorder(of: frames, settings, controls: controls, broadcast: broadcast, warnings: warnings)
    }

    /// The recording's sample rate in Hz. Any thread may call.
    var sampleRate: Int { frames.form.sampleRate }

    /// Frames recorded so far, at the recording's rate. Any thread may call.
    var frameCount: Int { controls.frameCount }

    /// An output that has not written yet what it was given; nil if there is none. Any thread may call.
    var waitingOutput: RecordingOutput.Destination? { writers.first(where: \.isWaiting)?.output.destination }
}

// MARK: - Segments

extension RecordingEngine {
    /// Records the items of the ring until it ends or the limit is reached. Called on the engine thread.
    ///
    /// - Parameters:
    ///   - captured: The captured format.
    ///   - interruption: The interruption before the segment; nil at the beginning and after a pause.
    ///   - preRoll: What precedes the start of the recording, of which this is the first segment.
    ///   - missingEnd: What is missing at the end of the segment.
    ///   - ending: Ends the segment without its input.
    ///   - report: Called when the source begins or stops delivering.
    func record(
        _ ring: CaptureRing, from source: AudioSource, as captured: StreamFormat,
        after interruption: RecordingInterruption? = nil, preRoll: PreRoll? = nil, missingEnd: Intake.MissingEnd? = nil,
        ending: EndRequest = EndRequest(), report: (SourceFlow) -> Void = { _ in }
    ) -> SegmentEnd {
        defer { ring.endCopies() }
        do throws(ACCAudioRecorderError) {
            var segment = try SegmentRecorder(
                ring, from: source, as: captured, into: frames, gaps, settings, broadcast: broadcast,
                warnings: warnings, after: interruption, preRoll: preRoll, ending: ending, continuing: carryover)
            defer { carryover = segment.end() }
            return try segment.run(missingEnd: missingEnd, report: report)
        } catch {
            return .failed(error)
        }
    }

    /// Whether all formats have reached the limit. Must not be called during a segment.
    var isAtLimit: Bool { frames.isAtLimit }

    /// The place in the last segment's ring after the last frame that is recorded; nil if none is. Must not be read during a
    /// segment.
    var endPlace: CaptureRing.Place? { carryover.endPlace }

    /// What is missing at the end of the recording. Must not be called during a segment.
    ///
    /// - Parameters:
    ///   - end: When it ends, in CLOCK_MONOTONIC nanoseconds.
    ///   - interruption: Why its source is closed; nil if it was open until then.
    func missing(until end: UInt64, after interruption: RecordingInterruption?) -> Intake.MissingEnd? {
        isAtLimit ? nil : carryover.intake.missing(until: end, after: interruption)
    }

    /// Places all pending markers after the last frame. Must not be called during a segment.
    func placeMarkers() {
        frames.placeMarkers()
    }
}

// MARK: - The end, after the last segment

extension RecordingEngine {
    /// Completes the outputs and returns the report.
    ///
    /// - Parameter serverProcessing: The server's processing steps.
    func finish(
        _ ending: RecordingReport.Ending, source: AudioSource, serverProcessing: [ProcessingStep] = []
    ) async -> RecordingReport {
        placeMarkers()
        let figures = frameCount > 0 ? frames.observer.finish() : nil
        // All outputs finish writing concurrently.
        let isWhole = if case .failed = ending { false } else { true }
        let finishing = writers.map { $0.finish(serverProcessing: serverProcessing, isWhole: isWhole) }
        var outputs: [OutputReport] = []
        for reports in finishing { outputs += await reports.value }
        return report(ending, source: source, outputs: outputs, figures: figures)
    }

    /// Removes the outputs' current files and returns the report, with the files before them.
    func discardCurrentFiles(_ ending: RecordingReport.Ending, source: AudioSource) async -> RecordingReport {
        let discarding = writers.map { $0.discardCurrentFile() }
        var outputs: [OutputReport] = []
        for reports in discarding { outputs += await reports.value }
        return report(ending, source: source, outputs: outputs)
    }

    /// Removes what the outputs created and returns the report.
    func discard(_ ending: RecordingReport.Ending, source: AudioSource) async -> RecordingReport {
        var kept: [OutputReport] = []
        for writer in writers { kept += await writer.discard().value }
        return report(ending, source: source, outputs: kept)
    }

    private func report(
        _ ending: RecordingReport.Ending, source: AudioSource, outputs: [OutputReport], figures: SignalFigures? = nil
    ) -> RecordingReport {
        RecordingReport(
            ending: ending, startDate: frames.startDate, source: source, sampleRate: Double(sampleRate),
            channelCount: frames.form.channelMap.channelCount, frameCount: frameCount, framesLost: gaps.framesLost,
            gaps: gaps.gaps, streamGaps: gaps.streamGaps, mutes: controls.mutes.all(until: frameCount),
            levels: frames.observer.levels, nonFiniteCount: carryover.nonFiniteCount,
            findings: frames.observer.findings, figures: figures, times: frames.observer.captureTimes,
            outputs: outputs)
    }
}
