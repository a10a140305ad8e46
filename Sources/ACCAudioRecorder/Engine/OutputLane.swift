/// One rate and channel count of a recording: the conversion to it, and the outputs that take it.
///
/// Used by one thread at a time.
final class OutputLane {
    let form: FrameForm
    private let writers: [OutputWriter]
    private var converter: FrameConverter?
    /// What is still to happen, in the order of its places.
    private var cues: [Cue] = []
    /// Frames taken so far, over all stretches.
    private(set) var frameCount = 0

    /// - Parameter writers: Outputs of this form; there may be none.
    init(_ form: FrameForm, writers: [OutputWriter]) {
        self.form = form
        self.writers = writers
    }

    /// A stretch begins: frames of this form follow, in blocks of at most `maximumFrames`.
    func begin(
        _ captured: FrameForm, quality: ResamplerQuality, maximumFrames: Int
    ) throws(ACCAudioRecorderError) {
        converter = try FrameConverter(from: captured, to: form, quality: quality, maximumFrames: maximumFrames)
    }

    /// Notes what the conversion from a source of that format does to samples.
    func note(captureOf format: SampleFormat, _ captured: FrameForm) {
        for writer in writers { writer.note(captureOf: format, captured) }
    }

    /// Converts a block of the source and takes what comes of it.
    ///
    /// - Parameters:
    ///   - limit: The length in seconds beyond which nothing is taken.
    ///   - observe: Sees what is taken, and the number of its first frame, before the outputs do.
    func take(
        _ block: AudioBlock, limit: Double, _ observe: (AudioBlock, Int) -> Void = { _, _ in }
    ) throws(ACCAudioRecorderError) {
        try converter?.convert(block) { write($0.prefix(form.frames(in: limit) - frameCount), observe) }
    }

    /// The stretch ends: takes what the conversion still holds.
    func flush(limit: Double, _ observe: (AudioBlock, Int) -> Void = { _, _ in }) throws(ACCAudioRecorderError) {
        try converter?.flush { write($0.prefix(form.frames(in: limit) - frameCount), observe) }
        converter = nil
        for writer in writers { writer.rest() }
    }

    /// Takes silence.
    ///
    /// - Parameters:
    ///   - seconds: How long it is.
    ///   - limit: As for `take`.
    func fill(seconds: Double, limit: Double, _ observe: (AudioBlock, Int) -> Void = { _, _ in }) {
        let blockFrames = 1024
        let silence = [Float](repeating: 0, count: blockFrames * form.channelCount)
        var left = min(form.frames(in: seconds), form.frames(in: limit) - frameCount)
        silence.withUnsafeBufferPointer { samples in
            let block = AudioBlock(samples: samples, channelCount: form.channelCount)
            while left > 0 {
                write(block.prefix(left), observe)
                left -= blockFrames
            }
        }
    }

    private func write(_ block: AudioBlock, _ observe: (AudioBlock, Int) -> Void) {
        guard block.frameCount > 0 else { return }
        observe(block, frameCount)
        var rest = block
        while let cue = cues.first {
            let offset = max(form.frames(in: cue.seconds) - frameCount, 0)
            guard offset < rest.frameCount else { break }
            put(rest.prefix(offset))
            rest = rest.part(from: offset, frames: rest.frameCount)
            perform(cues.removeFirst())
        }
        put(rest)
    }

    private func put(_ block: AudioBlock) {
        guard block.frameCount > 0 else { return }
        for writer in writers { writer.write(block) }
        frameCount += block.frameCount
    }
}

// MARK: - Cues

extension OutputLane {
    /// Lets something happen as soon as the lane comes to its place, or at once where it has passed that.
    func add(_ cue: Cue) {
        cues.insert(cue, at: cues.firstIndex { $0.seconds > cue.seconds } ?? cues.endIndex)
    }

    /// The first frame of a recording of that rate at which the lane can still be cut: of which the nearest of its own
    /// frames is not taken yet.
    func firstCut(ofRate sampleRate: Int) -> Int {
        let double = 2 * form.sampleRate
        return max((2 * frameCount - 1) * sampleRate + double - 1, 0) / double
    }

    /// Whether a new file is still to begin.
    var hasPendingCut: Bool { cues.contains { !$0.isMarker } }

    /// Sets the markers that are left at the end of a stretch. New files wait for the next frame, if there is one.
    func performMarkers() {
        for cue in cues where cue.isMarker { perform(cue) }
        cues.removeAll(where: \.isMarker)
    }

    private func perform(_ cue: Cue) {
        for writer in writers {
            switch cue.kind {
            case .marker(let marker): writer.mark(marker, at: form.frames(in: cue.seconds))
            case .newFile(let hostTime, let serverAlterations):
                writer.startNewFile(hostTime: hostTime, serverAlterations: serverAlterations)
            }
        }
    }
}
