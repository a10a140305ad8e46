import FoundationEssentials
import Glibc
import Synchronization
import SystemPackage

/// Writes an output to a descriptor, or to one file after another.
///
/// `@unchecked Sendable`: after its creation it is used by the thread of its output, or by the engine's while that has nothing to do:
/// they take turns through the lock of the queue (`OutputQueue.bypass`). What other threads read is protected by a lock, or belongs
/// to a descriptor and does not change.
final class FileRotator: @unchecked Sendable {
    /// The output with the path of the current file.
    private var output: RecordingOutput
    private var names: FileNames
    /// Whether the engine needs the size of the current file.
    private let publishesProgress: Bool
    private let metadata: FileMetadata
    private let encoding: SampleEncoding
    private let notify: @Sendable (OutputWriter.Notice) -> Void
    /// Nil if nothing is to be synced.
    private let syncer: FileSyncer?
    private var hasWarnedOfRoom = false
    /// What the output writes to if that is not a file.
    private let pipe: OutputPipe?
    /// The file being written, or the last one if there is none.
    private var current: OutputFile
    /// The directory of the current file, when it was last looked for.
    private var directory: OutputDirectory?
    /// Whether the current file is complete and the next one does not exist yet.
    private var isBetweenFiles = false
    /// The next file, if it could not be created when its first frame came.
    private var overdue: OverdueFile?
    private let failed = Mutex<ACCAudioRecorderError?>(nil)
    private var completed: CompletedFiles
    private var frameCount = 0
    /// The number of frames that the output lacks, and that are not replaced by silence.
    private var framesMissing = 0
    /// When the first frame was captured; later files count from there, so that their times add up.
    private var start: WallClock?
    /// When the current file began, in CLOCK_MONOTONIC nanoseconds.
    private var fileStart: UInt64 = 0
    /// The processing steps of the frames of the current source.
    private var processingSteps: [ProcessingStep] = []
    private let currentProgress = Mutex(FileSizeBound.Progress())
    /// Whether so many frames are waiting that the file is completed without its chapters.
    private var isLate: () -> Bool = { false }

    private struct OverdueFile {
        /// When the next frame was captured, in CLOCK_MONOTONIC nanoseconds.
        var hostTime: UInt64
        /// The number of frames that no file has.
        var framesLost: Int
        /// The names; the next of them is the name of this file.
        let names: FileNames
    }

    /// The number of seconds of free space below which a warning is sent.
    private static let minimumRoom = 600.0

    /// Creates the first file.
    ///
    /// - Parameters:
    ///   - names: The paths of the files.
    ///   - splitting: Says whether the size of files is limited.
    ///   - retention: Says which complete files to keep.
    ///   - held: The complete files that a program still needs.
    ///   - startTime: When the first file begins, for its name, in CLOCK_MONOTONIC nanoseconds; nil for now.
    ///   - notify: Called with new files and with failures.
    init(
        _ output: RecordingOutput, names: FileNames, encoding: SampleEncoding, metadata: FileMetadata,
        splitting: SplittingPolicy, retention: RetentionPolicy = .init(), held: HeldFiles? = nil, startTime: UInt64?,
        notify: @escaping @Sendable (OutputWriter.Notice) -> Void
    ) throws(ACCAudioRecorderError) {
        self.encoding = encoding
        self.metadata = metadata
        completed = CompletedFiles(of: output.destination, keeping: retention, held: held, notify: notify)
        publishesProgress = splitting.fileSize != nil
        self.notify = notify
        let pipe = try Self.pipe(of: output)
        let syncer = output.syncInterval > .zero && pipe == nil ? FileSyncer() : nil
        var names = names
        if pipe == nil { names.continue(after: completed.lastNumber) }
        (self.output, current) = try Self.next(
            output, &names, at: WallClock(hostTime: startTime ?? MonotonicClock.now())
        ) { output throws(ACCAudioRecorderError) in
            try OutputFile(output, to: pipe, metadata: metadata, encoding: encoding, syncer: syncer)
        }
        (self.pipe, self.syncer, self.names) = (pipe, syncer, names)
        firstPath = if pipe == nil, case .file(let path) = self.output.destination { path } else { nil }
        if pipe == nil { completed.begin(self.output, number: names.number) }
    }

    private static func pipe(of output: RecordingOutput) throws(ACCAudioRecorderError) -> OutputPipe? {
        switch output.destination {
        case .descriptor(let descriptor): OutputPipe(descriptor)
        case .file(let path) where OutputPlace.isStream(path): try OutputPipe(path: path)
        case .file, .pattern: nil
        }
    }

