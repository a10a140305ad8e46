import ACCAudioRecorder
import ArgumentParser

/// `accrec record`: one take, from a source to a file or to standard output.
struct RecordCommand: JobCommand, DefaultedCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        // It is parsed by itself (`AccrecCommand.parsed`), and then has no completions to be asked for, which costs 0.7 ms.
        _superCommandName: "accrec",
        abstract: "Record a take to a file or to standard output.",
        discussion: """
            The take ends at --max, or cleanly with Ctrl-C or SIGTERM; either way every frame until then is in it. \
            The source is captured in its own format and converted afterwards, once. Where rate, channels and \
            encoding are the source's own, the file holds its samples bit for bit.

            Without --device the source is what PULSE_SOURCE names, or else the server's default, unless that is a \
            monitor, Bluetooth, or not plugged in; then the best of the others, which 'accrec devices' shows. \
            --server or PULSE_SERVER says where the server is.
            """)

    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup var take: TakeOptions
    @OptionGroup(title: "Schedule") var schedule: ScheduleOptions
    @OptionGroup(title: "For programs") var programs: EventOptions
    @OptionGroup(title: "Defaults") var defaults: DefaultsOptions

    /// What an output cannot take is a mistake on the command line; in the configuration file it gives way.
    func validate() throws {
        guard schedule.length == nil || take.limits.longest == nil else {
            throw ValidationError("--for and --max exclude each other")
        }
        do {
            let outputs = try recordingOutputs()
            for output in outputs { try output.validate() }
            if schedule.every != nil { try checkForRepetition(outputs) }
        } catch let error as ACCAudioRecorderError {
            throw ValidationError("\(error)")
        }
    }

    /// Refuses what cannot be had by one take after the other.
    private func checkForRepetition(_ outputs: [RecordingOutput]) throws {
        for output in outputs {
            if case .pattern = output.destination { continue }
            throw ValidationError(
                "with --every each take needs files of its own: name them as in 'log-%H-%M-%S.flac' or 'log-{n}.flac', or "
                    + "give --auto-name")
        }
        guard programs.report == nil else {
            throw ValidationError("--report is for one take; with --every the events of --events have the reports")
        }
    }

    func run(behind link: FrontLink?) async throws {
        let reportFile = try programs.report.map { try ReportFile(path: $0, replacesExisting: output.force) }
        let events = try programs.events.map(EventLog.init)
        let signals = JobSignals(link: link, heedsHangUp: !take.trouble.keepGoing)
        let status: ExitStatus
        if let takes = try schedule.takes(isQuiet: take.display.quiet) {
            try ACCAudioRecorder.Configuration(take, for: output.output.first).validate(outputs: recordingOutputs())
            status = try await takes.run(behind: link, by: signals) {
                try takeRun(telling: events)
            } conclude: {
                conclude($0, picture: $1, into: reportFile)
            }
        } else {
            let (report, picture) = try await takeRun(telling: events).run(behind: link, by: signals)
            status = report.map { conclude($0, picture: picture, into: reportFile) } ?? .success
        }
        if let notice = events?.finish() { StandardError.write("accrec: \(notice)\n") }
        if status != .success { throw ExitCode(status.rawValue) }
    }

    private func takeRun(telling events: EventLog?) throws -> TakeRun {
        TakeRun(
            configuration: .init(take, for: output.output.first), outputs: try recordingOutputs(),
            limit: schedule.length ?? take.limits.longest, mode: take.display.mode,
            style: take.display.style, readsKeys: take.display.readsKeys, isGreeted: !take.display.quiet,
            inhibitsSleep: take.trouble.inhibitSleep, events: events, levelInterval: programs.levelInterval?.seconds,
            isStrict: take.trouble.strict)
    }

    /// Tells what became of a take.
    private func conclude(_ report: RecordingReport, picture: LevelPicture, into file: ReportFile?) -> ExitStatus {
        file?.write(ReportRecord(report, isStrict: take.trouble.strict))
        tell(report, picture: picture)
        return ExitStatus(report, isStrict: take.trouble.strict)
    }

    /// The outputs that are asked for.
    func recordingOutputs() throws -> [RecordingOutput] {
        try output.recordingOutputs(in: take.format).map(take.metadata.completing).map(take.trouble.completing)
    }

    private func tell(_ report: RecordingReport, picture: LevelPicture) {
        let room = StandardError.window.columns - ReportText.labelWidth
        let course = picture.text(columns: min(max(room, 10), 60), glyphs: take.display.style.glyphs)
        let text = ReportText(report: report, picture: course)
        if !take.display.quiet, report.ending == .discarded {
            StandardError.write("accrec: the take of \(TimeText.clock(report.duration, decimals: 3)) is discarded.\n")
        } else if !take.display.quiet, report.frameCount > 0 {
            StandardError.write(lines: text.lines)
        } else {
            StandardError.write(lines: text.losses.map { "accrec: \($0)" })
        }
        // Those of outputs were told when they happened.
        let told = report.outputs.compactMap(\.failure)
        for failure in report.failures where !failure.isOfReader && !told.contains(failure) {
            StandardError.write("accrec: \(failure)\n")
        }
    }
}
