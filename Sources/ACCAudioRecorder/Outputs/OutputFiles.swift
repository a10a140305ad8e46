import FoundationEssentials
import Glibc
import Synchronization
import SystemPackage

/// What an output writes to: a descriptor, or one file after the other.
///
/// `@unchecked Sendable`: it is created and then handed to the thread of its output, which alone uses it; what others
/// read has a lock, or is of a descriptor and stays as it is.
final class OutputFiles: @unchecked Sendable {
    /// The output, with the file that is being written.
    private var output: RecordingOutput
    private var names: FileNames
    private let policy: SplittingPolicy
    private let labels: FileLabels
    private let encoding: SampleEncoding
    private let broadcast: RecordingBroadcast
    /// Nil where nothing is to be brought to the disk.
    private let syncer: FileSyncer?
    private var hasWarnedOfRoom = false
    /// The descriptor of an output that has one.
    private let pipe: OutputPipe?
    /// What is being written.
    private var piece: OutputPiece
    private let failed = Mutex<ACCAudioRecorderError?>(nil)
    /// What the pieces hold that are complete, and the files of each.
    private var finished: [(report: OutputReport, paths: [String])] = []
    private var frameCount = 0
    /// When the first frame was captured: files that follow count from there, so that their times add up.
    private var start: WallClock?
    /// What the conversion from the present source does to samples.
    private var alterations: [Alteration] = []
    private let progressOfPiece = Mutex(PieceProgress())

    /// How many seconds a disk is to last, at least, without a warning.
    private static let shortestRoom = 600.0

    /// Creates the first file.
    ///
    /// - Parameters:
    ///   - names: Where the files go.
    ///   - policy: How many of them are kept.
    ///   - broadcast: Told of new files, and of what could not be done.
    init(
        _ output: RecordingOutput, names: FileNames, encoding: SampleEncoding, labels: FileLabels,
        policy: SplittingPolicy, broadcast: RecordingBroadcast
    ) throws(ACCAudioRecorderError) {
        self.output = output
        self.names = names
        self.encoding = encoding
        self.labels = labels
        self.policy = policy
        self.broadcast = broadcast
        let destination = self.names.next(at: WallClock(hostTime: MonotonicClock.now()))
        self.output.destination = destination
        firstPath = if case .file(let path) = destination { path } else { nil }
        syncer = output.syncInterval > 0 && firstPath != nil ? FileSyncer() : nil
        pipe = if case .descriptor(let descriptor) = destination { OutputPipe(descriptor) } else { nil }
        piece = try OutputPiece(self.output, to: pipe, labels: labels, encoding: encoding, syncer: syncer)
    }

    /// Where its first file is; nil for a descriptor.
    let firstPath: String?

    /// How far the present file is. Any thread.
    var progress: PieceProgress { progressOfPiece.withLock { $0 } }

    /// Why nothing can be written any more, if that is so. Any thread.
    var failure: ACCAudioRecorderError? { failed.withLock { $0 } }

    /// What the conversion from the source of the frames that follow does to samples.
    func note(_ alterations: [Alteration]) {
        self.alterations = alterations
        piece.note(alterations)
    }

    /// The first frame was captured at this time, in CLOCK_MONOTONIC nanoseconds.
    func begin(hostTime: UInt64) {
        let start = WallClock(hostTime: hostTime)
        self.start = start
        piece.begin(start: start)
    }

    /// Writes encoded samples. A failure ends this output, which keeps what it has.
    func write(_ samples: UnsafeRawBufferPointer) {
        let frames = samples.count / (4 * labels.form.channelCount)
        piece.write(samples, frames: frames)
        frameCount += frames
        noteFailure()
        warnOfLittleRoom()
    }

    /// Nothing comes for a while.
    func rest() {
        piece.rest()
    }

    /// Tells of the failure that ends this output, once.
    private func noteFailure() {
        guard let failure = piece.failure else { return }
        noteFailure(failure)
    }

    private func noteFailure(_ failure: ACCAudioRecorderError) {
        let isFirst = failed.withLock { failed in
            defer { failed = failed ?? failure }
            return failed == nil
        }
        if isFirst { broadcast.events.send(.outputEnded(output, failure)) }
    }

    /// Ends the output without waiting for its reader any longer. On its thread; or on any where it is a descriptor, which
    /// stays the same output.
    func giveUp() {
        pipe?.giveUp()
        noteFailure(.cannotGoOn(with: output.destination.description, .canceled))
    }