    /// Creates the next file; tries further names if another program takes a chosen one first.
    static func next(
        _ output: RecordingOutput, _ names: inout FileNames, at time: WallClock,
        _ create: (RecordingOutput) throws(ACCAudioRecorderError) -> OutputFile
    ) throws(ACCAudioRecorderError) -> (RecordingOutput, OutputFile) {
        while true {
            let name = names.next(at: time)
            var output = output
            (output.destination, output.replacesExisting) = (name.destination, name.replacesExisting)
            do throws(ACCAudioRecorderError) {
                return (output, try create(output))
            } catch {
                guard name.isChosen, error.failure?.reason == .fileExists else { throw error }
            }
        }
    }

    /// The path of the first file; nil for a pipe.
    let firstPath: String?

    /// The progress of the current file. Any thread may call.
    var progress: FileSizeBound.Progress { currentProgress.withLock { $0 } }

    /// The error that ended the output, if any. Any thread may call.
    var failure: ACCAudioRecorderError? { failed.withLock { $0 } }

    /// Records the processing steps of the conversion for the frames that follow.
    func record(_ processingSteps: [ProcessingStep]) {
        self.processingSteps = processingSteps
        current.record(processingSteps)
    }

    /// Records another processing step, in the current file and, if requested, in those after it.
    func record(_ step: ProcessingStep, inLaterFiles: Bool) {
        if inLaterFiles { processingSteps.append(step) }
        current.record([step])
    }

