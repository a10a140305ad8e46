import FoundationEssentials
import Glibc
import SystemPackage

/// The disk under one file of an output: how long it lasts, whether the file can still be found there, and that what was
/// written reaches it.
///
/// Used by one thread at a time.
final class OutputDisk {
    /// The name in messages.
    private let name: String
    /// Where the file is while it is written; nil for one that somebody else has opened.
    private let path: String?
    private let sink: any AudioSink
    /// Nil where nothing is to be brought to the disk.
    private let syncer: FileSyncer?
    private let form: FrameForm
    /// An uncompressed frame in bytes.
    private let frameSize: Int
    private var frameCount = 0
    private var look: FrameInterval
    private var sync: FrameInterval
    private var isNew = true
    /// For how many seconds the disk lasts, as the file has grown until now; nil while that cannot be told.
    private(set) var duration: TimeInterval?

    /// - Parameters:
    ///   - sink: What writes there.
    ///   - syncer: Brings it to the disk.
    init(
        _ output: RecordingOutput, sink: any AudioSink, encoding: SampleEncoding, form: FrameForm, syncer: FileSyncer?
    ) {
        name = output.destination.description
        path = output.pathWhileWritten
        self.sink = sink
        self.syncer = syncer
        self.form = form
        frameSize = encoding.bytesPerSample * form.channelCount
        look = FrameInterval(form.sampleRate)
        sync = FrameInterval(Int((output.syncInterval * Double(form.sampleRate)).rounded()))
    }

    /// How many of these frames may be written, if they do not get smaller on their way.
    func frames(fitting frames: Int) -> Int {
        guard let room else { return frames }
        return min(frames, room.usableByteCount / frameSize)
    }

    /// The error of an output for which there is no more room.
    var full: ACCAudioRecorderError {
        .cannotGoOn(
            with: name, .diskFull, cause: "its disk is full but for \(DiskRoom.reserve >> 10) KiB, which are held back",
            remedy: "Make room or record to another disk; what was written is complete.")
    }

    /// Looks after the file once a second, and has it brought to the disk as often as is asked for.
    ///
    /// - Parameters:
    ///   - frames: Were written just now.
    ///   - labels: The file with the markers, where there is one.
    func note(frames: Int, labels: FileDescriptor?) throws(ACCAudioRecorderError) {
        frameCount += frames
        if look.isOver(after: frames) {
            forecast()
            guard isReachable else { throw missing }
        }
        if sync.isOver(after: frames) { bringToDisk(labels: labels) }
        if let failure = syncer?.failure { throw .cannotGoOn(with: name, failure) }
    }

    /// Lets the file be opened as it is after a power cut.
    func bringToDisk(labels: FileDescriptor?) {
        guard let syncer else { return }
        syncer.sync([sink.descriptor, labels].compactMap(\.self), directoryOf: isNew ? path : nil)
        isNew = false
    }

    /// Waits until nothing is on its way to the disk any more.
    func settle() throws(ACCAudioRecorderError) {
        syncer?.settle()
        if let failure = syncer?.failure { throw .cannotGoOn(with: name, failure) }
    }

    private var room: DiskRoom? { sink.descriptor.flatMap { DiskRoom(descriptor: $0) } }

    private func forecast() {
        let seconds = Double(frameCount) / Double(form.sampleRate)
        guard sink.byteCount > 0, let room else {
            duration = nil
            return
        }
        duration = room.duration(growingBy: Double(sink.byteCount) / seconds)
    }
}

// MARK: - Where the file is

extension OutputDisk {
    /// Whether the file can be found, at its place or where it was moved to. It cannot where it was removed, or its disk
    /// taken away while it is open; all that is written then is lost.
    private var isReachable: Bool {
        guard let path, let file = sink.descriptor else { return true }
        if isSame(file, at: path) { return true }
        var link = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(file.rawValue)", &link, link.count)
        return count > 0
            && isSame(file, at: String(decoding: link.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    private func isSame(_ file: FileDescriptor, at path: String) -> Bool {
        var (own, found) = (stat(), stat())
        return fstat(file.rawValue, &own) == 0 && stat(path, &found) == 0 && own.st_dev == found.st_dev
            && own.st_ino == found.st_ino
    }

    private var missing: ACCAudioRecorderError {
        .cannotGoOn(
            with: name, .cannotWrite, cause: "the file is not there any more",
            remedy: "See whether its disk was unmounted or the file removed, and record to another disk.")
    }
}
