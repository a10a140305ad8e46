import FoundationEssentials

/// One output of a recording, as seen by the engine. Encodes frames and leaves the writing to its own thread, so that a
/// slow disk or reader delays nothing else. Only what a pipe takes at once is written by the engine, which saves waking the thread.
///
/// It may be behind by `RecordingOutput.longestDelay`. By default, later frames are dropped, recorded as a loss and
/// reported; `RecordingOutput.overflowPolicy` can change that.
///
/// Used by one thread at a time, except for `failure`.
final class OutputWriter {
    private let files: FileRotator
    private let queue: OutputQueue
    private let encoder: SampleEncoder
    /// The path of its first file; nil for a pipe.
    let path: String?
    private let sizeBound: FileSizeBound
    /// Whether it has a reader that waits for data, or its file is close to its size limit.
    var isUrgent: Bool { path == nil || isNearLargestSize }
    private var isNearLargestSize = false
    /// The maximum size of the current file's markers in bytes.
    private var markerByteCount = 0
    private let resolved: ResolvedOutput
    /// The output as requested, with everything filled in.
    var output: RecordingOutput { resolved.output }
    /// The format of the frames that it receives.
    var form: StreamFormat { resolved.form }
    private var container: Container { output.container }
    private let notify: @Sendable (Notice) -> Void
    private let fillsGaps: Bool
    /// The longest delay in seconds.
    private let longestDelay: Double
    /// The number of cuts so far, and of frames since the last one.
    private var cutCount = 0
    private var framesSinceCut = 0
    /// The number of frames collected before the thread is woken, at least one.
    private let batchFrames: Int
    /// The number of frames queued since it was.
    private var framesSinceWake = 0
    /// The number of frames dropped since the last one that was queued.
    private var framesLost = 0
    private var isBehind = false
    private var hasStopped = false

    /// How long frames are collected before the thread is woken, in seconds, if there is no reader. A kill loses this,
    /// a fragment, and what a container collects for a frame or page: at most a second together.
    let batchLength: Double
    /// The longest `batchLength`, in seconds.
    static let longestBatch = 0.64
    /// How late an output may always be, in seconds: the engine passes on up to two fragments at once.
    private static let shortestDelay = 0.1
    /// The maximum size of the queue in bytes.
    private static let largestDelay = 256 << 20

    /// Checks what can be checked before anything is opened or created.
    ///
    /// - Parameter output: The output, with what the recording decides filled in.
    static func check(_ output: RecordingOutput) throws(ACCAudioRecorderError) {
        try output.validate()
        try checkForm(of: output)
        switch output.destination {
        case .file(let path):
            let place = try OutputPlace(
                path: path, replacesExisting: output.replacesExisting, replaceable: output.replaceable,
                makesDirectories: output.makesDirectories)
            if place == .stream { try output.checkStreamable() }
        case .pattern(let pattern):
            try OutputPlace.checkDirectory(
                pattern.directory, makesDirectories: output.makesDirectories,
                for: "cannot create '\(pattern.template)'")
        case .descriptor:
            break
        }
    }

    /// Checks that some source has a form that the output can have: what the source decides is checked when that is known.
    private static func checkForm(of output: RecordingOutput) throws(ACCAudioRecorderError) {
        let (settings, container) = (output.format, output.container)
        let rates = settings.sampleRate.value.map { [Int($0)] } ?? container.traits.sampleRates ?? [usualRate]
        let counts = settings.channelCount.value.map { [$0] } ?? Array(container.channelCounts)
        var refusal: ACCAudioRecorderError?
        for rate in rates {
            for count in counts {
                let form = StreamFormat(sampleRate: rate, channelMap: .standard(channelCount: count))
                do throws(ACCAudioRecorderError) {
                    return try output.check(
                        form, encoding: settings.encoding.value ?? container.encodings.first ?? .f32)
                } catch {
                    refusal = error
                }
            }
        }
        if let refusal { throw refusal }
    }

    /// In Hz: each container without a list of rates has it.
    private static let usualRate = 48_000

