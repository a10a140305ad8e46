import ACCAudioRecorder
import Glibc

extension BatchTake {
    /// One attempt at a take of a batch, from start to result.
    struct Attempt {
        let take: BatchTake
        let recorder: ACCAudioRecorder
        /// The files that it may replace: those that earlier attempts at the take have left.
        let replaceable: Set<FileVersion>
        let view: RecordingView
        /// The programs to run for complete files.
        let execQueue: ExecQueue?

        /// Runs the attempt to its end.
        ///
        /// - Parameters:
        ///   - isEnding: Whether the batch is ending. Called after the start and at the end.
        ///   - tell: Receives problems as they occur.
        func run(
            isEnding: @Sendable () async -> Bool, tell: @escaping @Sendable (String) -> Void
        ) async -> BatchTake.Outcome {
            do {
                if let duration = take.duration { await recorder.setTimeLimit(maxDuration: duration) }
                await view.follow(recorder)
                let outputs = take.outputs(replacing: replaceable)
                let events = try await recorder.startRecording(to: outputs).events
                let remote = RemoteControl(
                    recorder, view.model, outputs: outputs, isStrict: take.isStrict, tell: { [view] in view.tell($0) }
                ) { [recorder] in
                    await recorder.finishRecording()
                }
                await remote.begin()
                // Not awaited, because the end of the take arrives through the events.
                if await isEnding() { Task { [recorder] in await recorder.finishRecording() } }
                let report = await follow(events, tell, remote)
                await remote.end(report)
                let outcome = take.checked(outcome(of: report, isEnding: await isEnding()))
                // Its files are those of the take, and complete, only now.
                if outcome.status == .recorded, let report { await execQueue?.receive(.finished(report), tell: tell) }
                return outcome
            } catch {
                return BatchTake.Outcome(
                    status: await isEnding() ? .interrupted : .failed, message: ErrorText.line(error),
                    isFinal: error.failure?.reason == .fileExists)
            }
        }

        private func follow(
            _ events: AsyncStream<RecordingEvent>, _ tell: @escaping @Sendable (String) -> Void, _ remote: RemoteControl
        ) async -> RecordingReport? {
            // The last events arrive after the recording has ended, when its frame count is gone.
            var frame = 0
            var messages = RecordingMessages(reportsRoutine: false)
            var pauseMeter = PauseMeter(take.configuration, in: view)
            for await event in events {
                if case .opened(let source, _) = event { view.setFormat(of: source, take.configuration) }
                if let message = messages.message(about: event) { tell(message) }
                view.model.receive(event)
                view.receive(event)
                pauseMeter.receive(event)
                frame = await recorder.currentFrameCount() ?? frame
                await remote.publish(event, frame: frame)
                if case .finished(let report) = event { return report }
            }
            return nil
        }

        private func outcome(of report: RecordingReport?, isEnding: Bool) -> BatchTake.Outcome {
            guard let report else { return BatchTake.Outcome(status: isEnding ? .interrupted : .failed) }
            if report.failures.isEmpty,
                take.isComplete(by: ResultRecord.Prior(report, of: take))
            {
                guard ExitStatus(report, isStrict: take.isStrict) == .notPerfect else {
                    return BatchTake.Outcome(status: .recorded, report: report)
                }
                let message = "frames are missing or samples clipped (--strict)"
                return BatchTake.Outcome(status: .failed, message: message, report: report)
            }
            guard !isEnding else { return BatchTake.Outcome(status: .interrupted, report: report) }
            let cause = report.failures.last.map { ErrorText.line($0) }
            return BatchTake.Outcome(
                status: .failed, message: cause ?? "ended early",
                report: report)
        }
    }
}

extension RecordingView {
    /// - Parameter count: The number of takes in the batch.
    convenience init(of take: BatchTake, among count: Int, mode: Mode, _ display: DisplayOptions) {
        self.init(
            of: RecordingModel(
                RecordingProgress(
                    outputs: take.outputs, longestWait: take.configuration.interruptions.timeout,
                    alignsSources: take.configuration.inputs.count > 1)),
            limit: take.duration, mode: mode, style: display.style, outputs: take.outputs,
            prefix: "\(take.number)/\(count) ", graph: display.history ? LevelGraph() : nil,
            showsLoudness: display.loudness)
    }
}

extension BatchTake {
    /// Whether its files are complete, which reads them.
    ///
    /// - Parameter result: The recorded result of the take. For a take that was ended by hand only this says how long it is.
    func isComplete(by result: ResultRecord.Prior?) -> Bool { outputs.allSatisfy { isComplete($0, by: result) } }

    private func isComplete(_ output: RecordingOutput, by result: ResultRecord.Prior?) -> Bool {
        guard case .file(let path) = output.destination else { return false }
        let output = configuration.completing(output)
        let rate = output.format.sampleRate.value
        let selected = configuration.channels.numbers
        let isSelected = !selected.isEmpty && configuration.inputs.count == 1
        let channels = output.format.channelCount.value ?? (isSelected ? UInt32(selected.count) : nil)
        let reported = result?.output(at: path)
        guard output.container != .raw else {
            guard let size = Self.size(ofFile: path) else { return false }
            // Raw samples store neither their rate nor their encoding.
            guard let rate, let channels, let encoding = output.format.encoding.value,
                let frames = frames(at: rate, reported)
            else { return size == reported?.bytes }
            // The frame count may come from a damaged results file and can have any value.
            let (frameCount, rest) = size.quotientAndRemainder(dividingBy: Int(channels) * encoding.bytesPerSample)
            return frameCount == frames && rest == 0
        }
        return isComplete(path, rate: rate, channels: channels, reported)
    }

    /// Whether a file with a header is complete.
    ///
    /// - Parameters:
    ///   - rate: The expected sample rate in Hz; nil for any.
    ///   - channels: The expected channel count; nil for any.
    private func isComplete(_ path: String, rate: Double?, channels: UInt32?, _ reported: ResultRecord.Prior.Output?)
        -> Bool
    {
        do {
            var file = try SoundFileReader(path: path)
            return file.canReadLastFrame() && file.frameCount == frames(at: file.sampleRate, reported)
                && file.sampleRate == rate ?? file.sampleRate && file.channelCount == channels ?? file.channelCount
        } catch {
            // The file is missing or not readable.
            return false
        }
    }

    /// The number of frames that a file of that rate must have, or nil if unknown.
    private func frames(at rate: Double, _ reported: ResultRecord.Prior.Output?) -> Int? {
        guard let duration = duration, !endsByKey else { return reported?.frames }
        // With outputs of several rates, the rate of the take determines its length.
        let own = configuration.effectiveFormat.sampleRate.value ?? rate
        return Int(((duration * own).rounded() * rate / own).rounded())
    }

    private static func size(ofFile path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