    /// Records when the first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    func begin(hostTime: UInt64) {
        fileStart = hostTime
        let start = WallClock(hostTime: hostTime)
        self.start = start
        current.begin(start: start, ownStart: start)
        if metadata.misplacesSpeakers {
            notify(.channelsMisplaced(output, metadata.layout.map))
        }
        if pipe == nil { warn(of: completed.doubt(about: output)) }
    }

    /// Corrects the time of the first frame by a number of nanoseconds. Once a file is complete, later ones follow what
    /// it states, so that their times add up.
    func correctStart(by nanoseconds: Int64) {
        guard !isBetweenFiles, current.isFirst, let corrected = start?.advanced(by: nanoseconds) else { return }
        start = corrected
        current.correct(start: corrected)
    }

    /// Writes frames. A failure ends this output, which keeps what it has. A file that could not be created is tried
    /// again before.
    func write(_ frames: EncodedFrames) {
        if let overdue {
            names = overdue.names
            createNextFile(hostTime: overdue.hostTime)
        }
        guard !isBetweenFiles else { return lose(frames.count) }
        let wasDamaged = current.damage != nil
        current.write(frames)
        frameCount += frames.count
        reportFailure()
        if !wasDamaged { warn(of: current.damage) }
        warnOfLittleRoom()
    }

    /// Writes the first of these frames to a pipe, as many as it takes at once. What it does not take, also for an error, goes to `write`.
    ///
    /// - Returns: The number of frames written.
    func writeAtOnce(_ frames: EncodedFrames) -> Int {
        guard metadata.layout.order == nil else { return 0 }
        let count = current.writeAtOnce(frames)
        frameCount += count
        publishProgress()
        return count
    }

    /// Called when no frames are expected for a while.
    func rest() {
        if !isBetweenFiles { current.rest() }
    }

    private func warn(of error: ACCAudioRecorderError?) {
        if let error { notify(.warning(error)) }
    }

    /// Reports the failure that ends this output, once.
    private func reportFailure() {
        guard let failure = current.failure else { return }
        reportFailure(failure)
    }

    private func reportFailure(_ failure: ACCAudioRecorderError) {
        let isFirst = failed.withLock { failed in
            defer { failed = failed ?? failure }
            return failed == nil
        }
        if isFirst { notify(.ended(output, failure)) }
    }

    /// Ends the output without waiting for its reader any longer. Called on its thread; or on any thread for a
    /// descriptor, whose `output` never changes.
    func giveUp() {
        pipe?.giveUp()
        reportFailure(.cannotGoOn(with: output.destination.description, .canceled))
    }

    /// Records and reports that frames are missing here because the output was too slow, and fills the gap with silence if
    /// requested.
    func recordLoss(of frames: Int, isFilled: Bool) {
        guard !isBetweenFiles else { return lose(frames) }
        recordLoss(of: frames, isFilled: isFilled, .tooSlow)
        guard isFilled else { return }
        let blockFrames = 1024
        let silence = EncodedFrames.Chunk(
            EncodedFrames.Form(encoding, channelCount: metadata.form.channelCount), capacity: blockFrames)
        silence.fillWithSilence()
        for first in stride(from: 0, to: frames, by: blockFrames) { write(silence.frames.prefix(frames - first)) }
    }

    private func recordLoss(of frames: Int, isFilled: Bool, _ cause: OutputReport.Loss.Shortage) {
        let loss = current.recordLoss(of: frames, isFilled: isFilled, cause)
        notify(.lost(output, loss, sampleRate: metadata.form.sampleRate))
        setMarker(
            OutputReport.Loss.label(of: frames, at: metadata.form.sampleRate, isFilled: isFilled, cause), at: frameCount
        )
        if !isFilled { framesMissing += frames }
    }

    /// Counts frames that no file has.
    private func lose(_ frames: Int) {
        overdue?.framesLost += frames
        overdue?.hostTime += UInt64(Double(frames) / Double(metadata.form.sampleRate) * 1e9)
    }

    /// Writes a marker before this frame of the recording.
    func mark(_ label: String, at frame: Int) {
        guard !isBetweenFiles else { return }
        setMarker(label, at: frame - framesMissing)
    }

    /// Writes a marker before this frame of the output.
    private func setMarker(_ label: String, at frame: Int) {
        do {
            try current.mark(label, at: frame)
        } catch {
            warn(of: error)
        }
    }

    /// Completes the current file and continues in the next one without losing a frame. If that cannot be created, the
    /// current file continues; if there is none, frames are lost until it can be. Does nothing for a descriptor.
    ///
    /// - Parameters:
    ///   - hostTime: When the next file's first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    ///   - serverProcessing: The server's processing steps so far.
    func startNewFile(hostTime: UInt64, serverProcessing: [ProcessingStep]) {
        currentProgress.withLock { $0 = FileSizeBound.Progress(cutCount: $0.cutCount + 1) }
        createNextFile(hostTime: hostTime, serverProcessing)
    }

    private func createNextFile(hostTime: UInt64, _ serverProcessing: [ProcessingStep] = []) {
        guard pipe == nil, failure == nil, !current.isEmpty else { return }
        followDirectory()
        let namesBefore = names
        do throws(ACCAudioRecorderError) {
            let (nextOutput, nextFile) = try Self.next(
                output, &names, at: WallClock(hostTime: hostTime)
            ) { next throws(ACCAudioRecorderError) in
                try OutputFile(
                    next, metadata: metadata, encoding: encoding, firstFrame: frameCount,
                    processingSteps: processingSteps,
                    syncer: syncer)
            }
            let report = isBetweenFiles ? nil : finishCurrent(serverProcessing)
            if isBetweenFiles {
                // Its frames do not follow those of the file before it in time.
                start = WallClock(hostTime: hostTime, framesBefore: frameCount, rate: metadata.form.sampleRate)
            }
            if let start { nextFile.begin(start: start, ownStart: WallClock(hostTime: hostTime)) }
            isBetweenFiles = false
            output = nextOutput
            current = nextFile
            fileStart = hostTime
            completed.begin(output, number: names.number)
            publishProgress()
            if case .file(let path) = output.destination {
                notify(.fileOpened(path: path, after: report))
            }
            if let overdue = overdue.take(), overdue.framesLost > 0 {
                recordLoss(of: overdue.framesLost, isFilled: false, .noFile)
            }
            completed.removeOldest(hasCurrent: true, at: now, names.moved)
        } catch {
            guard isBetweenFiles else { return warn(of: error) }
            if overdue == nil { warn(of: error) }
            overdue = OverdueFile(hostTime: hostTime, framesLost: overdue?.framesLost ?? 0, names: namesBefore)
        }
    }

    /// Completes the current file; the next one is created by `startNewFile`. Does nothing for a descriptor.
    ///
    /// - Parameter serverProcessing: The server's processing steps so far.
    func endFile(serverProcessing: [ProcessingStep]) {
        guard pipe == nil, failure == nil, !current.isEmpty, !isBetweenFiles else { return }
        followDirectory()
        notify(.fileClosed(finishCurrent(serverProcessing)))
        isBetweenFiles = true
    }

    private func finishCurrent(_ serverProcessing: [ProcessingStep]) -> OutputReport {
        var report = current.finish(serverProcessing: serverProcessing, isLast: false, isLate: isLate)
        report.isTold = !report.isProvisional
        if report.failure != current.damage { warn(of: report.failure) }
        warn(of: current.displacement)
        completed.append(report, current.files, at: now)
        return report
    }

    /// Follows the directory of the current file, or of the last one, if it was renamed.
    private func followDirectory() {
        directory = current.directory ?? directory
        guard let directory, let place = directory.descriptor.currentPath(knownAs: directory.path) else { return }
        names.followMove(from: directory.path, to: place)
    }

    /// The time in CLOCK_MONOTONIC nanoseconds. The clock of a synthetic source may be ahead of the system's.
    private var now: UInt64 {
        max(
            MonotonicClock.now(),
            fileStart + UInt64(Double(current.frameCount) / Double(metadata.form.sampleRate) * 1e9))
    }

    private func publishProgress() {
        guard publishesProgress else { return }
        let (frames, bytes) = (current.encodedFrameCount, current.byteCount)
        currentProgress.withLock { ($0.frameCount, $0.byteCount) = (frames, bytes) }
    }

    /// Completes the output and returns the reports of its files.
    ///
    /// - Parameters:
    ///   - serverProcessing: The server's processing steps.
    ///   - isWhole: Whether the recording reached its intended end.
    func finish(serverProcessing: [ProcessingStep], isWhole: Bool = true) -> [OutputReport] {
        if isBetweenFiles { recordLossAtEnd() }
        let last = isBetweenFiles ? nil : finishLast(serverProcessing, isWhole: isWhole)
        return settleEarlierFiles(isWhole: isWhole && failure == nil && last?.failure == nil)
            + [last].compactMap(\.self)
    }

    /// Completes the current file; removes it if it is empty, unless it is the only one.
    private func finishLast(_ serverProcessing: [ProcessingStep], isWhole: Bool) -> OutputReport? {
        if current.isEmpty, !completed.isEmpty {
            current.discard()
            return nil
        }
        if let failure { current.fail(with: failure) }
        let report = current.finish(serverProcessing: serverProcessing, isWhole: isWhole, isLate: { false })
        reportFailure()
        warn(of: current.finishFailure)
        warn(of: current.displacement)
        if pipe == nil { completed.note(report, current.files, at: now) }
        return report
    }

    /// Gives the files before the current one their last names, and returns their reports.
    private func settleEarlierFiles(isWhole: Bool) -> [OutputReport] {
        followDirectory()
        completed.removeOldest(hasCurrent: false, at: now, names.moved)
        completed.replaceOlder(isWhole: isWhole, at: now, names.moved)
        return completed.reports(names.moved)
    }

    /// Records and reports frames that no file has after the last one.
    private func recordLossAtEnd() {
        guard let frames = overdue?.framesLost, frames > 0, let loss = completed.appendLoss(of: frames) else { return }
        notify(.lost(output, loss, sampleRate: metadata.form.sampleRate))
    }

    /// Removes what the output created.
    ///
    /// - Returns: The report of the files that are not listed and stay; usually empty.
    @discardableResult
    func discard() -> [OutputReport] {
        if !isBetweenFiles { current.discard() }
        completed.discard(names.moved)
        return completed.reports(names.moved)
    }

    /// Removes the current file, and returns the reports of those before it.
    func discardCurrent() -> [OutputReport] {
        let earlier = settleEarlierFiles(isWhole: failure == nil)
        if !isBetweenFiles { current.discard() }
        return earlier
    }
}