    /// Creates the output.
    ///
    /// - Parameter notify: Called with new files and with failures, on any thread.
    init(
        _ resolved: ResolvedOutput, context: OutputContext,
        notify: @escaping @Sendable (Notice) -> Void
    ) throws(ACCAudioRecorderError) {
        self.resolved = resolved
        let (output, form, encoding) = (resolved.output, resolved.form, resolved.encoding)
        try output.validate()
        try output.check(form, encoding: encoding)
        fillsGaps = context.policies.interruptions.fillsGaps
        self.notify = notify
        encoder = SampleEncoder(encoding, isDithered: output.isDithered)
        let metadata = FileMetadata(resolved, context: context)
        try output.check(metadata.layout)
        files = try FileRotator(
            output,
            names: FileNames(
                output, sourceName: context.sourceName, modeName: context.policies.session.modeName,
                reserved: context.policies.program.reservedPaths, used: context.usedNumbers),
            encoding: encoding, metadata: metadata, splitting: context.policies.splitting,
            retention: context.policies.retention, held: context.heldFiles, startTime: context.startTime, notify: notify
        )
        let encodedForm = EncodedFrames.Form(encoding, channelCount: form.channelCount)
        let wanted = form.frames(in: max(output.longestDelay.seconds, Self.shortestDelay))
        let delay =
            min(wanted, Self.largestDelay / encodedForm.bytesPerFrame) + form.frames(in: context.preRollLength)
        queue = OutputQueue(encodedForm, capacity: max(delay, 1))
        path = files.firstPath
        longestDelay = Double(delay) / Double(form.sampleRate)
        sizeBound = FileSizeBound(resolved)
        batchLength = output.container.traits.collectsFrames ? Self.longestBatch / 2 : Self.longestBatch
        batchFrames = path == nil ? 1 : form.frames(in: batchLength)
        do throws(ACCAudioRecorderError) {
            try DetachedThread.start("output") { [files, queue] in files.serve(queue) }
        } catch {
            files.discard()
            throw error
        }
    }

    deinit {
        queue.close()
    }

    /// The channels of the recording that it has; nil for all.
    var track: TrackChannels? { resolved.track }

    /// The error that ended the output, if any. Any thread may call.
    var failure: ACCAudioRecorderError? { files.failure }

    /// Whether something is still to be written or completed. Any thread may call.
    var isWaiting: Bool { queue.isWaiting }

    /// Records the processing steps of the conversion from a source with this format.
    func record(captureOf format: SampleFormat, _ captured: StreamFormat) {
        let processingSteps = ProcessingStep.ofConversion(from: format, captured, to: resolved)
        queue.append { $0.record(processingSteps) }
    }

    /// Records a processing step other than the conversion, in the current file and, if requested, in those after it.
    func record(_ step: ProcessingStep, inLaterFiles: Bool) {
        queue.append { $0.record(step, inLaterFiles: inLaterFiles) }
    }

