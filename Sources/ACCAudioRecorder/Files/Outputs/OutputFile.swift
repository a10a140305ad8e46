import FoundationEssentials

/// One file of an output, or its descriptor, with its counts and errors.
///
/// Used by one thread at a time.
final class OutputFile {
    private let output: RecordingOutput
    private let metadata: FileMetadata
    /// Whether it is a descriptor, a named pipe or a device.
    private let isStream: Bool
    private let form: StreamFormat
    private let encoder: any ContainerEncoder
    private let disk: DiskMonitor
    /// The marker sidecar, once there is a marker.
    private var markers: MarkerSidecar?
    /// The date in its tags; nil before the first frame, and if the container has no tags.
    private var date: String?
    private let firstFrame: Int
    /// The number of frames written.
    private(set) var frameCount = 0
    private var losses: [OutputReport.Loss] = []
    private var processingSteps: [ProcessingStep]
    /// After completion: the file and its marker sidecar.
    private(set) var files: [CreatedFile] = []
    private(set) var failure: ACCAudioRecorderError?
    /// What another program did to the file, which continues nevertheless.
    private(set) var damage: ACCAudioRecorderError?
    /// Why it did not replace an existing file.
    private(set) var displacement: ACCAudioRecorderError?
    /// Why it could not be completed after `failure`.
    private(set) var finishFailure: ACCAudioRecorderError?

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - output: The output with the path of this file.
    ///   - firstFrame: The number of its first frame in the output.
    ///   - processingSteps: The steps known to change its samples.
    ///   - pipe: The pipe to write to, if the output is not a file.
    ///   - syncer: Syncs the file; nil if not requested.
    init(
        _ output: RecordingOutput, to pipe: OutputPipe? = nil, metadata: FileMetadata, encoding: SampleEncoding,
        firstFrame: Int = 0,
        processingSteps: [ProcessingStep] = [], syncer: FileSyncer?
    ) throws(ACCAudioRecorderError) {
        self.output = output
        isStream = pipe != nil
        self.firstFrame = firstFrame
        self.processingSteps = processingSteps
        self.metadata = metadata
        form = metadata.form
        let isSynced = syncer != nil
        let info = output.container.soundFileInfo(encoding: encoding, form: form)
        if let pipe {
            encoder =
                if let info {
                    try SoundStreamEncoder(pipe, info, output: output, metadata: metadata)
                } else {
                    RawEncoder(
                        pipe, name: output.destination.description, encoding: encoding, channelCount: form.channelCount)
                }
        } else {
            guard case .file(let path) = output.destination else {
                preconditionFailure("\(output.destination) is not a file")
            }
            if output.makesDirectories { try AtomicFile.makeDirectories(for: path) }
            encoder =
                if let info {
                    try SoundFileEncoder(
                        path: path, info, output: output, metadata: metadata, firstFrame: firstFrame,
                        isSynced: isSynced)
                } else {
                    try RawEncoder(
                        path: path, output: output, isSynced: isSynced, encoding: encoding,
                        channelCount: form.channelCount)
                }
        }
        disk = DiskMonitor(output, encoder: encoder, encoding: encoding, form: form, syncer: syncer)
    }

    /// The size so far in bytes.
    var byteCount: Int { encoder.byteCount }

    /// The number of frames known to be in the file; may exclude those that an encoder holds back.
    var encodedFrameCount: Int { encoder.encodedFrameCount ?? frameCount }

    /// The free space on its disk; nil if unknown.
    var room: DiskRoom? { disk.room }

    /// The directory of the file.
    var directory: OutputDirectory? { encoder.directory }

    /// Whether nothing has been written yet.
    var isEmpty: Bool { frameCount == 0 }

    /// Records steps that change samples from here on.
    func record(_ found: [ProcessingStep]) {
        processingSteps += found.filter { !processingSteps.contains($0) }
    }

    /// Ends the file for a failure of its output.
    func fail(with failure: ACCAudioRecorderError) {
        self.failure = self.failure ?? failure
    }

    /// Records when the first frames of the output and of this file were captured.
    func begin(start: WallClock, ownStart: WallClock) {
        date = metadata.tags(start: start, firstFrame: firstFrame)[.date]
        encoder.begin(start: start, ownStart: ownStart)
    }

    /// Corrects when the output's first frame was captured.
    func correct(start: WallClock) {
        encoder.correct(start: start)
    }

    /// Whether it is the first file of its output.
    var isFirst: Bool { firstFrame == 0 }

    /// Records that frames are missing here, and returns the place.
    func recordLoss(of frames: Int, isFilled: Bool, _ cause: OutputReport.Loss.Shortage) -> OutputReport.Loss {
        let loss = OutputReport.Loss(position: frameCount, frameCount: frames, isFilled: isFilled, cause: cause)
        OutputReport.Loss.list(loss, in: &losses)
        return loss
    }

