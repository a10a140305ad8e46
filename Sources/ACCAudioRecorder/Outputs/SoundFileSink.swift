import CSndFile
import SystemPackage

/// An output that libsndfile writes: every container but raw samples, in a file.
final class SoundFileSink: AudioSink {
    private let path: String
    private var file: NewFile?
    private let target: SoundFileTarget
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
        target = SoundFileTarget(file.descriptor, wavForm: container.wavForm)
        do {
            let soundFile = try SoundFile(target: target, info: info)
            if container.wavForm != nil { try soundFile.keepRoom() }
            if let positions = container.maskNumbers(for: form.channelMap) { try soundFile.setChannelMap(positions) }
            if let compression = output.compression { try soundFile.compress(compression, container, form) }
            if container == .opus { soundFile.setPageLength(milliseconds: 250) }
            self.soundFile = consume soundFile
        } catch {
            file.remove()
            throw Self.failure(
                "cannot create '\(path)'", cause: "\(error)", remedy: "See that the disk has room and can be written.")
        }
        self.file = consume file
    }

    var descriptor: FileDescriptor? { file?.descriptor }

    var byteCount: Int { target.length }

    func begin(start: WallClock) {
        let time =
            labels.storesStartTime
            ? BroadcastTime(start: start, frame: firstFrame, rate: labels.form.sampleRate) : nil
        // What cannot be written shows again with the first samples.
        if let time, labels.container.hasBroadcastInfo {
            try? soundFile?.setBroadcastInfo(
                time, description: labels.description, codingHistory: labels.codingHistory)
        }
        guard !labels.container.tags.isEmpty else { return }
        try? soundFile?.set(SF_STR_SOFTWARE, Array(labels.program.utf8))
        for (tag, text) in labels.tags(at: labels.container.hasBroadcastInfo ? nil : time) {
            // libsndfile takes the text of an MP3 file for Latin-1.
            let bytes =
                labels.container == .mp3
                ? text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") } : Array(text.utf8)
            try? soundFile?.set(tag.soundFileString, bytes)
        }
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
            throw unwritable(error)
        }
        keepHeaderTrue(after: sampleCount)
    }

    /// Refuses samples with which the file would be larger than its container can say.
    private func checkRoom(for samples: Int) throws(ACCAudioRecorderError) {
        // No sample is longer than eight bytes, and little comes after the last.
        guard let largest = labels.container.largestSize, target.length + samples * 8 + 1_024 > largest else { return }
        throw .cannotGoOn(
            with: "'\(path)'", .cannotWrite, cause: "\(labels.container) ends at 4 GiB",
            remedy: "What was written is kept. Choose WAV, W64 or CAF, which go on.")
    }

    /// The header tells the truth after every write, so that a killed program leaves a file that opens.
    private func keepHeaderTrue(after samples: Int) {
        frameCount += samples / labels.form.channelCount
        if labels.container.hasSizesInHeader { soundFile?.updateHeader() }
        if isVariableMP3 { target.tellLength(ofMP3: frameCount) }
    }

    private func unwritable(_ failure: SoundFileFailure) -> ACCAudioRecorderError {
        guard let cause = failure.errno else {
            return .cannotGoOn(
                with: "'\(path)'", .cannotWrite, cause: failure.message, remedy: "What was written is kept.")
        }
        return .cannotGoOn(with: "'\(path)'", cause)
    }

    func finish() throws(ACCAudioRecorderError) -> SinkContent {
        guard let soundFile = soundFile.take(), let file = file.take() else { return SinkContent(byteCount: 0) }
        do {
            try soundFile.close()
            if labels.container.wavForm != nil, let chunks = cues.chunks { try target.append(chunks) }
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
