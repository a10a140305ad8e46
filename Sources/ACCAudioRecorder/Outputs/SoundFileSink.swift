import SystemPackage

/// An output that libsndfile writes: every container but raw samples, in a file.
final class SoundFileSink: AudioSink {
    private let path: String
    private var file: NewFile?
    private let medium: FileMedium
    private var soundFile: SoundFile?
    private let labels: FileLabels
    /// The number of its first frame in the output.
    private let firstFrame: Int
    /// Whether it is MP3 of variable bit rate.
    private let isVariableMP3: Bool
    private var frameCount = 0
    private var cues = WAVCues()

    /// Creates the file and writes its header.
    init(
        path: String, output: RecordingOutput, encoding: SampleEncoding, labels: FileLabels, firstFrame: Int,
        isSynced: Bool
    ) throws(ACCAudioRecorderError) {
        self.path = path
        self.labels = labels
        self.firstFrame = firstFrame
        let (container, form) = (output.container, labels.form)
        if case .bitRate? = output.compression { isVariableMP3 = false } else { isVariableMP3 = container == .mp3 }
        guard let info = container.soundFileInfo(encoding: encoding, form: form) else {
            preconditionFailure("libsndfile does not write \(container)")
        }
        let file = try NewFile(path: path, replacesExisting: output.replacesExisting, isSynced: isSynced)
        medium = FileMedium(file.descriptor, wavForm: container.wavForm)
        do {
            let soundFile = try SoundFile.begin(
                SoundFileTarget(medium), info: info, output: output, form: form, isStream: false)
            self.soundFile = consume soundFile
        } catch {
            file.remove()
            throw Self.failure(
                "cannot create '\(path)'", cause: "\(error)", remedy: "See that the disk has room and can be written.")
        }
        self.file = consume file
    }

    var descriptor: FileDescriptor? { file?.descriptor }

    var byteCount: Int { medium.length }

    func begin(start: WallClock) {
        soundFile?.label(with: labels, start: start, firstFrame: firstFrame)
    }

    func mark(_ marker: RecordingMarker, at frame: Int) {
        cues.add(label: marker.label, at: frame)
    }

    func write(_ samples: UnsafeBufferPointer<Int32>) throws(ACCAudioRecorderError) {
        try write(samples.count) { () throws(SoundFileFailure) in try soundFile?.write(samples) }
    }

    func write(_ samples: UnsafeBufferPointer<Float>) throws(ACCAudioRecorderError) {
        try write(samples.count) { () throws(SoundFileFailure) in try soundFile?.write(samples) }
    }

    private func write(
        _ sampleCount: Int, _ body: () throws(SoundFileFailure) -> Void
    ) throws(ACCAudioRecorderError) {
        try checkRoom(for: sampleCount)
        do {
            try body()
        } catch {
            throw .cannotGoOn(with: "'\(path)'", error)
        }
        keepHeaderTrue(after: sampleCount)
    }

    /// Refuses samples with which the file would be larger than its container can say.
    private func checkRoom(for samples: Int) throws(ACCAudioRecorderError) {
        // No sample is longer than eight bytes, and little comes after the last.
        guard let largest = labels.container.largestSize, medium.length + samples * 8 + 1_024 > largest else { return }
        throw .cannotGoOn(
            with: "'\(path)'", .cannotWrite, cause: "\(labels.container) ends at 4 GiB",
            remedy: "What was written is kept. Choose WAV, W64 or CAF, which go on.")
    }

    /// The header tells the truth after every write, so that a killed program leaves a file that opens.
    private func keepHeaderTrue(after samples: Int) {
        frameCount += samples / labels.form.channelCount
        if labels.container.hasSizesInHeader { soundFile?.updateHeader() }
        if isVariableMP3 { medium.tellLength(ofMP3: frameCount) }
    }

    func finish() throws(ACCAudioRecorderError) -> SinkContent {
        guard let soundFile = soundFile.take(), let file = file.take() else { return SinkContent(byteCount: 0) }
        do {
            try soundFile.close()
            if labels.container.wavForm != nil, let chunks = cues.chunks { try medium.append(chunks) }
        } catch {
            return try mend(file, after: error)
        }
        return SinkContent(byteCount: try file.keep())
    }

    /// Keeps what could be written, as a file that is whole; where that cannot be had it stays where it is.
    private func mend(
        _ file: consuming NewFile, after failure: any Error
    ) throws(ACCAudioRecorderError) -> SinkContent {
        var frameCount: Int?
        do {
            // MP3 has nothing to be mended.
            if labels.container != .mp3 { frameCount = try AudioFileRepair.mend(file.descriptor, name: "'\(path)'") }
        } catch {
            throw Self.failure(
                "cannot complete '\(path)'", cause: "\(failure)",
                remedy: "'accrec repair' may mend what is in '\(file.leave())'.")
        }
        return SinkContent(byteCount: try file.keep(), frameCount: frameCount)
    }

    func discard() {
        soundFile = nil
        guard let file = file.take() else { return }
        file.remove()
    }

    private static func failure(_ what: String, cause: String, remedy: String) -> ACCAudioRecorderError {
        .outputFailed(.init(.cannotWrite, what, cause: cause, remedy: remedy))
    }
}
