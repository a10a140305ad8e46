import ACCAudioRecorder

/// What became of a take, for programs: the last event, and what `accrec record --report` writes.
struct ReportRecord: Encodable, Sendable {
    struct Gap: Encodable, Sendable {
        /// The frame before which frames are missing, at the rate of what it is a gap of.
        let frame: Int
        let framesLost: Int
        let secondsLost: Double
        let reason: String
        let isFilled: Bool

        init(_ gap: RecordingGap) {
            frame = gap.position
            framesLost = gap.framesLost
            secondsLost = gap.duration
            reason = gap.cause.name
            isFilled = gap.isFilled
        }
    }

    struct Output: Encodable, Sendable {
        /// Nil for a descriptor.
        let path: String?
        let container: String
        let encoding: String?
        let sampleRate: Int
        let channels: Int
        let channelMap: [String]
        let firstFrame: Int
        let frames: Int
        let seconds: Double
        let bytes: Int
        let isBitExact: Bool
        let alterations: [String]
        let gaps: [Gap]
        let failure: String?

        init(_ output: OutputReport) {
            path = output.path
            container = "\(output.output.container)"
            encoding = output.output.encoding?.rawValue
            sampleRate = output.sampleRate
            channels = output.channelCount
            channelMap = output.channelMap.positions.map(\.rawValue)
            firstFrame = output.firstFrame
            frames = output.frameCount
            seconds = output.duration
            bytes = output.byteCount
            isBitExact = output.alterations.isEmpty
            alterations = output.alterations.map(\.description)
            gaps = output.gaps.map(Gap.init)
            failure = output.failure.map { "\($0)" }
        }
    }

    /// `finished`, `limit`, `discarded` or `failed`.
    let ending: String
    let failure: String?
    /// What the program ends with.
    let exitStatus: Int32
    let source: StreamSourceRecord
    let sampleRate: Int
    let channels: Int
    let frames: Int
    let seconds: Double
    let framesLost: Int
    let gaps: [Gap]
    let levels: [LevelRecord]
    let clipped: Int
    let outputs: [Output]

    init(_ report: RecordingReport, isStrict: Bool) {
        var failure: ACCAudioRecorderError?
        switch report.ending {
        case .finished: ending = "finished"
        case .limitReached: ending = "limit"
        case .discarded: ending = "discarded"
        case .failed(let error):
            ending = "failed"
            failure = error
        }
        self.failure = failure.map { "\($0)" }
        exitStatus = ExitStatus(report, isStrict: isStrict).rawValue
        source = StreamSourceRecord(report.source)
        sampleRate = report.sampleRate
        channels = report.channelCount
        frames = report.frameCount
        seconds = report.duration
        framesLost = report.framesLost
        gaps = report.gaps.map(Gap.init)
        levels = report.levels.map(LevelRecord.init)
        clipped = report.clippedCount
        outputs = report.outputs.map(Output.init)
    }
}