    /// Records when the first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    func begin(hostTime: UInt64) {
        queue.append { $0.begin(hostTime: hostTime) }
    }

    /// Corrects the time of the first frame by a number of nanoseconds.
    func correctStart(by nanoseconds: Int64) {
        queue.append { $0.correctStart(by: nanoseconds) }
    }

    /// Warns if the disk has no room for a recording of this many seconds.
    func warnOfRoom(upTo limit: TimeInterval) {
        queue.append { $0.warnOfRoom(upTo: limit) }
    }

    /// Encodes a block, and queues what is not written at once.
    func write(_ block: AudioBlock) {
        encoder.encode(block) { append($0) }
        // Up to twice the usual, so that what the engine passes on at once is one write.
        if framesSinceWake >= 2 * batchFrames || isNearLargestSize { flush() }
    }

    /// Called when the next block is to come later: wakes the thread if enough frames are waiting.
    func endBatch() {
        if framesSinceWake > 0, framesSinceWake >= batchFrames * 3 / 4 { flush() }
    }

    /// Wakes the thread to write everything queued so far.
    func flush() {
        framesSinceWake = 0
        queue.wake()
    }

    /// Called when no frames are expected for a while: has everything written and synced.
    func rest() {
        framesSinceWake = 0
        queue.append { $0.rest() }
    }

    /// Queues a marker before this frame.
    func mark(_ label: String, at frame: Int) {
        countMarker(label)
        queue.append { $0.mark(label, at: frame) }
    }

    private func countMarker(_ label: String) {
        if container.traits.isWAV { markerByteCount += WAVCues.largestSize(ofLabel: label) }
        if let chapters = container.traits.chapters { markerByteCount += chapters.largestSize(ofLabel: label) }
    }

    /// Completes the current file and continues in the next one without losing a frame.
    ///
    /// - Parameters:
    ///   - hostTime: When the next file's first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    ///   - serverProcessing: The server's processing steps so far.
    func startNewFile(hostTime: UInt64, serverProcessing: [ProcessingStep]) {
        cutCount += 1
        framesSinceCut = 0
        markerByteCount = 0
        queue.append { $0.startNewFile(hostTime: hostTime, serverProcessing: serverProcessing) }
    }

    /// Completes the current file. The next one begins with `startNewFile`; nothing may be written before.
    ///
    /// - Parameter serverProcessing: The server's processing steps so far.
    func endFile(serverProcessing: [ProcessingStep]) {
        queueLoss()
        queue.append { $0.endFile(serverProcessing: serverProcessing) }
    }

    /// The number of further frames that certainly fit into a current file of this size; `.max` for its first block,
    /// which is always accepted.
    func framesFitting(in size: Int) -> Int {
        guard framesSinceCut > 0 else { return .max }
        let progress = files.progress
        let isKnown = progress.cutCount == cutCount && progress.frameCount > 0
        let frames = sizeBound.framesFitting(
            in: size - markerByteCount, isKnown ? progress : nil, frameCount: framesSinceCut)
        // Near the limit, each block is written at once, so that its real size is known.
        isNearLargestSize = frames < 4 * batchFrames
        return frames
    }

    /// Waits until a file that is halfway to its longest delay has caught up. Blocks the thread.
    func catchUp() {
        guard path != nil, queue.frameCount > queue.capacity / 2 else { return }
        let isWritten = Promise<Void>()
        queue.append { _ in isWritten.fulfil(()) }
        isWritten.wait()
    }

    /// Completes the output.
    ///
    /// - Parameters:
    ///   - serverProcessing: The server's processing steps.
    ///   - isWhole: Whether the recording reached its intended end. An incomplete file replaces no other.
    /// - Returns: The reports of its files, once everything is written.
    func finish(serverProcessing: [ProcessingStep], isWhole: Bool = true) -> Promise<[OutputReport]> {
        queueLoss()
        let reports = Promise<[OutputReport]>()
        queue.append { reports.fulfil($0.finish(serverProcessing: serverProcessing, isWhole: isWhole)) }
        return reports
    }

    /// Removes the current file, and ends.
    ///
    /// - Returns: The reports of the files before it.
    func discardCurrentFile() -> Promise<[OutputReport]> {
        let reports = Promise<[OutputReport]>()
        queue.append { reports.fulfil($0.discardCurrent()) }
        return reports
    }

    /// Removes what the output created.
    ///
    /// - Returns: The report of the files that are not listed and stay; usually empty.
    func discard() -> Promise<[OutputReport]> {
        discarding()
    }

    /// Does what `discard` does, on any thread.
    var discarding: @Sendable () -> Promise<[OutputReport]> {
        { [queue] in
            let kept = Promise<[OutputReport]>()
            queue.append { kept.fulfil($0.discard()) }
            return kept
        }
    }

    private func append(_ frames: EncodedFrames) {
        guard !hasStopped else { return }
        let waiting = queue.frameCount
        if waiting + frames.count > queue.capacity {
            switch output.overflowPolicy {
            case .wait: break
            case .drop:
                if framesLost == 0 { notify(.dropping(output, limit: longestDelay)) }
                framesLost += frames.count
                return
            case .stop:
                hasStopped = true
                return path == nil ? files.giveUp() : queue.append { $0.giveUp() }
            }
        }
        queueLoss()
        let writtenCount = path == nil ? queue.bypass { files.writeAtOnce(frames) } ?? 0 : 0
        if writtenCount < frames.count { queue.append(frames.dropFirst(writtenCount)) }
        framesSinceWake += frames.count - writtenCount
        framesSinceCut += frames.count
        if waiting > queue.capacity / 4 * 3, !isBehind {
            isBehind = true
            // In tenths of a second below 10 s.
            let tenths = 10 * waiting / form.sampleRate
            let seconds = tenths < 100 ? Double(tenths) / 10 : Double(tenths / 10)
            notify(.behind(output, seconds: seconds, limit: longestDelay))
        } else if waiting < queue.capacity / 4 {
            isBehind = false
        }
    }

    private func queueLoss() {
        guard framesLost > 0 else { return }
        queue.append { [framesLost, fillsGaps] files in files.recordLoss(of: framesLost, isFilled: fillsGaps) }
        countMarker(OutputReport.Loss.label(of: framesLost, at: form.sampleRate, isFilled: fillsGaps, .tooSlow))
        if fillsGaps { framesSinceCut += framesLost }
        framesLost = 0
    }
}
