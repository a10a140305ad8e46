import ACCAudioRecorder
import ArgumentParser
import Glibc

/// `accrec batch`: records the takes that a manifest lists.
struct BatchCommand: JobCommand, DefaultedCommand, HelpfulCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Record the takes listed in a manifest.",
        discussion: """
            A manifest is TOML (a [[take]] table for each take), CSV (a row each, below a header) or JSON Lines (an \
            object each). Its keys are the long options of 'accrec record', such as output, device, rate and channels; \
            and duration, tags, prompt, start, count and pause. Everything is checked before the first take.

            Most options of 'accrec record' may be given here too, and apply to each take that does not set them. \
            'man accrec-batch' has examples of manifests.
            """)

    @Argument(help: "The manifest: .toml, .csv or .jsonl.", completion: .file(extensions: ["toml", "csv", "jsonl"]))
    var manifest: String

    @OptionGroup(title: "Batch") var runOptions: BatchRun.Options
    @OptionGroup var take: RecordingOptions.Shared
    @OptionGroup(title: "Display") var display: DisplayOptions
    @OptionGroup(title: "Defaults") var defaults: DefaultsOptions

    /// The same command without the options of 'accrec record', which have a help of their own.
    private struct Contents: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "batch", abstract: BatchCommand.configuration.abstract,
            usage: "accrec batch <manifest> [<options>] [<options of accrec record>]",
            discussion: BatchCommand.configuration.discussion)

        @Argument(help: "The manifest: .toml, .csv or .jsonl.")
        var manifest: String

        @OptionGroup(title: "Batch") var runOptions: BatchRun.Options
        @OptionGroup(title: "Display") var display: DisplayOptions
        @OptionGroup(title: "Defaults") var defaults: DefaultsOptions
    }

    static var helpContents: any ParsableCommand.Type { Contents.self }

    static let examples: [(command: String, effect: String)] = [
        ("accrec batch takes.toml --dry-run", "check the manifest"),
        ("accrec batch takes.toml", "record all takes"),
        ("accrec batch takes.toml --continue", "record what is missing"),
        ("accrec batch texts.csv --prompt -d lark", "show each text to a speaker"),
    ]

    func run(behind link: TerminalSupervisor.JobLink?) async throws {
        let plan = try plan()
        guard !runOptions.isTrial else { return try await list(plan) }
        if runOptions.isPrompted, isatty(STDIN_FILENO) == 0 {
            throw ValidationError("--prompt needs a terminal to read keys from")
        }
        display.mentionMissingGraph()
        ControlSocket.Directory.mentionFallback(isQuiet: display.quiet)
        let screen = BatchScreen()
        let log = BatchLog(
            try openResults(), count: plan.takeCount, isQuiet: display.quiet, glyphs: display.style.glyphs
        ) {
            screen.write(lines: $0)
        }
        let inhibitor = SleepInhibitor.begin(take.reliability.inhibitSleep) { StandardError.tell($0) }
        let execQueue = runOptions.exec.queue
        await execQueue?.keepFiles(for: .batch(results: resultsPath)) { screen.write(lines: ["accrec: \($0)"]) }
        let signals = JobSignals(link: link, endsOnHangUp: !take.reliability.keepGoing)
        let isShown = display.mode == .meter
        let farewell = { @Sendable in isShown ? "the batch goes on; 'fg' brings it back" : nil }
        let tally: BatchLog.Tally
        if runOptions.isPrompted {
            let run = PromptRun(
                plan, log: log, isContinued: runOptions.isContinued, display: display, execQueue: execQueue)
            tally = await run.run(under: JobControl(run, signals.requests, link: link, farewell: farewell))
        } else {
            let run = BatchRun(
                plan, log: log, options: runOptions, display: display, screen: screen, execQueue: execQueue)
            let readsKeys = isatty(STDIN_FILENO) == 1
            tally = await run.run(
                under: JobControl(
                    screen, signals.requests, link: link, readsKeys: readsKeys, farewell: farewell))
        }
        _ = consume inhibitor
        let haveProgramsSucceeded = await execQueue?.finish(by: signals, isQuiet: display.quiet) ?? true
        let status = tally.status(of: plan.takeCount)
        if !display.quiet || status != .success {
            let text = "\(tally.text(of: plan.takeCount)); results in '\(resultsPath)'"
            StandardError.tell(text)
        }
        if status != .success { throw ExitCode(status.rawValue) }
        if !haveProgramsSucceeded { throw ExitCode(ExitStatus.failure.rawValue) }
    }

    private func openResults() throws -> ResultsFile {
        do {
            return try ResultsFile(path: resultsPath, isContinued: runOptions.isContinued)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// The plan for the manifest. All mistakes in it are reported together.
    private func plan() throws -> BatchPlan {
        var mistakes = FileMistakes(path: manifest)
        let keys = try Manifest.Keys()
        let content = Manifest(path: manifest, keys: keys, mistakes: &mistakes)
        let effective = try defaults.effectiveSettings(
            of: Self.self, arguments: Array(CommandLine.arguments.dropFirst(2))
        ).settings.filter { keys.option($0.option.name) != nil }
        let reader = RowReader(
            keys: keys, flags: runOptions.flags, isPrompted: runOptions.isPrompted, defaults: content.defaults,
            effective: effective,
            &mistakes)
        let plan = BatchPlan(
            consume content, reader, isContinued: runOptions.isContinued, own: try ownFiles.paths, mistakes: &mistakes)
        let isRight = mistakes.isEmpty
        plan.obstacles.report(in: &mistakes)
        guard mistakes.isEmpty else {
            for line in mistakes.lines { StandardError.tell(line) }
            let correction = isRight ? nil : "Correct the manifest."
            let remedy = plan.obstacles.remedy(hasResults: ResultsFile.hasResults(path: resultsPath))
            let advice = mistakes.isFull ? ["There may be more mistakes."] : [correction, remedy].compactMap(\.self)
            StandardError.tell((["nothing was recorded."] + advice).joined(separator: " "))
            throw ExitCode(ExitStatus.usage.rawValue)
        }
        return plan
    }

    private var ownFiles: OwnFiles {
        get throws {
            var files = OwnFiles()
            try files.add("the configuration file", defaults.file)
            try files.add("the manifest", manifest)
            try files.add("the file of the results", resultsPath)
            return files
        }
    }

    /// The path of the results file.
    private var resultsPath: String { runOptions.results ?? ResultsFile.path(besides: manifest) }

    /// Prints the takes that would be recorded, one per line, and how long they take together, and looks for their
    /// sources.
    private func list(_ plan: BatchPlan) async throws {
        let takes = plan.rows.lazy.flatMap(\.takes)
        let rows = takes.map { take in
            let length = take.duration.map { TimeText.clock($0, decimals: 3) } ?? "-"
            return ["\(take.number)", take.name, length, Self.name(of: take.configuration.inputs)]
        }
        try StandardOutput.write(rows: rows)
        if !display.quiet {
            let (count, unlimitedCount) = (plan.takeCount, takes.count { $0.duration == nil })
            let unlimited = unlimitedCount > 0 ? " and \(unlimitedCount) of any length" : ""
            let total = TimeText.clock(takes.reduce(0) { $0 + ($1.duration ?? 0) }, decimals: 3)
            StandardError.tell("\(count) take\(count == 1 ? "" : "s"), \(total) in all\(unlimited)")
        }
        try await findSources(of: takes)
    }

    private static func name(of inputs: [RecordingInput]) -> String {
        inputs.map { input in
            switch input {
            case .source(let name): name ?? (inputs.count == 1 ? "-" : "mic")
            case .application(let name): name
            case .desktop: "desktop"
            }
        }.joined(separator: "+")
    }

    /// Reports each source that is not there, and each application whose name is ambiguous. An application that plays
    /// nothing is waited for.
    private func findSources(of takes: some Sequence<BatchTake>) async throws {
        var known: Set<ObjectIdentifier> = []
        var asked: [[String?]] = []
        var status = ExitStatus.success
        let different = takes.filter { known.insert(ObjectIdentifier($0.settings)).inserted }
        let alone = different.flatMap { take in
            take.configuration.inputs.map { input in
                var configuration = take.configuration
                configuration.input = input
                return (take, configuration)
            }
        }
        for (take, configuration) in alone {
            let question = [
                "\(configuration.input)", configuration.capture.serverName,
                "\(configuration.capture.allowsBluetooth) \(configuration.capture.allowsMonitor)",
            ]
            guard !asked.contains(question) else { continue }
            asked.append(question)
            do throws(ACCAudioRecorderError) {
                if case .application = configuration.input {
                    _ = try await ACCAudioRecorder.applicationList(for: configuration).choice.get()
                } else {
                    _ = try await ACCAudioRecorder.sourceList(for: configuration).choice.get()
                }
            } catch {
                var lines = ErrorText.lines(error)
                lines[0] = "\(SettingsText.Place(path: manifest, line: take.line)): \(lines[0])"
                StandardError.tell(lines)
                status = ExitStatus(error)
            }
        }
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
