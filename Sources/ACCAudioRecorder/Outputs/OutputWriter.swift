import FoundationEssentials

/// One output of a recording, as the engine sees it: it encodes what it is given and leaves the writing to a thread of
/// its own, so that a disk or a reader that is slow holds up nobody.
///
/// It may be behind by `RecordingOutput.longestDelay`. What comes after that is lost, noted with its place, and reported,
/// unless the output asks for something else.
///
/// Used by one thread at a time, apart from `failure`.
final class OutputWriter {
    /// The rate and channel count of the frames that it takes.
    let form: FrameForm
    private let container: Container
    private let files: OutputFiles
    private let queue: OutputQueue
    private let encoder: SampleEncoder
    /// Where its first file is; nil for a descriptor.
    let path: String?
    /// Whether somebody reads it as it comes, who wants it now.
    let isUrgent: Bool
    /// In messages.
    private let name: String
    private let broadcast: RecordingBroadcast
    private let fillsGaps: Bool
    private let overflowPolicy: OverflowPolicy
    /// In seconds.
    private let longestDelay: Int
    /// Cuts that were asked for, and frames that were taken since the last.
    private var cutCount = 0
    private var framesSinceCut = 0
    /// How many frames are gathered before the thread is woken.
    private let batchFrames: Int
    private var framesSinceWake = 0
    /// Frames for which there was no room, after the last that were taken.
    private var framesLost = 0
    private var isBehind = false
    private var hasStopped = false

    /// By how much an output may be behind, in bytes.
    private static let largestDelay = 256 << 20

    /// Refuses what can be known to fail, before anything is opened or created.
    ///
    /// - Parameter form: nil where it is the source's, which is not known yet.
    static func check(_ output: RecordingOutput, form: FrameForm?) throws(ACCAudioRecorderError) {
        try output.validate()
        // Where the source decides the encoding, it is looked at when that is known.
        if let form { try output.check(form, encoding: output.encoding ?? output.container.encodings.first ?? .f32) }
        switch output.destination {
        case .file(let path):
            try NewFile.check(
                path: path, replacesExisting: output.replacesExisting, makesDirectories: output.makesDirectories)
        case .pattern(let pattern):
            try NewFile.checkDirectory(
                pattern.directory, makesDirectories: output.makesDirectories,
                for: "cannot create '\(pattern.template)'")
        case .descriptor:
            break
        }
    }

    /// Creates the output.
    ///
    /// - Parameters:
    ///   - configuration: The recording's.
    ///   - broadcast: Told of new files, and of what could not be done.
    init(
        _ output: RecordingOutput, for source: AudioSource, form: FrameForm,
        configuration: ACCAudioRecorder.Configuration = .init(), broadcast: RecordingBroadcast
    ) throws(ACCAudioRecorderError) {
        let output = output.resolved(for: source)
        name = output.destination.description
        try output.validate()
        let encoding = output.handedEncoding(for: source)
        try output.check(form, encoding: encoding)
        container = output.container
        self.form = form
        fillsGaps = configuration.interruptions.fillsGaps
        self.broadcast = broadcast
        encoder = SampleEncoder(encoding, isDithered: output.isDithered)
        let mode = configuration.audioSessionMode
        let labels = FileLabels(output, form, source: source, configuration: configuration)
        files = try OutputFiles(
            output, names: FileNames(output, source: source, mode: mode), encoding: encoding,
            labels: labels, policy: configuration.splitting, broadcast: broadcast)
        let frameSize = 4 * form.channelCount
        overflowPolicy = output.overflowPolicy
        let delay = min(form.frames(in: output.longestDelay), Self.largestDelay / frameSize)
        queue = OutputQueue(frameSize: frameSize, capacity: max(delay, 1) * frameSize)
        path = files.firstPath
        longestDelay = delay / form.sampleRate
        isUrgent = path == nil
        batchFrames = isUrgent ? 1 : form.frames(in: RecordingEngine.longestPatience)
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

    /// Why nothing can be written any more, if that is so. Any thread.
    var failure: ACCAudioRecorderError? { files.failure }

    /// Whether something is still to be written. Any thread.
    var isWaiting: Bool { queue.byteCount > 0 }

    /// Notes what the conversion from a source of that format does to samples.
    func note(captureOf format: SampleFormat, _ captured: FrameForm) {
        let conversion = Alteration.ofConversion(from: format, captured, to: encoder.encoding, form)
        let alterations = conversion + (container.isLossy ? [.compressed(container)] : [])
        queue.append { $0.note(alterations) }
    }

    /// The first frame was captured at this time, in CLOCK_MONOTONIC nanoseconds.
    func begin(hostTime: UInt64) {
        queue.append { $0.begin(hostTime: hostTime) }
    }

    /// Warns where the disk has no room for a recording of so many seconds.
    func warnOfRoom(upTo limit: TimeInterval) {
        queue.append { $0.warnOfRoom(upTo: limit) }
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

    /// The next block comes later: has everything written, unless that is hardly worth a wake-up.
    func endBatch() {
        if framesSinceWake >= batchFrames * 3 / 4 { flush() }
    }

    /// Has everything written that was taken so far.
    func flush() {
        framesSinceWake = 0
        queue.wake()
    }

    /// Nothing comes for a while: has everything written that was taken, and brought to the disk.
    func rest() {
        framesSinceWake = 0
        queue.append { $0.rest() }
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
        cutCount += 1
        framesSinceCut = 0
        queue.append { $0.startNewFile(hostTime: hostTime, serverAlterations: serverAlterations) }
    }

    /// Whether the present file could become larger than this if it took so much more.
    func wouldExceed(_ size: Int, with seconds: Double) -> Bool {
        let progress = files.progress
        let isCurrent = progress.cutCount == cutCount
        // No container takes more for a frame than its samples have.
        let frames = framesSinceCut - (isCurrent ? progress.frameCount : 0) + form.frames(in: seconds) + 1
        let bytes = frames * form.channelCount * encoder.encoding.bytesPerSample
        return (isCurrent ? progress.byteCount : 0) + bytes + Self.headerSize > size
    }

    /// More than the header of a file takes, and whatever is written at its end besides samples and markers.
    private static let headerSize = 4096

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
        guard !hasStopped else { return }
        let waiting = queue.byteCount
        if waiting + samples.count > queue.capacity {
            switch overflowPolicy {
            case .wait: break
            case .drop:
                framesLost += samples.count / (4 * form.channelCount)
                return
            case .stop:
                hasStopped = true
                return path == nil ? files.giveUp() : queue.append { $0.giveUp() }
            }
        }
        queueLoss()
        queue.append(samples)
        framesSinceCut += samples.count / (4 * form.channelCount)
        if waiting > queue.capacity / 4 * 3, !isBehind {
            isBehind = true
            let seconds = waiting / (4 * form.channelCount * form.sampleRate)
            broadcast.events.send(.warning(.outputBehind(name, seconds: seconds, limit: longestDelay, overflowPolicy)))
        } else if waiting < queue.capacity / 4 {
            isBehind = false
        }
    }

    private func queueLoss() {
        guard framesLost > 0 else { return }
        queue.append { [framesLost, fillsGaps] files in files.noteLoss(of: framesLost, isFilled: fillsGaps) }
        if fillsGaps { framesSinceCut += framesLost }
        framesLost = 0
    }
}
