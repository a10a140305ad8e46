import FoundationEssentials

/// The result of one output of a recording.
///
/// In JSON a report is an object with the keys of its ``RecordingOutput``, `channel_map`, `first_frame`, `frames`, `seconds`,
/// `bytes`, `files` where it is of several, `is_bit_exact`, `alterations` for people and `processing_steps` for programs, `gaps`, and, if it ended early,
/// `failure` for people and `error` for programs.
public struct OutputReport: Sendable, Hashable {
    /// The output as requested, with the settings taken from the source filled in.
    public private(set) var output: RecordingOutput
    /// The sample rate in Hz.
    public let sampleRate: Double
    /// The position of each sample in a frame.
    public let channelMap: ChannelMap
    /// The number of the file's first frame in the output: 0, or more after a cut.
    public private(set) var firstFrame: Int
    /// The number of whole frames written.
    public private(set) var frameCount: Int
    /// The number of files: 1, also for a pipe, or more where a long list has one report for those in its middle.
    public internal(set) var fileCount = 1
    /// Where frames are missing in this output alone; usually empty.
    private(set) var losses: [Loss]
    /// The size of the file, or of the data written to the pipe, in bytes.
    public private(set) var byteCount: Int
    /// The steps that changed samples on the way from the source.
    public private(set) var processingSteps: [ProcessingStep]
    /// The error that ended the output before the recording; nil if it reached the end.
    public private(set) var failure: ACCAudioRecorderError?
    /// What the output created: the file, and its marker sidecar if there is one. Empty for a pipe, and for a file that
    /// could not be completed.
    package var versions: [FileVersion] = []
    /// Whether the file is to replace an older one at the end of the recording, and has another name until then.
    package var isProvisional = false
    /// Whether an event has told, while the recording went on, that the file is complete and has its last name.
    package var isTold = false

    init(
        output: RecordingOutput, sampleRate: Double, channelMap: ChannelMap, firstFrame: Int, frameCount: Int,
        losses: [Loss], byteCount: Int, processingSteps: [ProcessingStep], failure: ACCAudioRecorderError?
    ) {
        self.output = output
        self.sampleRate = sampleRate
        self.channelMap = channelMap
        self.firstFrame = firstFrame
        self.frameCount = frameCount
        self.losses = losses
        self.byteCount = byteCount
        self.processingSteps = processingSteps
        self.failure = failure
    }

    /// Creates a report without losses, for tests of code that receives reports.
    ///
    /// - Parameters:
    ///   - output: The output as requested.
    ///   - sampleRate: In Hz.
    ///   - channelMap: The position of each sample in a frame.
    ///   - firstFrame: The number of the file's first frame in the output.
    ///   - frameCount: The number of whole frames written.
    ///   - byteCount: The size of the file in bytes.
    ///   - processingSteps: The steps that changed samples on the way from the source.
    ///   - failure: The error that ended the output before the recording.
    public init(
        output: RecordingOutput, sampleRate: Double, channelMap: ChannelMap, firstFrame: Int = 0, frameCount: Int,
        byteCount: Int, processingSteps: [ProcessingStep] = [], failure: ACCAudioRecorderError? = nil
    ) {
        self.init(
            output: output, sampleRate: sampleRate, channelMap: channelMap, firstFrame: firstFrame,
            frameCount: frameCount, losses: [], byteCount: byteCount, processingSteps: processingSteps,
            failure: failure)
    }

    /// Adds frames that are missing after the last one.
    mutating func append(_ loss: Loss) {
        Loss.list(loss, in: &losses)
    }

    /// Follows the file to another path.
    mutating func follow(to path: String) {
        output.destination = .file(path: path)
    }

    /// Whether the output has the source's samples bit for bit, without a loss.
    public var isBitExact: Bool { processingSteps.isEmpty && losses.isEmpty }

    /// The path of the file; nil for a descriptor.
    public var path: String? {
        if case .file(let path) = output.destination { path } else { nil }
    }

    /// Samples per frame.
    public var channelCount: UInt32 { channelMap.channelCount }
}

extension OutputReport {
    /// The report of a file as that of several, whose paths are not listed.
    ///
    /// - Parameter destination: That of the output.
    func unlisted(of destination: RecordingOutput.Destination) -> OutputReport {
        var report = self
        if case .file(let path) = destination {
            // An escaped path is a pattern.
            let pattern = try? FilePattern(PathStem(FilePattern.escaped(path)).path(suffix: "-{n}"))
            if let pattern { report.output.destination = .pattern(pattern) }
        } else {
            report.output.destination = destination
        }
        (report.versions, report.isTold) = ([], true)
        return report
    }

