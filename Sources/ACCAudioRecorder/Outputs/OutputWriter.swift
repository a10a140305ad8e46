/// One output of a recording, as the engine sees it: it encodes what it is given and leaves the writing to a thread of
/// its own, so that a disk or a reader that is slow holds up nobody.
///
/// It may be behind by a minute, or by 256 MiB. What comes after that is lost, noted with its place, and reported.
///
/// Used by one thread at a time, apart from `failure`.
final class OutputWriter {
    /// The rate and channel count of the frames that it takes.
    let form: FrameForm
    private let files: OutputFiles
    private let queue: OutputQueue
    private let encoder: SampleEncoder
    private let name: String
    private let broadcast: RecordingBroadcast
    private let fillsGaps: Bool
    /// How many frames are gathered before the thread is woken.
    private let batchFrames: Int
    private var framesSinceWake = 0
    /// Frames for which there was no room, after the last that were taken.
    private var framesLost = 0
    private var isBehind = false

    /// By how much an output may be behind, in seconds, and in bytes.
    private static let longestDelay = 60
    private static let largestDelay = 256 << 20

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
    ///   - fillsGaps: Whether silence stands for frames that are lost here.
    ///   - broadcast: Told of new files, and of what could not be done.
    init(
        _ output: RecordingOutput, for source: AudioSource, form: FrameForm, storesStartTime: Bool = false,
        fillsGaps: Bool = false, broadcast: RecordingBroadcast
    ) throws(ACCAudioRecorderError) {
        let encoding = output.encoding ?? SampleEncoding(holding: source.sampleSpec.format)
        try output.container.check(encoding: encoding, form: form)
        self.form = form
        self.fillsGaps = fillsGaps
        self.broadcast = broadcast
        encoder = SampleEncoder(encoding, isDithered: output.isDithered)
        let labels = FileLabels(output.container, form, source: source, storesStartTime: storesStartTime)
        files = try OutputFiles(output.resolved(for: source), encoding: encoding, labels: labels, broadcast: broadcast)
        let frameSize = 4 * form.channelCount
        queue = OutputQueue(
            frameSize: frameSize,
            capacity: min(Self.longestDelay * form.sampleRate * frameSize, Self.largestDelay))
        switch output.destination {
        case .file(let path):
            name = path
            batchFrames = form.sampleRate / 4
        case .descriptor:
            name = "the pipe"
            // Whoever reads there wants it now.
            batchFrames = 1
        }
        do throws(ACCAudioRecorderError) {
            try DetachedThread.start(for: "an output") { [files, queue] in files.serve(queue) }
        } catch {
            files.discard()
            throw error
        }
    }

    deinit {
        queue.close()
    }

    /// Why nothing can be written any more, if that is so. Any thread.
    var failure: ACCAudioRecorderError? { files.failure }

    /// Whether something is still to be written. Any thread.
    var isWaiting: Bool { queue.byteCount > 0 }

    /// Notes what the conversion from a source of that format does to samples.
    func note(captureOf format: SampleFormat, _ captured: FrameForm) {
        let alterations = Alteration.ofConversion(from: format, captured, to: encoder.encoding, form)
        queue.append { $0.note(alterations) }
    }

    /// The first frame was captured at this time, in CLOCK_MONOTONIC nanoseconds.
    func begin(hostTime: UInt64) {
        queue.append { $0.begin(hostTime: hostTime) }
    }

    /// Takes a block.
    func write(_ block: AudioBlock) {
        encoder.encode(block) {
            append(UnsafeRawBufferPointer($0))
        } floats: {
            append(UnsafeRawBufferPointer($0))
        }
        framesSinceWake += block.frameCount
        if framesSinceWake >= batchFrames { flush() }
    }

    /// Has everything written that was taken so far.
    func flush() {
        framesSinceWake = 0
        queue.wake()
    }

    /// Keeps a marker that stands before this frame.
    func mark(_ marker: RecordingMarker, at frame: Int) {
        queue.append { $0.mark(marker, at: frame) }
    }

    /// Completes the present file and goes on in the next, without a frame between them.
    ///
    /// - Parameters:
    ///   - hostTime: When the frame was captured that comes first there, in CLOCK_MONOTONIC nanoseconds.
    ///   - serverAlterations: What the server has done to samples until now.
    func startNewFile(hostTime: UInt64, serverAlterations: [Alteration]) {
        queue.append { $0.startNewFile(hostTime: hostTime, serverAlterations: serverAlterations) }
    }

    /// Completes the output.
    ///
    /// - Parameter serverAlterations: What the server did to the samples before they were captured.
    /// - Returns: What its files hold, as soon as everything is written.
    func finish(serverAlterations: [Alteration]) -> Promise<[OutputReport]> {
        queueLoss()
        let reports = Promise<[OutputReport]>()
        queue.append { reports.fulfil($0.finish(serverAlterations: serverAlterations)) }
        return reports
    }

    /// Removes what the output created.
    ///
    /// - Returns: Fulfilled when it is gone.
    func discard() -> Promise<Void> {
        let isGone = Promise<Void>()
        queue.append { files in
            files.discard()
            isGone.fulfil(())
        }
        return isGone
    }

    private func append(_ samples: UnsafeRawBufferPointer) {
        let waiting = queue.byteCount
        guard waiting + samples.count <= queue.capacity else {
            framesLost += samples.count / (4 * form.channelCount)
            return
        }
        queueLoss()
        queue.append(samples)
        if waiting > queue.capacity / 4 * 3, !isBehind {
            isBehind = true
            let seconds = waiting / (4 * form.channelCount * form.sampleRate)
            broadcast.events.send(.warning(.outputBehind(name, seconds: seconds)))
        } else if waiting < queue.capacity / 4 {
            isBehind = false
        }
    }

    private func queueLoss() {
        guard framesLost > 0 else { return }
        queue.append { [framesLost, fillsGaps] files in files.noteLoss(of: framesLost, isFilled: fillsGaps) }
        framesLost = 0
    }
}
