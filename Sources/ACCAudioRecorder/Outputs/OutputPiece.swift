/// One file of an output, or its descriptor: what it has taken so far, and what became of it.
///
/// Used by one thread at a time.
final class OutputPiece {
    private let output: RecordingOutput
    private let form: FrameForm
    private let encoding: SampleEncoding
    private let sink: any AudioSink
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

    /// Creates it.
    ///
    /// - Parameters:
    ///   - output: Where this piece goes.
    ///   - firstFrame: The number of its first frame in the output.
    ///   - alterations: What is known to change its samples.
    init(
        _ output: RecordingOutput, labels: FileLabels, encoding: SampleEncoding, firstFrame: Int = 0,
        alterations: [Alteration] = []
    ) throws(ACCAudioRecorderError) {
        self.output = output
        self.firstFrame = firstFrame
        self.alterations = alterations
        form = labels.form
        self.encoding = encoding
        switch output.destination {
        case .descriptor(let descriptor):
            sink = RawSink(descriptor: descriptor, encoding: encoding)
        case .pattern(let pattern):
            preconditionFailure("the name '\(pattern.template)' was not filled in")
        case .file(let path):
            paths = [path]
            if output.makesDirectories { try NewFile.makeDirectories(for: path) }
            sink =
                if output.container == .raw {
                    try RawSink(path: path, replacesExisting: output.replacesExisting, encoding: encoding)
                } else {
                    try SoundFileSink(
                        path: path, output: output, encoding: encoding, labels: labels, firstFrame: firstFrame)
                }
        }
    }

    /// Its size until now, in bytes.
    var byteCount: Int { sink.byteCount }

    /// Whether nothing was written yet.
    var isEmpty: Bool { frameCount == 0 }

    /// Something changes samples from here on.
    func note(_ found: [Alteration]) {
        alterations += found.filter { !alterations.contains($0) }
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

    /// Writes encoded samples. A failure ends the piece, which keeps what it has; it is in the report.
    func write(_ samples: UnsafeRawBufferPointer, frames: Int) {
        guard failure == nil else { return }
        do {
            if encoding.integerBits != nil {
                try sink.write(samples.assumingMemoryBound(to: Int32.self))
            } else {
                try sink.write(samples.assumingMemoryBound(to: Float.self))
            }
            frameCount += frames
        } catch {
            failure = error
        }
    }

    /// Keeps a marker that stands before this frame of the output: in the file, and at once in one beside it.
    func mark(_ marker: RecordingMarker, at frame: Int) throws(ACCAudioRecorderError) {
        let ownFrame = min(max(frame - firstFrame, 0), frameCount)
        sink.mark(marker, at: ownFrame)
        guard case .file(let path) = output.destination else { return }
        if labelFile == nil {
            let file = try LabelFile(besides: path, replacesExisting: output.replacesExisting)
            paths.append(file.path)
            labelFile = consume file
        }
        try labelFile?.add(marker.label, at: Double(ownFrame) / Double(form.sampleRate))
    }

    /// Completes the piece and says what it holds.
    ///
    /// - Parameter serverAlterations: What the server did to the samples before they were captured.
    func finish(serverAlterations: [Alteration]) -> OutputReport {
        var byteCount = 0
        do {
            byteCount = try sink.finish()
            if let labelFile = labelFile.take() { try labelFile.keep() }
        } catch {
            failure = failure ?? error
        }
        return OutputReport(
            output: output, sampleRate: form.sampleRate, channelMap: form.channelMap, firstFrame: firstFrame,
            frameCount: frameCount, gaps: gaps, byteCount: byteCount, alterations: serverAlterations + alterations,
            failure: failure)
    }

    /// Removes what the piece created.
    func discard() {
        sink.discard()
        if let labelFile = labelFile.take() { labelFile.remove() }
    }
}
