import ACCAudioRecorder
import ArgumentParser
import Glibc

/// `accrec batch`: the takes that a file lists.
struct BatchCommand: JobCommand, DefaultedCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Record the takes that a manifest lists.",
        discussion: """
            A manifest is TOML (a table [[take]] for each), CSV (a line for each, below the names of the columns) or JSON \
            Lines (an object for each). Keys are the options of 'accrec record' by their long names, such as output, \
            device, rate and channels, and besides duration, tags, prompt, start, count and pause. All of it is checked \
            before the first take. Options here hold for each take that does not say otherwise. 'man accrec' has examples.
            """)

    @Argument(help: "The manifest: .toml, .csv or .jsonl.", completion: .file(extensions: ["toml", "csv", "jsonl"]))
    var manifest: String

    @OptionGroup(title: "Course") var course: BatchCourseOptions
    @OptionGroup var take: BatchTakeOptions
    @OptionGroup(title: "Display") var display: DisplayOptions
    @OptionGroup(title: "Defaults") var defaults: DefaultsOptions

    func run(behind link: FrontLink?) async throws {
        let plan = try plan()
        guard !course.isTrial else { return list(plan) }
        if course.isPrompted, isatty(STDIN_FILENO) == 0 {
            throw ValidationError("--prompt needs a terminal, whose keys are read")
        }
        let log = BatchLog(try openResults(), count: plan.takeCount, isQuiet: display.quiet)
        let inhibitor = SleepInhibitor.begin(take.trouble.inhibitSleep) { StandardError.write("accrec: \($0)\n") }
        let run: any SteeredBatch =
            course.isPrompted
            ? PromptRun(plan, log: log, isContinued: course.isContinued, display: display)
            : BatchRun(plan, log: log, options: course)
        let steering = Task { await steer(run, by: JobSignals(link: link, heedsHangUp: !take.trouble.keepGoing), link) }
        let tally = await run.run()
        steering.cancel()
        _ = consume inhibitor
        let status = tally.status(of: plan.takeCount)
        if !display.quiet || status != .success {
            let text = "\(tally.text(of: plan.takeCount)). The results are in '\(resultsPath)'."
            StandardError.write(lines: ["accrec: \(text)"])
        }
        if status != .success { throw ExitCode(status.rawValue) }
    }

    /// Obeys signals: the first one that asks for an end ends the batch properly, the second at once.
    private func steer(_ run: any SteeredBatch, by signals: JobSignals, _ link: FrontLink?) async {
        for await request in signals.requests {
            switch request {
            case .finish: await run.end()
            case .quit(let number):
                await run.leaveTerminal()
                _exit(128 + number)
            case .leave:
                await run.leaveTerminal()
                link?.letGoOfTerminal()
            case .comeBack: await run.takeTerminal()
            case .windowChanged: await run.windowChanged()
            // Which of the takes would that be?
            case .split, .pauseOrResume: continue
            }
        }
    }

    private func openResults() throws -> ResultsFile {
        do {
            return try ResultsFile(path: resultsPath, isContinued: course.isContinued)
        } catch let failure as ResultsFailure {
            throw ValidationError("\(failure)")
        }
    }

    /// The plan that the manifest makes; all that is wrong with it is told at once.
    private func plan() throws -> BatchPlan {
        var mistakes = ManifestMistakes(path: manifest)
        let keys = try ManifestKeys()
        let content = Manifest(path: manifest, keys: keys, mistakes: &mistakes)
        let inForce = try SettingsInForce(
            arguments: Array(CommandLine.arguments.dropFirst(2)), defaults: defaults, for: Self.self
        ).settings.filter { keys.option($0.option.name) != nil }
        let reader = RowReader(
            keys: keys, flags: course.flags, isPrompted: course.isPrompted, defaults: content.defaults,
            inForce: inForce,
            &mistakes)
        let plan = BatchPlan(
            content, reader, isContinued: course.isContinued, own: [manifest, resultsPath], mistakes: &mistakes)
        guard mistakes.isEmpty else {
            for line in mistakes.lines { StandardError.write(lines: ["accrec: \(line)"]) }
            throw ExitCode(ExitStatus.usage.rawValue)
        }
        return plan
    }

    /// Where the results go.
    private var resultsPath: String { course.results ?? ResultsFile.path(besides: manifest) }

    /// What would be recorded, a line for each take.
    private func list(_ plan: BatchPlan) {
        for take in plan.rows.flatMap(\.takes) {
            let length = take.duration.map { TimeText.clock($0, decimals: 3) } ?? "-"
            print("\(take.number)\t\(take.name)\t\(length)\t\(take.configuration.sourceName ?? "-")")
        }
    }
}
