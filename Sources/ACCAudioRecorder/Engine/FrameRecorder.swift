import FoundationEssentials

/// Records the frames of a recording: converts them to each format, has them observed, cuts and writes them.
///
/// Used by one thread at a time.
final class FrameRecorder {
    private var branches: Branches
    /// The branch with the recording's own format, which is measured and published.
    private let main: Branch
    private let writers: [OutputWriter]
    private let settings: RecordingEngine.Settings
    private let controls: RecordingControls
    private let broadcast: RecordingBroadcast
    /// Measures and publishes the frames of the main branch.
    let observer: FrameObserver
    private var clock: CaptureClock
    private var scheduler: ActionScheduler
    private var start: Start?

    /// When the first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    private struct Start {
        /// As it was known at first, and the same by the wall clock.
        let hostTime: UInt64
        let date: Date
        /// As it is known now, and as the outputs know it.
        var known: UInt64
        var told: UInt64
    }

    /// - Parameters:
    ///   - form: The recording's own format, for levels and streams.
    ///   - writers: The outputs, created and empty.
    init(
        _ settings: RecordingEngine.Settings, form: StreamFormat, writers: [OutputWriter],
        controls: RecordingControls, broadcast: RecordingBroadcast, levelObserver: LevelObserver?
    ) {
        branches = Branches(
            form, writers: writers, quality: settings.policies.session.quality,
            bufferFrames: settings.policies.session.bufferFrames)
        main = branches.main
        self.writers = writers
        self.settings = settings
        self.controls = controls
        self.broadcast = broadcast
        observer = FrameObserver(
            form, bufferFrames: settings.policies.session.bufferFrames, broadcast: broadcast,
            levelObserver: levelObserver)
        clock = CaptureClock(outputRate: form.sampleRate)
        scheduler = ActionScheduler(controls.requests, settings.policies.splitting, sampleRate: form.sampleRate)
    }

    /// The recording's own format.
    var form: StreamFormat { main.form }

    /// Frames recorded so far, at the recording's rate.
    var frameCount: Int { controls.frameCount }

    /// Whether all branches have reached the limit.
    var isAtLimit: Bool { branches.haveReached(controls.limit) }

    /// By how many frames of the source the conversion is ahead of what it has delivered.
    var framesAhead: Int { clock.framesAhead }

    /// The last output's failure, if all outputs have failed.
    var outputFailure: ACCAudioRecorderError? {
        guard let last = writers.last, writers.allSatisfy({ $0.failure != nil }) else { return nil }
        return last.failure
    }

    /// The longest audio that may wait before it is recorded, in seconds.
    var longestBatch: Double { writers.map(\.batchLength).min() ?? OutputWriter.longestBatch }

    /// The length of audio in seconds until somebody waits for what is recorded of it; 0 if an output waits for each fragment.
    var secondsUntilAwaited: Double {
        guard start != nil, writers.allSatisfy({ !$0.isUrgent }) else { return 0 }
        let untilLimit = controls.limit - Double(frameCount) / Double(form.sampleRate)
        return min(observer.secondsUntilAwaited, untilLimit)
    }
}

// MARK: - A segment and its stretches

extension FrameRecorder {
    /// Begins a segment, and a stretch.
    func beginSegment(of source: AudioSource, _ conversion: Branches.Source) throws(ACCAudioRecorderError) {
        observer.beginSegment(of: source)
        try beginStretch(conversion)
        serveSubscribers(conversion)
    }

    /// Begins a stretch: frames of the source that follow each other.
    func beginStretch(_ conversion: Branches.Source) throws(ACCAudioRecorderError) {
        clock.beginStretch(inputRate: conversion.captured.sampleRate)
        try branches.beginStretch(conversion)
    }

    /// Adds branches for new subscribers, and removes those that nobody needs any more.
    func serveSubscribers(_ conversion: Branches.Source) {
        branches.serveSubscribers(of: broadcast, conversion)
    }

    /// Notes how many frames of the source come next. The first ones begin the recording.
    ///
    /// - Parameter hostTime: When the first was captured; nil if they directly follow the previous ones.
    func announce(_ count: Int, capturedAt hostTime: UInt64?) {
        if start == nil, let hostTime {
            start = Start(hostTime: hostTime, date: Date(hostTime: hostTime), known: hostTime, told: hostTime)
            for writer in writers { writer.begin(hostTime: hostTime) }
            broadcast.events.send(.started(hostTime: hostTime))
        }
        clock.append(count, hostTime: hostTime)
    }

    /// Records announced frames of the source in all branches.
    func append(_ block: AudioBlock) throws(ACCAudioRecorderError) {
        for branch in branches.all {
            branch.append(block)
            try recordConverted(by: branch)
        }
    }

    /// Ends a batch of frames: has them written and the levels reported, as far as somebody waits for either.
    func endBatch() {
        for writer in writers { writer.endBatch() }
        if settings.waitsForOutputs { catchUp() }
        observer.endBatch()
    }

    /// Records what the conversions still hold at the end of a stretch.
    func finishStretch() throws(ACCAudioRecorderError) {
        for branch in branches.all {
            branch.finishConversion()
            try recordConverted(by: branch)
            branch.endSegment()
        }
    }

    /// Sends the last buffers and levels, which may be shorter.
    func flush() {
        observer.flush()
        branches.flushBuffers()
    }

    /// Ends the segment, after a flush.
    func endSegment() {
        observer.endSegment()
        tellStart()
    }

    /// Waits until the outputs have written what they were given.
    private func catchUp() {
        for writer in writers { writer.catchUp() }
    }

