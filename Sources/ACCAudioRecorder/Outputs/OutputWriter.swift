import Glibc

/// One output of a recording, in one piece or several, one after the other.
///
/// Used by one thread at a time.
final class OutputWriter {
    private let output: RecordingOutput
    private let labels: FileLabels
    private let encoder: SampleEncoder
    private let broadcast: RecordingBroadcast
    /// What is being written.
    private var piece: OutputPiece
    private var pieceNumber = 1
    /// What the pieces hold that are complete, and all files of them.
    private var finished: [OutputReport] = []
    private var finishedPaths: [String] = []
    private var frameCount = 0
    /// What the conversion from the present source does to samples.
    private var alterations: [Alteration] = []

    /// Refuses what can be known to fail, before anything is opened or created.
    ///
    /// - Parameter form: nil where it is the source's, which is not known yet.
    static func check(_ output: RecordingOutput, form: FrameForm?) throws(ACCAudioRecorderError) {
        if let form, let encoding = output.encoding { try output.container.check(encoding: encoding, form: form) }
        switch output.destination {
        case .file(let path):
            try NewFile.check(path: path, replacesExisting: output.replacesExisting)
        case .descriptor:
            guard output.container == .raw else {
                throw .outputFailed(
                    .init(
                        .invalidFormat, "cannot write \(output.container) to a descriptor",
                        cause: "its header needs a file that can be written again", remedy: "Choose raw samples."))
            }
        }
    }

    /// Creates the output.
    ///
    /// - Parameters:
    ///   - storesStartTime: Whether a file says when it begins.
    ///   - broadcast: Told of new files, and of what could not be done.
    init(
        _ output: RecordingOutput, for source: AudioSource, form: FrameForm, storesStartTime: Bool,
        broadcast: RecordingBroadcast
    ) throws(ACCAudioRecorderError) {
        let encoding = output.encoding ?? SampleEncoding(holding: source.sampleSpec.format)
        try output.container.check(encoding: encoding, form: form)
        self.output = output.resolved(for: source)
        self.broadcast = broadcast
        labels = FileLabels(output.container, form, source: source, storesStartTime: storesStartTime)
        encoder = SampleEncoder(encoding, isDithered: output.isDithered)
        piece = try OutputPiece(self.output, labels: labels, encoder: encoder)
    }

    /// The rate and channel count of the frames that it takes.
    var form: FrameForm { labels.form }

    /// Why nothing can be written any more, if that is so.
    var failure: ACCAudioRecorderError? { piece.failure }

    /// Notes what the conversion from a source of that format does to samples.
    func note(captureOf format: SampleFormat, _ captured: FrameForm) {
        alterations = Alteration.ofConversion(from: format, captured, to: encoder.encoding, form)
        piece.note(alterations)
    }

    /// The first frame was captured at this time, in CLOCK_MONOTONIC nanoseconds.
    func begin(hostTime: UInt64) {
        piece.begin(hostTime: hostTime)
    }

    /// Writes a block. A failure ends this output, which keeps what it has; it is in the report.
    func write(_ block: AudioBlock) {
        piece.write(block)
        frameCount += block.frameCount
    }

    /// Keeps a marker that stands before this frame.
    func mark(_ marker: RecordingMarker, at frame: Int) {
        do {
            try piece.mark(marker, at: frame)
        } catch {
            broadcast.events.send(.warning(.output(error)))
        }
    }

    /// Completes the present file and goes on in the next, without a frame between them. Where that cannot be created
    /// the present one goes on. A descriptor has no files.
    ///
    /// - Parameters:
    ///   - hostTime: When the frame was captured that comes first there, in CLOCK_MONOTONIC nanoseconds.
    ///   - serverAlterations: What the server has done to samples until now.
    func startNewFile(hostTime: UInt64, serverAlterations: [Alteration]) {
        guard case .file(let path) = output.destination, failure == nil, !piece.isEmpty else { return }
        let stem = PathStem(path)
        let nextPath =
            output.replacesExisting ? stem.path(pieceNumber + 1) : stem.firstFree(from: pieceNumber + 1)
        var next = output
        next.destination = .file(path: nextPath)
        do {
            let nextPiece = try OutputPiece(
                next, labels: labels, encoder: encoder, firstFrame: frameCount, alterations: alterations)
            nextPiece.begin(hostTime: hostTime)
            let report = piece.finish(serverAlterations: serverAlterations)
            finished.append(report)
            finishedPaths += piece.paths
            piece = nextPiece
            pieceNumber += 1
            broadcast.events.send(.newFile(path: nextPath, after: report))
        } catch {
            broadcast.events.send(.warning(.output(error)))
        }
    }

    /// Completes the output and says what its pieces hold.
    ///
    /// - Parameter serverAlterations: What the server did to the samples before they were captured.
    func finish(serverAlterations: [Alteration]) -> [OutputReport] {
        if piece.isEmpty, !finished.isEmpty {
            piece.discard()
            return finished
        }
        return finished + [piece.finish(serverAlterations: serverAlterations)]
    }

    /// Removes what the output created.
    func discard() {
        piece.discard()
        for path in finishedPaths { unlink(path) }
    }
}
