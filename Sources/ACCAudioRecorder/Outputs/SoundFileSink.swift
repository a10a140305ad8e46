import CSndFile

/// An output that libsndfile writes: WAV or FLAC, in a file.
final class SoundFileSink: AudioSink {
    private let path: String
    private var file: NewFile?
    private var soundFile: SoundFile?
    private let labels: FileLabels
    private let framesBetweenHeaders: Int
    private var framesSinceHeader = 0
    private var cues = WAVCues()

    /// Creates the file and writes its header.
    init(
        path: String, replacesExisting: Bool, info: SF_INFO, labels: FileLabels
    ) throws(ACCAudioRecorderError) {
        self.path = path
        self.labels = labels
        // Twice a second the header tells the truth, so that a killed program leaves a file that opens.
        // libsndfile keeps FLAC's header itself; its frames can be read without a total.
        let isFLAC = info.format & Int32(SF_FORMAT_TYPEMASK) == Int32(SF_FORMAT_FLAC)
        framesBetweenHeaders = isFLAC ? .max : max(Int(info.samplerate) / 2, 1)
        let file = try NewFile(path: path, replacesExisting: replacesExisting)
        do {
            let soundFile = try SoundFile(descriptor: file.descriptor, info: info)
            if labels.container.hasChannelMask(labels.form.channelMap),
                let positions = labels.form.channelMap.maskNumbers
            {
                try soundFile.setChannelMap(positions)
            }
            if let comment = labels.comment { try soundFile.set(SF_STR_COMMENT, comment) }
            self.soundFile = consume soundFile
        } catch {
            file.remove()
            throw Self.failure("cannot create '\(path)'", cause: "\(error)")
        }
        self.file = consume file
    }

    var byteCount: Int { file?.size ?? 0 }

    func begin(hostTime: UInt64) {
        guard labels.storesStartTime else { return }
        let start = WallClock(hostTime: hostTime)
        // What cannot be written shows again with the first samples.
        switch labels.container {
        case .wav:
            try? soundFile?.setBroadcastInfo(
                start, rate: labels.form.sampleRate, description: labels.sourceDescription)
        case .flac, .raw: try? soundFile?.set(SF_STR_DATE, start.timestamp)
        }
    }

    func mark(_ marker: RecordingMarker, at frame: Int) {
        cues.add(label: marker.label, at: frame)
    }

    func write(_ samples: UnsafeBufferPointer<Int32>) throws(ACCAudioRecorderError) {
        do {
            try soundFile?.write(samples)
        } catch {
            throw unwritable(error)
        }
        keepHeaderTrue(after: samples.count)
    }

    func write(_ samples: UnsafeBufferPointer<Float>) throws(ACCAudioRecorderError) {
        do {
            try soundFile?.write(samples)
        } catch {
            throw unwritable(error)
        }
        keepHeaderTrue(after: samples.count)
    }

    private func keepHeaderTrue(after samples: Int) {
        framesSinceHeader += samples / labels.form.channelCount
        guard framesSinceHeader >= framesBetweenHeaders else { return }
        soundFile?.updateHeader()
        framesSinceHeader = 0
    }

    private func unwritable(_ failure: SoundFileFailure) -> ACCAudioRecorderError {
        Self.failure("cannot write '\(path)' any further", cause: "\(failure)")
    }

    func finish() throws(ACCAudioRecorderError) -> Int {
        guard let soundFile = soundFile.take(), let file = file.take() else { return 0 }
        do {
            try soundFile.close()
            if labels.container == .wav { try cues.append(to: file.descriptor) }
        } catch {
            _ = try file.keep()
            throw Self.failure("cannot complete '\(path)'", cause: "\(error)")
        }
        return try file.keep()
    }

    func discard() {
        soundFile = nil
        guard let file = file.take() else { return }
        file.remove()
    }

    private static func failure(_ what: String, cause: String) -> ACCAudioRecorderError {
        .outputFailed(
            .init(
                .cannotWrite, what, cause: cause,
                remedy: "See that the disk has room and can be written; what was written is kept."))
    }
}
