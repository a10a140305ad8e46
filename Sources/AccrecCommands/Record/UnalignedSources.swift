import ACCAudioRecorder

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
            var own = configuration
            own.inputs = [input]
            own.selectedChannels = configuration.inputSettings[input]?.selectedChannels ?? []
            if own.selectedChannels.isEmpty { own.selectedChannels = configuration.selectedChannels }
            own.inputSettings = [:]
            let files = outputs.filter { $0.input == input.name }.map { output in
                var output = output
                output.input = nil
                return output
            }
            return Source(name: input.name, configuration: own, outputs: files)
        }
    }

    /// What one of them led to; nil if the recording was ended before it began.
    typealias Outcome = Result<RecordingRun.Outcome?, any Error>

    /// Records all of them to their ends. One that cannot be recorded does not end the others.
    ///
    /// - Parameter run: Records one; the first may have the terminal.
    /// - Returns: What each led to, in their order.
    func run(
        _ run: @escaping @Sendable (_ source: Source, _ isFirst: Bool) async throws -> RecordingRun.Outcome?
    ) async -> [(source: Source, outcome: Outcome)] {
        let tasks = sources.enumerated().map { number, source in Task { try await run(source, number == 0) } }
        var outcomes: [(source: Source, outcome: Outcome)] = []
        for (source, task) in zip(sources, tasks) { outcomes.append((source, await task.result)) }
        return outcomes
    }
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
