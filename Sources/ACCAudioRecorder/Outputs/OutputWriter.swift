import CSndFile

/// One output of a recording: its sink, what it has taken so far, and what became of it.
///
/// Used by one thread at a time.
final class OutputWriter {
    private let output: RecordingOutput
    /// The rate and channel count of the frames that it takes.
    let form: FrameForm
    private let encoding: SampleEncoding
    private let sink: any AudioSink
    private var frameCount = 0
    private var alterations: [Alteration] = []
    private(set) var failure: ACCAudioRecorderError?

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
    /// - Parameter storesStartTime: Whether a file says when it begins.
    init(
        _ output: RecordingOutput, for source: AudioSource, form: FrameForm, storesStartTime: Bool = false
    ) throws(ACCAudioRecorderError) {
        encoding = output.encoding ?? SampleEncoding(holding: source.sampleSpec.format)
        try output.container.check(encoding: encoding, form: form)
        self.output = output.resolved(for: source)
        self.form = form
        let info = output.container.soundFileInfo(encoding: encoding, form: form)
        let encoder = SampleEncoder(encoding, isDithered: output.isDithered)
        switch output.destination {
        case .descriptor(let descriptor):
            sink = RawSink(descriptor: descriptor, encoder: encoder)
        case .file(let path):
            if let info {
                sink = try SoundFileSink(
                    path: path, replacesExisting: output.replacesExisting, info: info, encoder: encoder,
                    labels: FileLabels(output.container, form, source: source, storesStartTime: storesStartTime))
            } else {
                sink = try RawSink(path: path, replacesExisting: output.replacesExisting, encoder: encoder)
            }
        }
    }

    /// Notes what the conversion from a source of that format does to samples.
    func note(captureOf format: SampleFormat, _ captured: FrameForm) {
        let found = Alteration.ofConversion(from: format, captured, to: encoding, form)
        alterations += found.filter { !alterations.contains($0) }
    }

    /// The first frame was captured at this time, in CLOCK_MONOTONIC nanoseconds.
    func begin(hostTime: UInt64) {
        sink.begin(hostTime: hostTime)
    }

    /// Writes a block. A failure ends this output, which keeps what it has; it is in the report.
    func write(_ block: AudioBlock) {
        guard failure == nil else { return }
        do {
            try sink.write(block)
            frameCount += block.frameCount
        } catch {
            failure = error
        }
    }

    /// Completes the output and says what it holds.
    ///
    /// - Parameter serverAlterations: What the server did to the samples before they were captured.
    func finish(serverAlterations: [Alteration]) -> OutputReport {
        var byteCount = 0
        do {
            byteCount = try sink.finish()
        } catch {
            failure = failure ?? error
        }
        return OutputReport(
            output: output, sampleRate: form.sampleRate, channelMap: form.channelMap, frameCount: frameCount,
            byteCount: byteCount, alterations: serverAlterations + alterations, failure: failure)
    }

    /// Removes what the output created.
    func discard() {
        sink.discard()
    }
}
