import Glibc
import Synchronization

/// What an output writes to: a descriptor, or one file after the other.
///
/// `@unchecked Sendable`: it is created and then handed to the thread of its output, which alone uses it; what others
/// read has a lock.
final class OutputFiles: @unchecked Sendable {
    private let output: RecordingOutput
    private let labels: FileLabels
    private let encoding: SampleEncoding
    private let broadcast: RecordingBroadcast
    /// What is being written.
    private var piece: OutputPiece
    private let failed = Mutex<ACCAudioRecorderError?>(nil)
    private var pieceNumber = 1
    /// What the pieces hold that are complete, and all files of them.
    private var finished: [OutputReport] = []
    private var finishedPaths: [String] = []
    private var frameCount = 0
    /// What the conversion from the present source does to samples.
    private var alterations: [Alteration] = []

    /// Creates the first file.
    ///
    /// - Parameter broadcast: Told of new files, and of what could not be done.
    init(
        _ output: RecordingOutput, encoding: SampleEncoding, labels: FileLabels, broadcast: RecordingBroadcast
    ) throws(ACCAudioRecorderError) {
        self.output = output
        self.encoding = encoding
        self.labels = labels
        self.broadcast = broadcast
        piece = try OutputPiece(output, labels: labels, encoding: encoding)
    }

    /// Why nothing can be written any more, if that is so. Any thread.
    var failure: ACCAudioRecorderError? { failed.withLock { $0 } }

    /// What the conversion from the source of the frames that follow does to samples.
    func note(_ alterations: [Alteration]) {
        self.alterations = alterations
        piece.note(alterations)
    }

    /// The first frame was captured at this time, in CLOCK_MONOTONIC nanoseconds.
    func begin(hostTime: UInt64) {
        piece.begin(hostTime: hostTime)
    }

    /// Writes encoded samples. A failure ends this output, which keeps what it has; it is in the report.
    func write(_ samples: UnsafeRawBufferPointer) {
        let frames = samples.count / (4 * labels.form.channelCount)
        piece.write(samples, frames: frames)
        frameCount += frames
        if let failure = piece.failure { failed.withLock { $0 = $0 ?? failure } }
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
        guard case .file(let path) = output.destination, failure == nil, !piece.isEmpty else { return }
        let stem = PathStem(path)
        let nextPath =
            output.replacesExisting ? stem.path(pieceNumber + 1) : stem.firstFree(from: pieceNumber + 1)
        var next = output
        next.destination = .file(path: nextPath)
        do {
            let nextPiece = try OutputPiece(
                next, labels: labels, encoding: encoding, firstFrame: frameCount, alterations: alterations)
            nextPiece.begin(hostTime: hostTime)
            let report = piece.finish(serverAlterations: serverAlterations)
            finished.append(report)
            finishedPaths += piece.paths
            piece = nextPiece
            pieceNumber += 1
            broadcast.events.send(.newFile(path: nextPath, after: report))
        } catch {
            broadcast.events.send(.warning(.output(error)))
        }
    }

    /// Completes the output and says what its pieces hold.
    ///
    /// - Parameter serverAlterations: What the server did to the samples before they were captured.
    func finish(serverAlterations: [Alteration]) -> [OutputReport] {
        if piece.isEmpty, !finished.isEmpty {
            piece.discard()
            return finished
        }
        return finished + [piece.finish(serverAlterations: serverAlterations)]
    }

    /// Removes what the output created.
    func discard() {
        piece.discard()
        for path in finishedPaths { unlink(path) }
    }

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
        }
    }
}
