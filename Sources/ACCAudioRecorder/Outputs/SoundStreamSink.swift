import SystemPackage

/// An output that libsndfile writes to an open descriptor: a container that can be read while it is written.
final class SoundStreamSink: AudioSink {
    private let name: String
    private let pipe: OutputPipe
    private let medium: StreamMedium
    private let labels: FileLabels
    private var soundFile: SoundFile?

    init(
        _ pipe: OutputPipe, output: RecordingOutput, encoding: SampleEncoding, labels: FileLabels
    ) throws(ACCAudioRecorderError) {
        name = output.destination.description
        self.pipe = pipe
        self.labels = labels
        let container = output.container
        guard let info = container.soundFileInfo(encoding: encoding, form: labels.form) else {
            preconditionFailure("libsndfile does not write \(container)")
        }
        medium = StreamMedium(pipe, isWAV: container.wavForm != nil)
        do {
            soundFile = try SoundFile.begin(
                SoundFileTarget(medium), info: info, output: output, form: labels.form, isStream: true)
        } catch {
            throw .cannotGoOn(with: name, error)
        }
    }

    var descriptor: FileDescriptor? { pipe.descriptor }

    var byteCount: Int { medium.byteCount }

    func begin(start: WallClock) {
        soundFile?.label(with: labels, start: start, firstFrame: 0)
    }

    /// There is no place for it ahead of the samples.
    func mark(_ marker: RecordingMarker, at frame: Int) {}

    func write(_ samples: UnsafeBufferPointer<Int32>) throws(ACCAudioRecorderError) {
        do {
            try soundFile?.write(samples)
        } catch {
            throw .cannotGoOn(with: name, error)
        }
    }

    func write(_ samples: UnsafeBufferPointer<Float>) throws(ACCAudioRecorderError) {
        do {
            try soundFile?.write(samples)
        } catch {
            throw .cannotGoOn(with: name, error)
        }
    }

    func finish() throws(ACCAudioRecorderError) -> SinkContent {
        medium.complete()
        do {
            try soundFile.take()?.close()
        } catch {
            throw .cannotGoOn(with: name, error)
        }
        return SinkContent(byteCount: byteCount)
    }

    func discard() {
        medium.complete()
        soundFile = nil
    }
}
