import CSndFile
import SystemPackage

/// Writes an output to an open descriptor with libsndfile, in a container that can be read while it is written.
final class SoundStreamSink: AudioSink {
    private let name: String
    private let pipe: OutputPipe
    private let byteSink: ForwardByteSink
    private let metadata: FileMetadata
    private var soundFile: SoundFile?

    init(
        _ pipe: OutputPipe, _ info: SF_INFO, output: RecordingOutput, metadata: FileMetadata
    ) throws(ACCAudioRecorderError) {
        name = output.destination.description
        self.pipe = pipe
        self.metadata = metadata
        let container = output.container
        byteSink = ForwardByteSink(pipe, container: container, layout: metadata.layout)
        do {
            soundFile = try SoundFile.begin(
                SoundFileTarget(byteSink), info: info, output: output, metadata: metadata, isStream: true)
        } catch {
            throw .cannotGoOn(with: name, error)
        }
    }

    var encodedFrameCount: Int? { nil }

    var descriptor: FileDescriptor? { pipe.descriptor }

    var directory: OutputDirectory? { nil }

    var path: String? { nil }

    var byteCount: Int { byteSink.byteCount }

    func begin(start: WallClock) {
        soundFile?.label(with: metadata, start: start, firstFrame: 0)
    }

    /// Does nothing: a stream could only hold markers before the samples.
    func mark(_ label: String, at frame: Int) {}

    func write(_ frames: EncodedFrames) throws(ACCAudioRecorderError) {
        do {
            try soundFile?.write(frames)
        } catch {
            throw .cannotGoOn(with: name, error)
        }
    }

    func finish(isWhole: Bool, isLate: () -> Bool) throws(ACCAudioRecorderError) -> SinkContent {
        byteSink.complete()
        do {
            try soundFile.take()?.close()
        } catch {
            throw .cannotGoOn(with: name, error)
        }
        return SinkContent(byteCount: byteCount)
    }

    func discard() {
        byteSink.complete()
        soundFile = nil
    }
}
