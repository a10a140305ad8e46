import CSndFile
import SystemPackage

/// Writes an output file with libsndfile: every container except raw samples.
final class SoundFileEncoder: ContainerEncoder {
    private let givenPath: String
    private var file: AtomicFile?
    private let byteTarget: SeekableByteTarget
    private var soundFile: SoundFile?
    private let metadata: FileMetadata
    /// The number of its first frame in the output.
    private let firstFrame: Int
    private let hasVariableBitRate: Bool
    private var frameCount = 0
    private var markers: [(frame: Int, label: String)] = []
    private var start: WallClock?
    /// When its own first frame was captured.
    private var ownStart: WallClock?
    /// Nil if the file does not state its loudness.
    private var meter: ProgrammeMeter?

    /// Creates the file and writes its header.
    init(
        path: String, _ info: SF_INFO, output: RecordingOutput, metadata: FileMetadata, firstFrame: Int,
        isSynced: Bool
    ) throws(ACCAudioRecorderError) {
        givenPath = path
        self.metadata = metadata
        self.firstFrame = firstFrame
        let container = output.container
        meter = metadata.hasBroadcastExtension ? ProgrammeMeter(metadata.form) : nil
        hasVariableBitRate = if case .bitRate? = output.compression { false } else { true }
        let file = try AtomicFile(
            path: path, replacesExisting: output.replacesExisting, replaceable: output.replaceable, isSynced: isSynced)
        byteTarget = SeekableByteTarget(file.descriptor, container: container, layout: metadata.layout)
        do {
            let soundFile = try SoundFile.begin(
                SoundFile.IO(byteTarget), info: info, output: output, metadata: metadata, isStream: false)
            self.soundFile = consume soundFile
        } catch {
            file.remove()
            throw Self.failure(
                "cannot create '\(path)'", cause: "\(error)",
                remedy: "Check that the disk has free space and is writable.")
        }
        self.file = consume file
    }

    var descriptor: FileDescriptor? { file?.descriptor }

    var directory: OutputDirectory? { file?.directory }

    var path: String? { file?.currentPath }

    var byteCount: Int { byteTarget.byteCount }

    var encodedFrameCount: Int? { byteTarget.encodedFrameCount }

    func begin(start: WallClock, ownStart: WallClock) {
        (self.start, self.ownStart) = (start, ownStart)
        soundFile?.label(with: metadata, start: start, ownStart: ownStart, firstFrame: firstFrame)
    }

    func correct(start: WallClock) {
        (self.start, ownStart) = (start, start)
    }

    func mark(_ label: String, at frame: Int) {
        markers.append((frame, label))
    }

    func write(_ frames: EncodedFrames) throws(ACCAudioRecorderError) {
        try checkRoom(for: frames.sampleCount)
        do {
            try soundFile?.write(frames)
        } catch {
            throw .cannotGoOn(with: "'\(givenPath)'", error)
        }
        switch frames.samples {
        case .integers(let samples): meter?.add(samples)
        case .floats(let samples): meter?.add(samples)
        }
        updateLength(after: frames.count)
    }

    /// Throws if these samples could exceed the maximum file size of the container.
    private func checkRoom(for samples: Int) throws(ACCAudioRecorderError) {
        // A sample has at most eight bytes, and little follows the last one.
        guard let largest = metadata.container.largestSize, byteTarget.byteCount + samples * 8 + 1_024 > largest else {
            return
        }
        throw .cannotGoOn(
            with: "'\(givenPath)'", .cannotWrite, cause: "\(metadata.container) files end at 4 GiB",
            remedy: "What was written is kept. Choose WAV, W64 or CAF, which may be larger.")
    }

    /// Updates the stated length after every write, so that a killed program leaves a file that opens.
    private func updateLength(after frames: Int) {
        frameCount += frames
        switch metadata.container.traits.length {
        case .header: soundFile?.updateHeader()
        case .streamInformation: byteTarget.writeFLACLength()
        case .xingTag: if hasVariableBitRate { byteTarget.writeMP3Length(frameCount) }
        case .none: break
        }
    }