    /// Adds the next file of the same output.
    mutating func join(_ next: OutputReport) {
        for loss in next.losses { append(loss.moved(by: next.firstFrame - firstFrame)) }
        (fileCount, frameCount) = (fileCount + next.fileCount, frameCount + next.frameCount)
        byteCount += next.byteCount
        processingSteps += next.processingSteps.filter { !processingSteps.contains($0) }
        failure = failure ?? next.failure
    }

    /// Takes a file out, which was removed.
    ///
    /// - Parameter isFirst: Whether it is the first one.
    mutating func leaveOut(frames: Int, bytes: Int, isFirst: Bool) {
        (fileCount, frameCount, byteCount) = (fileCount - 1, frameCount - frames, byteCount - bytes)
        guard isFirst else { return }
        firstFrame += frames
        losses = losses.filter { $0.position >= frames }.map { $0.moved(by: -frames) }
    }

    /// A place where one output lacks frames.
    struct Loss: Sendable, Hashable {
        enum Shortage: Sendable, Hashable, CustomStringConvertible {
            /// The output was written too slowly.
            case tooSlow
            /// The next file could not be created.
            case noFile

            var description: String {
                switch self {
                case .tooSlow: "the output was too slow"
                case .noFile: "the file could not be created"
                }
            }
        }

        /// The frame of the file before which frames are missing.
        let position: Int
        let frameCount: Int
        /// Whether the gap is filled with silence.
        let isFilled: Bool
        let cause: Shortage
        /// In how many frames before `position` they may be missing, and in how many places: more than one where the last loss of a
        /// long list stands for all that followed.
        var span = 0
        var count = 1

        /// The most that are listed one by one.
        private static let mostLosses = 4_096

        /// Adds a loss to a list.
        static func list(_ loss: Loss, in losses: inout [Loss]) {
            guard losses.count >= mostLosses, let last = losses.popLast() else { return losses.append(loss) }
            losses.append(
                Loss(
                    position: loss.position, frameCount: last.frameCount + loss.frameCount,
                    isFilled: last.isFilled && loss.isFilled, cause: last.cause,
                    span: loss.position - last.position + last.span, count: last.count + loss.count))
        }

        /// The loss of a file that does not begin with the frame 0.
        func moved(by frames: Int) -> Loss {
            Loss(
                position: position + frames, frameCount: frameCount, isFilled: isFilled, cause: cause, span: span,
                count: count)
        }

        /// The text of a marker for a number of lost frames.
        static func label(of frames: Int, at sampleRate: Int, isFilled: Bool, _ cause: Shortage) -> String {
            GapLabel(seconds: Double(frames) / Double(sampleRate), isFilled: isFilled, cause: cause.description).text
        }
    }
}

extension OutputWriter {
    /// A message from an output during a recording.
    enum Notice: Sendable {
        /// The output continues in a new file at this path. The report is that of the previous one, which is complete;
        /// nil if there was none for a while.
        case fileOpened(path: String, after: OutputReport?)
        /// The output's file is complete, and there is no next one yet.
        case fileClosed(OutputReport)
        /// A file was removed, because it exceeded a bound of the policy.
        case fileRemoved(path: String, bound: RetentionPolicy.Bound)
        /// The output ended, because writing to it failed.
        case ended(RecordingOutput, ACCAudioRecorderError)
        /// The output lacks frames.
        case lost(RecordingOutput, OutputReport.Loss, sampleRate: Int)
        /// The output failed to do something, and continues without it.
        case warning(ACCAudioRecorderError)
        /// The output's disk has room for only this many more seconds.
        case diskFilling(RecordingOutput, seconds: Int)
        /// The output's disk has room for this many seconds, which is less than the recording's limit.
        case diskTooSmall(RecordingOutput, seconds: Int, limit: Int)
        /// The output is this many seconds behind, which is most of its limit.
        case behind(RecordingOutput, seconds: TimeInterval, limit: TimeInterval)
        /// The output has reached its limit, and frames are dropped.
        case dropping(RecordingOutput, limit: TimeInterval)
        /// The output's container cannot describe its channel order.
        case channelsMisplaced(RecordingOutput, ChannelMap)
    }
}
