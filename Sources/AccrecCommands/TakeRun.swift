import ACCAudioRecorder
import Glibc

/// The course of one take, from its start to its report, as it is shown and steered.
struct TakeRun {
    let configuration: ACCAudioRecorder.Configuration
    /// Where it goes; empty where levels are only looked at.
    let outputs: [RecordingOutput]
    let limit: TakeLength?
    let mode: DisplayMode
    let style: TerminalStyle
    /// Whether keys steer it.
    let readsKeys: Bool
    /// Whether it is told that the take has started, and what else goes as it was asked to.
    let isGreeted: Bool
    /// Whether idle sleep is held off; nil for where that can be done.
    let inhibitsSleep: Bool?
    var graph: LevelGraph?
    /// Where programs are told what happens.
    var events: EventLog?
    /// How often levels are among that, in seconds; nil for never.
    var levelInterval: Double?
    /// Whether frames that are missing and samples that are clipped are a failure.
    var isStrict = false

    /// Opens the source, so that the start costs nothing.
    ///
    /// - Returns: What it is to be run with.
    func prepare() async throws -> ACCAudioRecorder {
        let recorder = ACCAudioRecorder(configuration: configuration)
        try await recorder.prepareRecording()
        return recorder
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - recorder: The one that was prepared, if one was.
    ///   - link: To the process in front, where there is one.
    /// - Returns: The report, and the level over the length of the take.
    func run(
        _ recorder: ACCAudioRecorder? = nil, behind link: FrontLink?, by signals: JobSignals
    ) async throws -> (
        report: RecordingReport?, picture: LevelPicture
    ) {
        let recorder = recorder ?? ACCAudioRecorder(configuration: configuration)
        if let limit { await recorder.setTimeLimit(maxDuration: limit.seconds) }
        let requests = signals.requests
        let view = TakeView(limit: limit?.seconds, mode: mode, style: style, outputs: outputs, graph: graph)
        await view.follow(recorder)
        let controls = TakeControls(recorder, view: view, link: link, readsKeys: readsKeys)

        let (levels, events) = try await start(recorder)
        // Only now, for the first frame waits for nothing.
        let inhibitor = SleepInhibitor.begin(inhibitsSleep) { view.tell($0) }
        let telling = Task { await tell(levels, of: recorder) }
        await controls.begin(requests, isEnding: signals.isEnding)
        let report = await follow(events, of: recorder, view)
        _ = consume inhibitor
        await telling.value
        await controls.end()
        return (report, view.picture)
    }

    /// Starts, and keeps of the first subscription just what is looked at: a stream that nobody holds is not
    /// fed.
    private func start(
        _ recorder: ACCAudioRecorder
    ) async throws -> (levels: AsyncStream<RecordingLevels>?, events: AsyncStream<RecordingEvent>) {
        let streams = try await recorder.startRecording(to: outputs)
        return (events == nil ? nil : streams.levels, streams.events)
    }

    /// Tells programs how loud the take is.
    private func tell(_ levels: AsyncStream<RecordingLevels>?, of recorder: ACCAudioRecorder) async {
        guard let levels, let events else { return }
        var told = LevelEvents(interval: levelInterval)
        for await level in levels {
            guard let frame = await recorder.currentFrameCount() else { continue }
            events.write(told.take(level, frame: frame))
        }
    }

    /// Follows the take to its end, telling at once what is lost.
    private func follow(
        _ stream: AsyncStream<RecordingEvent>, of recorder: ACCAudioRecorder, _ view: TakeView
    ) async -> RecordingReport? {
        // What is told of the end comes when there is no recording any more.
        var frame = 0
        for await event in stream {
            if let events {
                frame = await recorder.currentFrameCount() ?? frame
                events.write(EventRecord.records(of: event, frame: frame, isStrict: isStrict))
            }
            switch event {
            case .started(let source):
                if isGreeted {
                    view.tell(
                        "recording from '\(source.description)' (\(source.sampleSpec)). Ctrl-C ends the take.")
                }
                view.note(form(of: source))
            case .resumed(let source):
                view.note(form(of: source))
            case .outputEnded(let output, _):
                if case .descriptor(let number) = output.destination { letGo(of: number) }
            default:
                break
            }
            let told = EventText(event: event)
            if let notice = told.text, isGreeted || !told.isRoutine { view.tell(notice) }
            view.take(event)
            if case .finished(let report) = event { return report }
        }
        return nil
    }

    /// Lets whoever still reads there see the end of it, while the take goes on elsewhere.
    private func letGo(of descriptor: Int32) {
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        dup2(nowhere, descriptor)
        close(nowhere)
    }

    private func form(of source: AudioSource) -> FormatText {
        FormatText(configuration: configuration, output: outputs.first, source: source)
    }
}