    /// How many seconds the free space will last; nil if unknown.
    var secondsOfRoom: TimeInterval? { disk.duration }

    /// Writes frames. A failure ends the file, which keeps what it has, and is in the report.
    func write(_ frames: EncodedFrames) {
        guard failure == nil else { return }
        checkForDamage()
        let fitting = disk.frames(fitting: frames.count)
        do throws(ACCAudioRecorderError) {
            try encoder.write(frames.prefix(fitting))
            frameCount += fitting
            guard fitting == frames.count else { throw disk.full }
            try disk.didWrite(frames: frames.count, markers: markers?.descriptor)
        } catch {
            failure = error
        }
    }

    /// Writes the first of these frames to a pipe, as many as it takes at once.
    ///
    /// - Returns: The number of frames written.
    func writeAtOnce(_ frames: EncodedFrames) -> Int {
        guard failure == nil else { return 0 }
        let count = encoder.writeAtOnce(frames)
        frameCount += count
        return count
    }

    private func checkForDamage() {
        guard damage == nil, let byteCount = disk.truncatedByteCount else { return }
        damage = .outputFailed(
            .init(
                .cannotWrite, "\(output.destination) is damaged",
                cause:
                    "another program truncated it to \(byteCount) bytes after \(frameCount) frames, which now read as zeros",
                remedy: "The recording goes on. Keep other programs away from the file until it is complete."))
    }

    /// Called when no frames are expected for a while: syncs what was written.
    func rest() {
        guard failure == nil else { return }
        disk.sync(markers: markers?.descriptor)
    }

    /// Writes a marker before this frame of the output: to the file, and at once to its sidecar.
    func mark(_ label: String, at frame: Int) throws(ACCAudioRecorderError) {
        let ownFrame = min(max(frame - firstFrame, 0), frameCount)
        encoder.mark(label, at: ownFrame)
        guard case .file(let path) = output.destination, !isStream else { return }
        if markers == nil {
            markers = try MarkerSidecar(
                besides: directory?.currentPath(of: path) ?? path, date: date, output: output)
        }
        try markers?.add(label, at: Double(ownFrame) / Double(form.sampleRate))
    }

    /// Completes the file and returns its report.
    ///
    /// - Parameters:
    ///   - serverProcessing: The server's processing steps.
    ///   - isWhole: Whether the recording reached its intended end. An incomplete file replaces no other.
    ///   - isLast: Whether the recording ends with it. An earlier one replaces no other before the end.
    ///   - isLate: Asked while something takes long that the file need not have: whether the output has to go on.
    func finish(
        serverProcessing: [ProcessingStep], isWhole: Bool = true, isLast: Bool = true, isLate: () -> Bool
    ) -> OutputReport {
        var content = EncodedContent(byteCount: encoder.byteCount)
        checkForDamage()
        do {
            try disk.settle()
        } catch {
            failure = failure ?? error
        }
        let isWhole = isWhole && failure == nil && damage == nil
        do {
            content = try encoder.finish(isWhole: isWhole && isLast, isLate: isLate)
            if let file = content.file { files.append(file) }
            if content.hasChapters, let markers = markers.take() { markers.remove() }
            if let markers = markers.take(), let path = content.file?.path {
                files.append(try markers.keep(besides: path, isWhole: isWhole && isLast))
            } else if output.replacesExisting, !content.isBesideOlder, let path = content.file?.path {
                MarkerSidecar.removeReplaced(besides: path)
            }
        } catch {
            if failure == nil { failure = error } else { finishFailure = error }
        }
        // A repaired file is not whole.
        let isComplete = isWhole && content.frameCount == nil
        let isProvisional = content.isBesideOlder && isComplete && !isLast
        if content.isBesideOlder, !isProvisional, let path = content.file?.path {
            let cause = content.obstacle.map { "\($0)" } ?? "another program has changed it, or is writing it"
            displacement = .cannotReplace("\(output.destination)", isComplete ? cause : nil, keptIn: path)
        }
        var report = OutputReport(
            output: placedOutput(of: content), sampleRate: Double(form.sampleRate), channelMap: form.channelMap,
            firstFrame: firstFrame,
            frameCount: content.frameCount ?? frameCount, losses: losses, byteCount: content.byteCount,
            processingSteps: serverProcessing + processingSteps,
            failure: failure ?? damage)
        (report.versions, report.isProvisional) = (files.compactMap(\.version), isProvisional)
        return report
    }

    /// The output with the file's final path.
    private func placedOutput(of content: EncodedContent) -> RecordingOutput {
        guard let path = content.file?.path else { return output }
        var output = output
        output.destination = .file(path: path)
        return output
    }

    /// Removes the file and its sidecar.
    func discard() {
        try? disk.settle()
        encoder.discard()
        if let markers = markers.take() { markers.remove() }
    }
}
