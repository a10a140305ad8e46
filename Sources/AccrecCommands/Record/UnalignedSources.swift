import ACCAudioRecorder
import Glibc

/// Several sources that are recorded at once without being aligned: each as if it were alone, bit for bit, into files of its own.
/// The report says when their frames were captured, so that somebody else can align them.
struct UnalignedSources {
    /// One of them.
    struct Source: Sendable {
        let name: String
        let configuration: ACCAudioRecorder.Configuration
        let outputs: [RecordingOutput]
    }

    let sources: [Source]

    /// - Parameters:
    ///   - configuration: That of all sources together.
    ///   - outputs: Each has the input that it is for.
    init(_ configuration: ACCAudioRecorder.Configuration, to outputs: [RecordingOutput]) {
        sources = configuration.inputs.map { input in
            let files = outputs.filter { $0.input == input.name }.map { output in
                var output = output
                output.input = nil
                return output
            }
            return Source(name: input.name, configuration: configuration.recording(input), outputs: files)
        }
    }

    /// What one of them led to; nil if the recording was ended before it began.
    typealias Outcome = Result<RecordingRun.Outcome?, any Error>

    /// Records all of them to their ends. One that cannot be recorded does not end the others. On a terminal, each has a row.
    ///
    /// - Parameters:
    ///   - run: Would record all of them.
    ///   - appointment: When to begin; nil for now, or when the user starts them.
    /// - Returns: What each led to, in their order, and when it began; nil if it did not.
    func run(
        for run: RecordingRun, at appointment: Appointment?, behind link: TerminalSupervisor.JobLink?,
        by signals: JobSignals
    ) async -> [(source: Source, outcome: Outcome, begin: ClockReading?)] {
        let rows = RecordingRows(of: sources.map(\.name), style: run.style)
        let job = JobControl(rows, signals.requests, link: link, readsKeys: run.readsKeys) {
            "recording goes on; 'fg' brings the meter back"
        }
        await job.begin { key in
            // Each recording obeys, as it obeys a signal.
            if let request = RecordingRows.keys[key] { signals.tell(request) }
        } obey: { _ in
        }
        let isShown = run.mode == .meter
        if isShown { await job.acquireTerminal() }
        let tasks = sources.enumerated().map { index, source in
            Task {
                var own = run.recording(
                    source.configuration, to: source.outputs, named: source.name,
                    row: isShown ? .init(rows: rows, index: index) : nil, on: job)
                if index > 0 { own.health = nil }
                var begin: ClockReading?
                let outcome: Outcome
                do {
                    outcome = .success(try await own.run(at: appointment, behind: nil, by: signals) { begin = $0 })
                } catch {
                    outcome = .failure(error)
                }
                return (outcome, begin)
            }
        }
        var ends: [(source: Source, outcome: Outcome, begin: ClockReading?)] = []
        for (source, task) in zip(sources, tasks) {
            let (outcome, begin) = await task.value
            ends.append((source, outcome, begin))
        }
        await job.end()
        return ends
    }
}

extension RecordingRows: JobControl.Screen {
    func show(hasKeys: Bool) { show(hasKeys ? Self.keys.helpTexts : []) }

    /// What keys do, for all recordings at once.
    static let keys = KeyTable<JobSignals.Request>([
        .init(" ", named: "space", does: .pauseOrResume, help: "pause"), .init("m", does: .mark, help: "mark"),
        .init("s", does: .split, help: "split"), .init("q", does: .finish(SIGINT), help: "finish"),
    ])
}

/// The report of one of several sources that were not aligned: `ReportRecord` with the name of the source.
struct UnalignedReport: Encodable, Sendable {
    let input: String
    let record: ReportRecord

    private enum CodingKeys: CodingKey {
        case input
    }

    func encode(to encoder: any Encoder) throws {
        try record.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(input, forKey: .input)
    }
}