    func finish(isWhole: Bool, isLate: () -> Bool) throws(ACCAudioRecorderError) -> EncodedContent {
        guard let soundFile = soundFile.take(), var file = file.take() else { return EncodedContent(byteCount: 0) }
        byteTarget.complete()
        do {
            try soundFile.close()
            // libsndfile cannot write it again.
            try completeChunks()
            if metadata.container.traits.isWAV, let chunks = WAVCues(markers).chunks { try byteTarget.append(chunks) }
        } catch {
            return try repair(file, after: error)
        }
        let hasChapters = file.add(chapters, until: frameCount * 1_000 / metadata.form.sampleRate, unless: isLate)
        return EncodedContent(try file.keep(isWhole: isWhole), hasChapters: hasChapters)
    }

    /// Writes again what was not known before: the exact start, the loudness and the length.
    private func completeChunks() throws(Errno) {
        if let start, metadata.hasBroadcastExtension,
            let chunk = metadata.broadcastExtension(start: start, firstFrame: firstFrame, loudness: meter?.finish())
        {
            try byteTarget.replace(BroadcastExtension.chunkName, with: chunk.content)
        }
        if let ownStart, let chunk = metadata.guanoChunk(start: ownStart, frameCount: frameCount) {
            try byteTarget.replace(GUANOChunk.chunkName, with: chunk.content)
        }
    }

    private var chapters: [Chapter] {
        metadata.container.traits.chapters == nil ? [] : Chapter.all(markers, sampleRate: metadata.form.sampleRate)
    }

    /// Repairs the file after closing it has failed, and keeps what could be written; a file that cannot be repaired
    /// stays where it is.
    private func repair(
        _ file: consuming AtomicFile, after failure: any Error
    ) throws(ACCAudioRecorderError) -> EncodedContent {
        var frameCount: Int?
        do {
            if metadata.container.traits.isMendable {
                frameCount = try AudioFileRepair.repair(file.descriptor, name: "'\(givenPath)'")
            }
        } catch {
            let path = file.leave()
            throw Self.failure(
                "cannot complete '\(givenPath)'", cause: "\(failure)",
                remedy: "A repair may recover what is in '\(path)'.",
                recoveryOption: .repairFile(path: path))
        }
        return EncodedContent(try file.keep(isWhole: false), frameCount: frameCount)
    }

    func discard() {
        soundFile = nil
        guard let file = file.take() else { return }
        file.remove()
    }

    private static func failure(
        _ what: String, cause: String, remedy: String,
        recoveryOption: ACCAudioRecorderError.Failure.RecoveryOption? = nil
    ) -> ACCAudioRecorderError {
        .outputFailed(.init(.cannotWrite, what, cause: cause, remedy: remedy, recoveryOption: recoveryOption))
    }
}

/// Writes an output to an open descriptor with libsndfile, in a container that can be read while it is written.
final class SoundStreamEncoder: ContainerEncoder {
    private let name: String
    private let pipe: OutputPipe
    private let byteTarget: ForwardByteTarget
    private let metadata: FileMetadata
    private var soundFile: SoundFile?

    init(
        _ pipe: OutputPipe, _ info: SF_INFO, output: RecordingOutput, metadata: FileMetadata
    ) throws(ACCAudioRecorderError) {
        name = output.destination.description
        self.pipe = pipe
        self.metadata = metadata
        let container = output.container
        byteTarget = ForwardByteTarget(pipe, container: container, layout: metadata.layout)
        do {
            soundFile = try SoundFile.begin(
                SoundFile.IO(byteTarget), info: info, output: output, metadata: metadata, isStream: true)
        } catch {
            throw .cannotGoOn(with: name, error)
        }
    }

    var encodedFrameCount: Int? { nil }

    var descriptor: FileDescriptor? { pipe.descriptor }

    var directory: OutputDirectory? { nil }

    var path: String? { nil }

    var byteCount: Int { byteTarget.byteCount }

    func begin(start: WallClock, ownStart: WallClock) {
        soundFile?.label(with: metadata, start: start, ownStart: ownStart, firstFrame: 0)
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

    func finish(isWhole: Bool, isLate: () -> Bool) throws(ACCAudioRecorderError) -> EncodedContent {
        byteTarget.complete()
        do {
            try soundFile.take()?.close()
        } catch {
            throw .cannotGoOn(with: name, error)
        }
        return EncodedContent(byteCount: byteCount)
    }

    func discard() {
        byteTarget.complete()
        soundFile = nil
    }
}