// MARK: - Free space

extension FileRotator {
    /// Warns if the disk has no room for a recording of this many seconds, for containers whose size is known in
    /// advance.
    func warnOfRoom(upTo limit: TimeInterval) {
        guard output.container.compressionLevels == nil,
            let room = current.room
        else { return }
        let frameSize = encoding.bytesPerSample * metadata.form.channelCount
        let seconds = room.duration(growingBy: Double(frameSize * metadata.form.sampleRate))
        guard seconds < limit else { return }
        hasWarnedOfRoom = seconds < Self.minimumRoom
        notify(.diskTooSmall(output, seconds: Int(seconds), limit: Int(min(limit, 0x1p62))))
    }

    private func warnOfLittleRoom() {
        guard !hasWarnedOfRoom, failure == nil, let seconds = current.secondsOfRoom, seconds < Self.minimumRoom else {
            return
        }
        hasWarnedOfRoom = true
        notify(.diskFilling(output, seconds: Int(seconds)))
    }
}

// MARK: - The thread

extension FileRotator {
    /// The main function of the output's thread: carries out the queue's orders until it is closed.
    func serve(_ queue: OutputQueue) {
        isLate = { queue.isFilling }
        var orders: [OutputQueue.Order] = []
        while queue.next(&orders) {
            for order in orders {
                switch order {
                case .frames(let chunk):
                    if let order = metadata.layout.order { chunk.reorder(order) }
                    write(chunk.frames)
                    queue.recycle(chunk)
                case .call(let body):
                    body(self)
                }
            }
            publishProgress()
        }
    }
}