    /// Notes that frames are missing here, and puts silence in their place where that is asked for.
    func noteLoss(of frames: Int, isFilled: Bool) {
        piece.noteLoss(of: frames, isFilled: isFilled)
        guard isFilled else { return }
        let size = 4 * labels.form.channelCount
        let silence = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024 * size, alignment: 16)
        defer { silence.deallocate() }
        silence.initializeMemory(as: UInt8.self, repeating: 0)
        for first in stride(from: 0, to: frames, by: 1024) {
            write(UnsafeRawBufferPointer(rebasing: silence[..<(min(1024, frames - first) * size)]))
        }
    }

    /// Keeps a marker that stands before this frame.
    func mark(_ marker: RecordingMarker, at frame: Int) {
        do {
            try piece.mark(marker, at: frame)
        } catch {
            broadcast.events.send(.warning(.output(error)))
        }
    }

    /// Completes the present file and goes on in the next, without a frame between them. Where that cannot be created
    /// the present one goes on. A descriptor has no files.
    ///
    /// - Parameters:
    ///   - hostTime: When the frame was captured that comes first there, in CLOCK_MONOTONIC nanoseconds.
    ///   - serverAlterations: What the server has done to samples until now.
    func startNewFile(hostTime: UInt64, serverAlterations: [Alteration]) {
        progressOfPiece.withLock { $0.cutCount += 1 }
        guard case .file = output.destination, failure == nil, !piece.isEmpty else { return }
        var next = output
        next.destination = names.next(at: WallClock(hostTime: hostTime))
        guard case .file(let path) = next.destination else { return }
        do {
            let nextPiece = try OutputPiece(
                next, labels: labels, encoding: encoding, firstFrame: frameCount, alterations: alterations,
                syncer: syncer)
            if let start { nextPiece.begin(start: start) }
            let report = piece.finish(serverAlterations: serverAlterations)
            if let failure = report.failure { broadcast.events.send(.warning(.output(failure))) }
            finished.append((report, piece.paths))
            output = next
            piece = nextPiece
            noteProgress()
            broadcast.events.send(.newFile(path: path, after: report))
        } catch {
            broadcast.events.send(.warning(.output(error)))
        }
        removeOldFiles()
    }

    /// Removes the oldest files, where no more than some are kept.
    private func removeOldFiles() {
        guard let count = policy.filesKept else { return }
        while finished.count >= count {
            for path in finished.removeFirst().paths {
                guard unlink(path) == 0 || errno == ENOENT else {
                    let cause = "\(Errno(rawValue: errno))"
                    let failure = ACCAudioRecorderError.Failure(
                        .cannotWrite, "cannot remove '\(path)'", cause: cause,
                        remedy: "Remove it yourself; the take goes on.")
                    broadcast.events.send(.warning(.output(.outputFailed(failure))))
                    continue
                }
                broadcast.events.send(.fileRemoved(path: path))
            }
        }
    }

    private func noteProgress() {
        guard policy.fileSize != nil else { return }
        let (frames, bytes) = (piece.frameCount, piece.byteCount)
        progressOfPiece.withLock { ($0.frameCount, $0.byteCount) = (frames, bytes) }
    }

    /// Completes the output and says what its pieces hold.
    ///
    /// - Parameter serverAlterations: What the server did to the samples before they were captured.
    func finish(serverAlterations: [Alteration]) -> [OutputReport] {
        let reports = finished.map(\.report)
        if piece.isEmpty, !finished.isEmpty {
            piece.discard()
            return reports
        }
        if let failure { piece.note(failure) }
        let report = piece.finish(serverAlterations: serverAlterations)
        noteFailure()
        if let failure = piece.failureOfEnd { broadcast.events.send(.warning(.output(failure))) }
        return reports + [report]
    }

    /// Removes what the output created.
    func discard() {
        piece.discard()
        for path in finished.flatMap(\.paths) { unlink(path) }
    }
}

// MARK: - Room on the disk

extension OutputFiles {
    /// Warns where the disk has no room for a recording of so many seconds, as far as its size is known in advance.
    func warnOfRoom(upTo limit: TimeInterval) {
        guard output.container.compressionLevels == nil,
            let room = output.pathWhileWritten.flatMap(DiskRoom.init(path:))
        else { return }
        let frameSize = encoding.bytesPerSample * labels.form.channelCount
        let seconds = room.duration(growingBy: Double(frameSize * labels.form.sampleRate))
        guard seconds < limit else { return }
        hasWarnedOfRoom = seconds < Self.shortestRoom
        broadcast.events.send(
            .warning(.diskTooSmall(output.destination.description, seconds: Int(seconds), limit: Int(limit))))
    }

    private func warnOfLittleRoom() {
        guard !hasWarnedOfRoom, failure == nil, let seconds = piece.secondsOfRoom, seconds < Self.shortestRoom else {
            return
        }
        hasWarnedOfRoom = true
        broadcast.events.send(.warning(.diskFilling(output.destination.description, seconds: Int(seconds))))
    }
}

// MARK: - The thread

extension OutputFiles {
    /// Does what the queue has to do, until no more comes: the thread of the output.
    func serve(_ queue: OutputQueue) {
        var orders: [OutputQueue.Order] = []
        while queue.next(&orders) {
            for order in orders {
                switch order {
                case .samples(let chunk):
                    write(chunk.content)
                    queue.recycle(chunk)
                case .call(let body):
                    body(self)
                }
            }
            noteProgress()
        }
    }
}
