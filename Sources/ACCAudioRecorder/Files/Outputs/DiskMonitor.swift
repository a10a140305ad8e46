import FoundationEssentials
import Glibc
import SystemPackage

/// Monitors the disk of one output file: its free space, whether the file is still there, and whether writes reach the
/// disk.
///
/// Used by one thread at a time.
final class DiskMonitor {
    /// The output's name in messages.
    private let name: String
    private let encoder: any ContainerEncoder
    /// Nil if nothing is to be synced.
    private let syncer: FileSyncer?
    private let form: StreamFormat
    /// The size of an uncompressed frame in bytes.
    private let frameSize: Int
    private var frameCount = 0
    private var checkInterval: FrameInterval
    private var syncInterval: FrameInterval
    private var isNew = true
    /// How many seconds the free space will last, at the file's average growth so far; nil while unknown.
    private(set) var duration: TimeInterval?

    /// - Parameters:
    ///   - encoder: Writes the file.
    ///   - syncer: Syncs it to the disk.
    init(
        _ output: RecordingOutput, encoder: any ContainerEncoder, encoding: SampleEncoding, form: StreamFormat,
        syncer: FileSyncer?
    ) {
        name = output.destination.description
        self.encoder = encoder
        self.syncer = syncer
        self.form = form
        frameSize = encoding.bytesPerSample * form.channelCount
        checkInterval = FrameInterval(form.sampleRate)
        syncInterval = FrameInterval(form.frames(in: output.syncInterval.seconds))
    }

    /// How many of these frames can be written, assuming no compression.
    func frames(fitting frames: Int) -> Int {
        guard let room else { return frames }
        return min(frames, room.usableByteCount / frameSize)
    }

    /// The error of an output whose disk is full.
    var full: ACCAudioRecorderError {
        .cannotGoOn(
            with: name, .diskFull, cause: "its disk is full (\(DiskRoom.reserve >> 10) KiB are kept in reserve)",
            remedy: "Free some space, or record to another disk. What was written is complete.")
    }

    /// Checks the file once a second, and syncs it at the configured interval.
    ///
    /// - Parameters:
    ///   - frames: The number of frames just written.
    ///   - markers: The marker sidecar, if there is one.
    func didWrite(frames: Int, markers: FileDescriptor?) throws(ACCAudioRecorderError) {
        frameCount += frames
        if checkInterval.isOver(after: frames) {
            forecast()
            guard isReachable else { throw missing }
        }
        if syncInterval.isOver(after: frames) { sync(markers: markers) }
        if let failure = syncer?.failure { throw .cannotGoOn(with: name, failure) }
    }

    /// Starts to sync the file, so that it can be opened after a power cut.
    func sync(markers: FileDescriptor?) {
        guard let syncer else { return }
        syncer.sync([encoder.descriptor, markers].compactMap(\.self), in: isNew ? encoder.directory : nil)
        isNew = false
    }

    /// Waits until syncing has finished.
    func settle() throws(ACCAudioRecorderError) {
        syncer?.settle()
        if let failure = syncer?.failure { throw .cannotGoOn(with: name, failure) }
    }

    /// The free space; nil for a pipe or a device, or if the system does not tell.
    var room: DiskRoom? { encoder.descriptor.flatMap { DiskRoom(descriptor: $0) } }

    private func forecast() {
        let seconds = Double(frameCount) / Double(form.sampleRate)
        guard encoder.byteCount > 0, let room else {
            duration = nil
            return
        }
        duration = room.duration(growingBy: Double(encoder.byteCount) / seconds)
    }
}

// MARK: - Checks of the file

extension DiskMonitor {
    /// Whether the file can be found, at its path or where it was moved. If it was removed, or its disk was removed
    /// while it is open, everything written is lost.
    private var isReachable: Bool { encoder.directory == nil || encoder.path != nil }

    /// The size in bytes to which another program has truncated the file; nil if none has.
    var truncatedByteCount: Int? {
        var status = stat()
        guard encoder.directory != nil, let file = encoder.descriptor, fstat(file.rawValue, &status) == 0 else {
            return nil
        }
        return status.st_size < encoder.byteCount ? Int(status.st_size) : nil
    }

    private var missing: ACCAudioRecorderError {
        .cannotGoOn(
            with: name, .cannotWrite, cause: "the file no longer exists",
            remedy: "Check whether the file was removed or its disk unmounted, and record to another disk.")
    }
}

extension DiskMonitor {
    /// Reports each time that a given number of frames has passed.
    private struct FrameInterval {
        private let length: Int
        private var elapsed = 0

        /// - Parameter length: The interval in frames.
        init(_ length: Int) {
            self.length = length
        }

        /// Whether the interval ends with these frames; the next one then begins.
        mutating func isOver(after frames: Int) -> Bool {
            elapsed += frames
            guard elapsed >= length else { return false }
            elapsed = 0
            return true
        }
    }
}
