import FoundationEssentials

/// One file of an output, or its descriptor: what it has taken so far, and what became of it.
///
/// Used by one thread at a time.
final class OutputPiece {
    private let output: RecordingOutput
    private let form: FrameForm
    private let encoding: SampleEncoding
    private let sink: any AudioSink
    private let disk: OutputDisk
    /// The markers beside the file, once there is one.
    private var labelFile: LabelFile?
    private let firstFrame: Int
    /// Frames written.
    private(set) var frameCount = 0
    private var gaps: [RecordingGap] = []
    private var alterations: [Alteration]
    /// The files of this piece, that with its markers among them.
    private(set) var paths: [String] = []
    private(set) var failure: ACCAudioRecorderError?
    /// Why it could not even be completed, after a failure.
    private(set) var failureOfEnd: ACCAudioRecorderError?

    /// Creates it.
    ///
    /// - Parameters:
    ///   - output: Where this piece goes.
    ///   - firstFrame: The number of its first frame in the output.
    ///   - alterations: What is known to change its samples.
    ///   - pipe: The descriptor of an output that has one.
    ///   - syncer: Brings it to its disk; nil where that is not asked for.
    init(
        _ output: RecordingOutput, to pipe: OutputPipe? = nil, labels: FileLabels, encoding: SampleEncoding,
        firstFrame: Int = 0,
        alterations: [Alteration] = [], syncer: FileSyncer?
    ) throws(ACCAudioRecorderError) {
        self.output = output
        self.firstFrame = firstFrame
        self.alterations = alterations
        form = labels.form
        self.encoding = encoding
        let isSynced = syncer != nil
        if let pipe {
            sink =
                if output.container == .raw {
                    RawSink(pipe, encoding: encoding, channelCount: form.channelCount)
                } else {
                    try SoundStreamSink(pipe, output: output, encoding: encoding, labels: labels)
                }
        } else {
            guard case .file(let path) = output.destination else {
                preconditionFailure("\(output.destination) is no file")
            }
            paths = [path]
            if output.makesDirectories { try NewFile.makeDirectories(for: path) }
            sink =
                if output.container == .raw {
                    try RawSink(
                        path: path, replacesExisting: output.replacesExisting, isSynced: isSynced, encoding: encoding,
                        channelCount: form.channelCount)
                } else {
                    try SoundFileSink(
                        path: path, output: output, encoding: encoding, labels: labels, firstFrame: firstFrame,
                        isSynced: isSynced)
                }
        }
        disk = OutputDisk(output, sink: sink, encoding: encoding, form: form, syncer: syncer)
    }

    /// Its size until now, in bytes.
    var byteCount: Int { sink.byteCount }

    /// Whether nothing was written yet.
    var isEmpty: Bool { frameCount == 0 }

    /// Something changes samples from here on.
    func note(_ found: [Alteration]) {
        alterations += found.filter { !alterations.contains($0) }
    }

    /// It ends for a reason of its output.
    func note(_ failure: ACCAudioRecorderError) {
        self.failure = self.failure ?? failure
    }

    /// The first frame of the output was captured at this time.
    func begin(start: WallClock) {
        sink.begin(start: start)
    }

    /// Notes that frames are missing here.
    func noteLoss(of frames: Int, isFilled: Bool) {
        gaps.append(
            RecordingGap(
                position: frameCount, framesLost: frames, sampleRate: form.sampleRate, cause: .outputBehind,
                isFilled: isFilled))
    }

    /// For how many seconds the disk lasts; nil where that is not known.
    var secondsOfRoom: TimeInterval? { disk.duration }

    /// Writes encoded samples. A failure ends the piece, which keeps what it has; it is in the report.
    func write(_ samples: UnsafeRawBufferPointer, frames: Int) {
        guard failure == nil else { return }
        let fitting = disk.frames(fitting: frames)
        let written = UnsafeRawBufferPointer(rebasing: samples[..<(4 * form.channelCount * fitting)])
        do throws(ACCAudioRecorderError) {
            if encoding.integerBits != nil {
                try sink.write(written.assumingMemoryBound(to: Int32.self))
            } else {
                try sink.write(written.assumingMemoryBound(to: Float.self))
            }
            frameCount += fitting
            guard fitting == frames else { throw disk.full }
            try disk.note(frames: frames, labels: labelFile?.descriptor)
        } catch {
            failure = error
        }
    }

    /// Nothing comes for a while: what was written is brought to the disk.
    func rest() {
        guard failure == nil else { return }
        disk.bringToDisk(labels: labelFile?.descriptor)
    }

    /// Keeps a marker that stands before this frame of the output: in the file, and at once in one beside it.
    func mark(_ marker: RecordingMarker, at frame: Int) throws(ACCAudioRecorderError) {
        let ownFrame = min(max(frame - firstFrame, 0), frameCount)
        sink.mark(marker, at: ownFrame)
        guard case .file(let path) = output.destination else { return }
        if labelFile == nil {
            let file = try LabelFile(
                besides: path, replacesExisting: output.replacesExisting, isSynced: output.syncInterval > 0)
            paths.append(file.path)
            labelFile = consume file
        }
        try labelFile?.add(marker.label, at: Double(ownFrame) / Double(form.sampleRate))
    }

    /// Completes the piece and says what it holds.
    ///
    /// - Parameter serverAlterations: What the server did to the samples before they were captured.
    func finish(serverAlterations: [Alteration]) -> OutputReport {
        var content = SinkContent(byteCount: 0)
        do {
            try disk.settle()
        } catch {
            failure = failure ?? error
        }
        do {
            content = try sink.finish()
            if let labelFile = labelFile.take() { try labelFile.keep() }
        } catch {
            if failure == nil { failure = error } else { failureOfEnd = error }
        }
        return OutputReport(
            output: output, sampleRate: form.sampleRate, channelMap: form.channelMap, firstFrame: firstFrame,
            frameCount: content.frameCount ?? frameCount, gaps: gaps, byteCount: content.byteCount,
            alterations: serverAlterations + alterations,
            failure: failure)
    }

    /// Removes what the piece created.
    func discard() {
        try? disk.settle()
        sink.discard()
        if let labelFile = labelFile.take() { labelFile.remove() }
    }
}
