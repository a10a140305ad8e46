import ACCAudioRecorder
import Glibc

/// Runs a recording from start to report, displays it, and lets keys and signals control it.
struct RecordingRun {
    private(set) var configuration: ACCAudioRecorder.Configuration
    /// Empty if levels are only displayed.
    private(set) var outputs: [RecordingOutput]
    /// The time limit in seconds; nil for none.
    let limit: Double?
    /// When the recording ends by the clock, whether it has begun or not; nil if it does not.
    var end: Appointment?
    private(set) var mode: RecordingView.Mode
    let style: TerminalStyle
    /// The name of what is recorded, if there are several recordings at once.
    private(set) var input: String?
    /// What precedes each message, if there are several recordings at once.
    var label: String { input.map { "\($0): " } ?? "" }
    /// What shows it among the others; nil if nothing does.
    private(set) var row: RecordingRows.Row?
    /// The terminal with that row.
    private(set) var terminal: JobControl?
    /// Whether keys control the recording.
    private(set) var readsKeys: Bool
    /// Whether messages also report normal progress, such as the start of the recording.
    let isVerbose: Bool
    /// Whether to inhibit idle sleep; nil for "if available".
    let inhibitsSleep: Bool?
    var graph: LevelGraph?
    /// Whether the loudness is shown from the beginning.
    var showsLoudness = false
    /// The log that receives events for other programs.
    var events: EventLog?
    /// The programs to run for complete files.
    var execQueue: ExecQueue?
    /// Gets the state of the recording, for the service manager; nil if this process is no service.
    var health: ServiceHealth?
    /// The interval of level events in seconds; nil for none.
    var levelInterval: Double?
    /// Whether missing frames and clipped samples are a failure.
    var isStrict = false
    /// Gets everything that is recorded.
    var listener: (@Sendable (AudioBufferData) -> Void)?

    /// The length in seconds of the audio from before its start with which the recording begins; nil to start at once.
    var preRoll: Double?
    /// Whether the recorder is armed again after each take.
    var hasTakes = false

    /// How long before its time the source of a recording is opened, in seconds.
    private static let lead = 2.0

    /// The same of another recording, which runs beside others: without keys, and shown in a row at most.
    func recording(
        _ configuration: ACCAudioRecorder.Configuration, to outputs: [RecordingOutput], named input: String,
        row: RecordingRows.Row?, on terminal: JobControl
    ) -> RecordingRun {
        var run = self
        (run.configuration, run.outputs, run.input) = (configuration, outputs, input)
        (run.row, run.terminal) = (row, terminal)
        (run.mode, run.readsKeys, run.graph) = (.messages, false, nil)
        return run
    }

    /// What a recording leads to; the report is nil if the recorder gave none.
    typealias Outcome = (report: RecordingReport?, overview: LevelOverview)

    /// What a recording delivers to its run; no levels without events.
    typealias Streams = (
        levels: AsyncStream<RecordingLevels>?, events: AsyncStream<RecordingEvent>, listening: Task<Void, Never>?
    )

    /// Runs the recording to its end.
    ///
    /// - Parameters:
    ///   - appointment: When to begin; nil for now, or when the user starts a recording with a pre-roll.
    ///   - link: The link to the supervisor, if there is one.
    ///   - didBegin: Called twice with the start time: the planned one when the source opens, the actual one
    ///     afterwards.
    /// - Returns: The report and the level overview; nil if the user ended the wait for the appointment.
    func run(
        at appointment: Appointment? = nil, behind link: TerminalSupervisor.JobLink?, by signals: JobSignals,
        didBegin: (ClockReading) -> Void = { _ in }
    ) async throws -> Outcome? {
        let parts = await parts(behind: link, by: signals)
        defer { parts.ending.cancel() }
        let (recorder, view, controls, remote) = (parts.recorder, parts.view, parts.controls, parts.remote)
        let model = view.model
        health?.follow(recorder, model, waitsForApplication: configuration.recordsApplication)
        defer { health?.rest() }
        let leave = { @Sendable in
            await remote.end(nil)
            await controls.end()
        }
        let abandon = { @Sendable in await recorder.abandonStart() }
        // Before the program ends.
        let leaveAll = { @Sendable [terminal] in
            await leave()
            await terminal?.end()
        }

        let (levels, events, listening): Streams
        do {
            if let appointment {
                await controls.begin()
                await remote.begin()
                if isVerbose, appointment.remaining() > 0 { view.tell(appointment.announcement) }
                if view.showsUnrecordedLevels, appointment.remaining() > SourceMeter.lead {
                    Task { await showSource(in: view) }
                }
                var isWaiting = await controls.wait(for: appointment, lead: SourceMeter.lead)
                let meter = isWaiting && view.showsUnrecordedLevels ? SourceMeter(configuration, in: view) : nil
                if isWaiting {
                    isWaiting = await controls.wait(for: appointment, lead: max(Self.lead, 1 + (preRoll ?? 0)))
                }
                guard isWaiting else {
                    await leave()
                    return nil
                }
                didBegin(ClockReading.now.later(by: max(appointment.remaining(), 0)))
                try await signals.exitingIfEnded(abandon: abandon, leave: leaveAll) {
                    try await recorder.prepareRecording(keeping: .seconds(preRoll ?? 0))
                }
                guard await controls.wait(for: appointment, lead: 0) else {
                    await recorder.finishRecording()
                    await leave()
                    return nil
                }
                model.update { $0.start() }
                _ = consume meter
                didBegin(.now)
            } else if let preRoll {
                await controls.begin()
                await remote.begin()
                try await signals.exitingIfEnded(abandon: abandon, leave: leaveAll) {
                    try await recorder.prepareRecording(keeping: .seconds(preRoll))
                }
                let meter = view.showsUnrecordedLevels ? SourceMeter(configuration, in: view) : nil
                if isVerbose { view.tell(armedMessage(keeping: preRoll)) }
                guard await controls.waitForStart(keeping: preRoll) else {
                    await recorder.finishRecording()
                    await leave()
                    return nil
                }
                model.update { $0.start() }
                _ = consume meter
            }
            (levels, events, listening) = try await signals.exitingIfEnded(abandon: abandon, leave: leaveAll) {
                try await start(parts)
            }
        } catch {
            await leave()
            throw error
        }
        // Not earlier, because nothing may delay the first frame.
        let inhibitor = SleepInhibitor.begin(inhibitsSleep) { view.tell($0) }
        let telling = Task { await tell(levels) }
        await controls.begin()
        if !outputs.isEmpty { await remote.begin() }
        let report = await follow(events, of: recorder, view, remote, parts.levels, telling)
        await remote.end(report)
        _ = consume inhibitor
        await listening?.value
        await leave()
        return (report, view.overview)
    }

