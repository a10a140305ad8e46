import ACCAudioRecorder

/// The report of a take as JSON: the last event, and the content of `accrec record --report`.
struct ReportRecord: Encodable, Sendable {
    struct Gap: Encodable, Sendable {
        /// The frame before which frames are missing, at the rate of the recording or output that has the gap.
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
            isBitExact = output.isBitExact
            alterations = output.processingSteps.map(\.description)
            gaps = output.gaps.map(Gap.init)
            failure = output.failure.map { ErrorText.line($0) }
        }
    }

    /// `finished`, `limit`, `discarded` or `failed`.
    let ending: String
    let failure: String?
    /// The program's exit status.
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
    let nonFinite: Int
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
        self.failure = failure.map { ErrorText.line($0) }
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
        nonFinite = report.nonFiniteCount
        outputs = report.outputs.map(Output.init)
    }
}

/// The source of a recording, as in events and reports.
struct StreamSourceRecord: Encodable, Sendable {
    let name: String
    let description: String
    let sampleFormat: String
    let sampleRate: Int
    let channels: Int
    let port: String?

    init(_ source: AudioSource) {
        name = source.name
        description = source.description
        sampleFormat = source.sampleSpec.format.pulseName
        sampleRate = source.sampleSpec.sampleRate
        channels = source.sampleSpec.channelCount
        port = source.port
    }
}

/// The level of a channel, in dBFS.
struct LevelRecord: Encodable, Sendable {
    let peak: Float
    let rms: Float
    /// Samples at full scale.
    let clipped: Int

    init(_ level: ChannelLevel) {
        peak = level.peakDecibels
        rms = level.rmsDecibels
        clipped = level.clippedCount
    }
}
