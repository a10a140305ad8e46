/// Creates outputs from a recording's configuration, and translates their notices into events.
extension OutputWriter {
    /// Creates an output.
    ///
    /// - Parameters:
    ///   - configuration: The recording's configuration.
    ///   - broadcast: Receives new files and failures as events.
    ///   - preRollLength: The length in seconds of what was captured before the start, and comes all at once.
    ///   - startTime: When the recording begins, in CLOCK_MONOTONIC nanoseconds; nil for now.
    convenience init(
        _ resolved: ResolvedOutput, for source: AudioSource,
        configuration: ACCAudioRecorder.Configuration = .init(), broadcast: RecordingBroadcast,
        preRollLength: Double = 0, startTime: UInt64? = nil
    ) throws(ACCAudioRecorderError) {
        var context = OutputContext(of: source, recordedAs: resolved.form, by: configuration)
        (context.preRollLength, context.startTime) = (preRollLength, startTime)
        try self.init(resolved, context: context) {
            broadcast.events.send(RecordingEvent($0))
        }
    }
}

extension OutputContext {
    /// What outputs are told, except for when the recording begins.
    init(of source: AudioSource, recordedAs form: StreamFormat, by configuration: ACCAudioRecorder.Configuration) {
        self.init(
            sourceName: source.name, sourceDescription: source.description, sourceSpec: source.sampleSpec,
            policies: configuration.policies, keepsChannelOrder: configuration.selectsOrder(of: form),
            heldFiles: configuration.heldFiles, usedNumbers: configuration.usedNumbers)
    }
}

extension RecordingEvent {
    /// The event for an output's notice.
    init(_ notice: OutputWriter.Notice) {
        switch notice {
        case .fileOpened(let path, let report): self = .fileOpened(path: path, after: report)
        case .fileClosed(let report): self = .fileClosed(report)
        case .fileRemoved(let path, let bound): self = .fileRemoved(path: path, bound: bound)
        case .ended(let output, let error): self = .outputEnded(output, error: error)
        case .lost(let output, let loss, let sampleRate):
            self = .outputGap(output, gap: RecordingGap(loss, sampleRate: Double(sampleRate)))
        case .warning(let error): self = .warning(.output(error))
        case .diskFilling(let output, let seconds):
            self = .warning(.diskFilling(output.destination.description, room: .seconds(seconds)))
        case .diskTooSmall(let output, let seconds, let limit):
            self = .warning(
                .diskTooSmall(output.destination.description, room: .seconds(seconds), limit: .seconds(limit)))
        case .behind(let output, let seconds, let limit):
            self = .warning(
                .outputBehind(
                    output.destination.description, delay: .limited(seconds: seconds), limit: .limited(seconds: limit),
                    policy: output.overflowPolicy))
        case .dropping(let output, let limit):
            self = .warning(.outputDropping(output.destination.description, limit: .limited(seconds: limit)))
        case .channelsMisplaced(let output, let map):
            self = .warning(.channelsMisplaced(output.destination.description, map: map, container: output.container))
        }
    }
}