    /// Shows the source that the recording would use now, without opening it. If there is none, the recording says so.
    private func showSource(in view: RecordingView) async {
        guard configuration.inputs.count == 1, case .source = configuration.input,
            let choice = try? await ACCAudioRecorder.sourceList(for: configuration).choice.get()
        else { return }
        view.setFormat(of: choice.source, configuration, isOpen: false)
    }

    /// Starts the recording and keeps only the streams that are used, since released streams receive nothing.
    func start(_ parts: Parts) async throws -> Streams {
        let levels = parts.levels?.begin()
        let streams = try await parts.recorder.startRecording(to: outputs)
        let listening = listener.map { listener in
            Task { [buffers = streams.buffers] in
                for await buffer in buffers { listener(buffer) }
            }
        }
        return (levels, streams.events, listening)
    }

    /// Writes level events.
    func tell(_ levels: AsyncStream<RecordingLevels>?, take: Int? = nil) async {
        guard let levels, let events else { return }
        var levelEvents = EventRecord.LevelSeries(interval: levelInterval, take: take)
        for await level in levels {
            write(levelEvents.process(level), to: events)
        }
    }

    private func write(_ records: [EventRecord], to events: EventLog) {
        events.write(
            records.map { record in
                var record = record
                record.input = input
                return record
            })
    }

    /// Whether a file may become larger than its file system can hold.
    private func mayOutgrowItsDisk(_ output: RecordingOutput, recording source: AudioSource) -> Bool {
        guard let largest = output.fileSizeLimit?.byteCount else { return false }
        guard let limit, let resolved = try? configuration.resolve(output, from: source) else { return true }
        return limit * Double(resolved.bytesPerSecond) >= Double(largest)
    }

    /// Follows the recording to its end, reporting losses as they happen.
    ///
    /// - Parameter telling: Writes the levels that the relay passes on, all of them before the last event.
    func follow(
        _ stream: AsyncStream<RecordingEvent>, of recorder: ACCAudioRecorder, _ view: RecordingView,
        _ remote: RemoteControl, _ relay: LevelRelay?, _ telling: Task<Void, Never>, didOpenFile: () async -> Void = {}
    ) async -> RecordingReport? {
        // The last events arrive after the recording has ended, when its frame count is gone.
        var frame = 0
        var messages = RecordingMessages(reportsRoutine: isVerbose)
        let records = EventRecord.Series(isStrict: isStrict, take: view.model.state.takes?.number)
        var pauseMeter = PauseMeter(configuration, in: view)
        var isPaused = false
        /// An application whose first frame has not arrived.
        var pending: AudioSource?
        for await event in stream {
            if case .finished = event {
                relay?.end()
                await telling.value
            }
            frame = await recorder.currentFrameCount() ?? frame
            if let events { write(records.records(of: event, frame: frame), to: events) }
            await remote.publish(event, frame: frame)
            await execQueue?.receive(event) { view.tell($0) }
            switch event {
            case .opened(let source, _):
                // Of an application that plays nothing yet, only that the recording waits for it.
                if isVerbose, source.kind == .application {
                    pending = source
                } else if isVerbose {
                    tellStart(source, view)
                }
                view.setFormat(of: source, configuration)
            case .started:
                if let source = pending.take() { tellStart(source, view) }
            case .interrupted:
                pending = nil
            case .paused:
                isPaused = true
                if tellsPauses { view.tell(readsKeys ? "paused; space continues" : "paused") }
            case .resumed(let source):
                if tellsPauses, isPaused { view.tell("continues") }
                isPaused = false
                view.setFormat(of: source, configuration)
            case .outputEnded(let output, _):
                if case .descriptor(let number) = output.destination { redirectToNull(of: number) }
            default:
                break
            }
            if let message = messages.message(about: event) { view.tell(message) }
            view.model.receive(event)
            view.receive(event)
            pauseMeter.receive(event)
            if case .fileOpened = event { await didOpenFile() }
            if case .finished(let report) = event { return report }
        }
        relay?.end()
        return nil
    }