    private func recordConverted(by branch: Branch) throws(ACCAudioRecorderError) {
        while let converted = try branch.next() {
            let block = converted.prefix(branch.framesLeft(upTo: controls.limit))
            guard block.frameCount > 0 else { continue }
            if branch === main {
                let hostTime = clock.hostTimeOfNextFrame
                count(block, hostTime: hostTime) { observer.observe(block, first: $0, hostTime: hostTime) }
                clock.advance(by: block.frameCount)
            }
            branch.record(block, hostTime: hostTime(ofNextFrameIn: branch))
        }
    }

    /// Counts the next frames of the recording, and schedules the actions within them.
    ///
    /// - Parameters:
    ///   - hostTime: When the first was captured.
    ///   - observe: Measures and publishes them, given the number of the first. They count afterwards, so that whoever sees
    ///     them counted has their levels.
    private func count(_ block: AudioBlock, hostTime: UInt64, observe: (Int) -> Void) {
        let frames = frameCount..<frameCount + block.frameCount
        for action in scheduler.actions(
            in: .init(frames: frames, hostTime: hostTime), for: branches.all,
            serverProcessing: { controls.serverProcessing })
        {
            // Files that are complete keep what they state.
            if case .newFile = action.kind { tellStart() }
            add(action)
        }
        controls.mutes.place(in: frames, from: hostTime, sampleRate: form.sampleRate)
        observe(frames.lowerBound)
        controls.frameCount = frames.upperBound
    }

    /// When the next frame of a branch was captured, in CLOCK_MONOTONIC nanoseconds: reckoned from the main branch, which
    /// is always ahead of the others by less than a block.
    private func hostTime(ofNextFrameIn branch: Branch) -> UInt64 {
        let lead =
            Double(branch.frameCount) / Double(branch.form.sampleRate) - Double(frameCount) / Double(form.sampleRate)
        return UInt64(max(Double(clock.hostTimeOfNextFrame) + lead * 1e9, 0))
    }
}

// MARK: - The first frame

extension FrameRecorder {
    /// When the first frame was captured, in CLOCK_MONOTONIC nanoseconds, as it was known at first; nil before it.
    var startTime: UInt64? { start?.hostTime }

    /// The same by the wall clock, as it is known now.
    var startDate: Date? {
        start.map { $0.date + Double(Int64(clamping: $0.known) - Int64(clamping: $0.hostTime)) * 1e-9 }
    }

    /// Notes when the first frame was captured, which is known better some seconds later. The outputs are told with the next
    /// new files, or at the end of the segment.
    func correctStart(to hostTime: UInt64) {
        start?.known = hostTime
    }

    private func tellStart() {
        guard let start, start.known != start.told else { return }
        let correction = Int64(clamping: start.known) - Int64(clamping: start.told)
        for writer in writers { writer.correctStart(by: correction) }
        self.start?.told = start.known
    }
}

// MARK: - Actions

extension FrameRecorder {
    /// Performs an action in all branches.
    func add(_ action: TimelineAction) {
        branches.add(action)
        if case .marker(let marker) = action.kind { broadcast.events.send(.marker(marker)) }
    }

    /// Tells subscribers of a gap after the frames before it, and marks it in files if that is asked for.
    func add(_ gap: RecordingGap, isMarked: Bool) {
        observer.publish(gap)
        branches.add(TimelineAction(kind: .gap(gap, isMarked: isMarked), seconds: gap.offset.seconds))
    }

    /// Schedules a marker of the recording itself at a frame that is not recorded yet.
    func schedule(_ label: String, at frame: Int) {
        scheduler.schedule(label, at: frame)
    }

    /// Places all pending markers after the last frame.
    func placeMarkers() {
        for action in scheduler.markers(afterFrame: frameCount) { add(action) }
        branches.performMarkers()
    }

    /// Completes the current files. Frames are recorded again after `startFiles`.
    func endFiles() {
        placeMarkers()
        for writer in writers { writer.endFile(serverProcessing: controls.serverProcessing) }
    }

    /// - Parameter hostTime: When the first frame of the new files was captured, in CLOCK_MONOTONIC nanoseconds.
    func startFiles(hostTime: UInt64) {
        for writer in writers {
            writer.startNewFile(hostTime: hostTime, serverProcessing: controls.serverProcessing)
        }
    }

    /// Names what changed samples in all files, from now on.
    func record(_ step: ProcessingStep) {
        for writer in writers { writer.record(step, inLaterFiles: true) }
    }
}

// MARK: - Silence in place of what is missing

extension FrameRecorder {
    /// Records silence in place of what is missing.
    ///
    /// - Parameter isTimeStill: Whether the clock of host times stood still meanwhile.
    func recordSilence(_ seconds: Double, isTimeStill: Bool) {
        for branch in branches.all { recordSilence(seconds, isTimeStill: isTimeStill, in: branch) }
    }

    private func recordSilence(_ seconds: Double, isTimeStill: Bool, in branch: Branch) {
        let blockFrames = 1024
        let silence = [Float](repeating: 0, count: blockFrames * branch.form.channelCount)
        var left = min(branch.form.frames(in: seconds), branch.framesLeft(upTo: controls.limit))
        silence.withUnsafeBufferPointer { samples in
            while left > 0 {
                let block = AudioBlock(samples: samples, channelCount: branch.form.channelCount).prefix(left)
                if branch === main {
                    let hostTime = clock.endHostTime
                    count(block, hostTime: hostTime) {
                        observer.observe(silence: block, first: $0, hostTime: hostTime, isTimeStill: isTimeStill)
                    }
                    if !isTimeStill { clock.advance(bySilence: block.frameCount) }
                }
                branch.record(block, hostTime: hostTime(ofNextFrameIn: branch))
                left -= block.frameCount
                // Silence comes faster than a disk writes it.
                catchUp()
            }
        }
    }
}