    /// Whether a pause is told in a line, since nothing else shows it.
    private var tellsPauses: Bool { isVerbose && mode == .progress }

    /// Says that the recording has begun, and what is special about it.
    private func tellStart(_ source: AudioSource, _ view: RecordingView) {
        let forms = outputs.filter { $0.container == .raw }
            .compactMap { try? configuration.resolve($0, from: source).description }
        let take = view.model.state.takes.map { "take \($0.number): " } ?? ""
        view.tell(take + startMessage(source, as: forms))
        if let limited = outputs.first(where: { mayOutgrowItsDisk($0, recording: source) })?.fileSizeLimit {
            let size = ByteText.short(limited.byteCount)
            view.tell("no file in '\(limited.directory)' can be larger than \(size): a new one begins before that")
        }
        if isEachFileOfAllInputs {
            view.tell(
                "each file has all sources; '-o mic.wav,input=\(configuration.inputs[0].name)' gives one source a file of its "
                    + "own, -o 'call-{input}.flac' each of them")
        }
        if configuration.inputs.count > 1 {
            view.tell("aligning the sources; their levels appear in some five seconds, and nothing is lost")
        }
    }

    /// That the recording waits, and what starts it.
    private func armedMessage(keeping preRoll: Double) -> String {
        let isBySound = configuration.soundActivation?.startsRecording == true
        let starts = [isBySound ? "a sound" : nil, readsKeys ? "space" : nil].compactMap(\.self)
        let list = starts.isEmpty ? "" : starts.joined(separator: ", ") + " or "
        return "armed, keeps the last \(TimeText.length(preRoll)); \(list)'accrec ctl start' records"
    }

    /// Whether two files will have the same tracks in the same form, which is rarely meant.
    private var isEachFileOfAllInputs: Bool {
        guard configuration.inputs.count > 1, configuration.inputLayout == .tracks else { return false }
        let whole = outputs.filter { $0.input == nil }
        return whole.indices.contains { index in
            whole[..<index].contains {
                $0.container == whole[index].container && $0.format == whole[index].format
            }
        }
    }

    /// What is recorded, and what stops it: on a terminal in one line, where a long name is shortened.
    private func startMessage(_ source: AudioSource, as forms: [String]) -> String {
        // A process in the background gets no Ctrl-C.
        let isForeground = StandardError.isTerminal && TerminalMode.isForeground(STDERR_FILENO)
        let stops =
            hasTakes
            ? "space, SIGUSR2 or 'accrec ctl stop' ends it"
            : (isForeground ? "Ctrl-C" : "'accrec ctl stop'") + " stops" + (end.map { ", or \($0.dateAndTime)" } ?? "")
        let form = "(\(source.sampleSpec.shortDescription))"
        let rest = forms.map { " as \($0)" }.joined(separator: ",") + "; \(stops)"
        var name = source.description
        if isForeground {
            let room =
                StandardError.window.columns - 1 - "accrec: \(label)recording from '' \(form)\(rest)".displayWidth
            name = PrintableText.line(name, isUTF8: style.isUTF8)
                .shortened(to: max(room, Self.shortestName), style.glyphs.ellipsis)
        }
        return "recording from '\(name)' \(form)\(rest)"
    }

    /// The fewest columns that the name of a source gets.
    private static let shortestName = 12

    /// Redirects a descriptor to /dev/null, so that its reader sees the end while the recording continues elsewhere.
    private func redirectToNull(of descriptor: Int32) {
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        dup2(nowhere, descriptor)
        close(nowhere)
    }
}

extension ACCAudioRecorder.Configuration {
    /// Whether an application is recorded, which may play nothing.
    var recordsApplication: Bool {
        inputs.contains { input in if case .application = input { true } else { false } }
    }
}

extension Appointment {
    /// When the recording begins, as a message.
    fileprivate var announcement: String {
        "recording begins at \(dateAndTime), in \(TimeText.rough(remaining())); Ctrl-C cancels"
    }

    /// Its date and time, by the clock as it is now. The second is that of a file name: cut off, but for what the calculation
    /// is inexact by.
    fileprivate var dateAndTime: String {
        TimeText.dateAndTime(of: Int(ClockReading.now.wallTime + remaining() + 0.001))
    }
}
