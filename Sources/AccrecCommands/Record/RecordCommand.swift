import ACCAudioRecorder
import ArgumentParser
import FoundationEssentials
import Glibc
import Synchronization

/// `accrec record`: records from a source to files or standard output.
struct RecordCommand: JobCommand, DefaultedCommand, HelpfulCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record to a file or to standard output.",
        discussion: """
            Recording stops after --max, or with Ctrl-C or SIGTERM; every frame up to that moment is kept. The source \
            is captured in its own format and converted once, afterwards. Without conversion the file holds its \
            samples bit for bit.

            Without --device, PULSE_SOURCE or the server's default source is recorded; but if the default is a monitor, \
            Bluetooth or not plugged in, the best other source. 'accrec devices' shows which.
            """,
        helpNames: .long)

    @Flag(name: .customShort("h"), help: "Show the main options.")
    var showsShortHelp = false

    @OptionGroup var options: RecordCommandOptions

    static let shortHelp: String? = """
        Usage: accrec record [<file>] [<options>]

          <file>                   the file: .wav, .flac, .opus, .mp3 ...; without one,
                                   a WAV file named by date and time
          -o, --output <file>      the same; '-' for raw samples to standard output
              --max <time>         stop after exactly 60, 90s, 5m, 1:30
          -d, --device <source>    the source; 'accrec devices' lists them
              --app <name>         only what this application plays
          -m, --mode <mode>        default, measurement, voice-chat, video-recording,
                                   spoken-audio: sets what is not given
          -r, --rate <hertz>       sample rate; without it, the source's
          -c, --channels <count>   channels; without it, all of the source's
              --encoding <name>    u8, s16, s24, s32, f32, f64; without it, s16 or s24
              --split-every <time> start a new file after each 10m, 1h
              --start-at <time>    start at 18:00
              --force              replace an existing file
              --strict             fail if frames are missing or samples clipped
          -q, --quiet              print only warnings and errors

          accrec record take.wav                          until Ctrl-C
          accrec record talk.flac --max 1h -r 48000       an hour at 48 kHz
          accrec record -o - -r 16000 | recogniser        samples for a program

        'accrec record --help' lists all options; 'man accrec-record' is the manual.
        """

    static let examples: [(command: String, effect: String)] = [
        ("accrec record take.wav", "until Ctrl-C"),
        ("accrec record take.wav --max 60", "exactly one minute"),
        ("accrec record take.wav -d lark", "from the source 'lark'"),
        ("accrec record music.flac --desktop", "what the desktop plays"),
        ("accrec record call.flac --mic --desktop", "both sides of a call"),
        ("accrec record memo.mp3 -m default", "44.1 kHz, mono"),
        ("accrec record log-%H.flac --split-every 1h", "a file for each hour"),
        ("accrec record -o - --encoding f32 | recogniser", "for a program"),
    ]

    var defaults: DefaultsOptions { options.defaults }
    private var recording: RecordingOptions { options.recording }

    /// Rejects outputs that would fail with any source, before anything is opened or written.
    private func check(_ outputs: [RecordingOutput]) throws {
        do {
            try configuration(for: outputs).validate(outputs: outputs)
        } catch let error as ACCAudioRecorderError
            where [.invalidFormat, .invalidSetting].contains(error.failure?.reason)
        {
            throw ValidationError(ErrorText.line(error))
        }
    }

    func run(behind link: TerminalSupervisor.JobLink?) async throws {
        let clocks = ClockReading.now
        let (scheduled, end) = (try options.schedule.schedule(at: clocks), try options.schedule.end(at: clocks))
        let signals = JobSignals(link: link, endsOnHangUp: !recording.shared.reliability.keepGoing)
        var outputs = try options.recordingOutputs()
        // A job in the background cannot ask: the recording is refused, as without a terminal.
        if recording.display.readsKeys, StandardError.isTerminal, TerminalMode.isForeground(STDIN_FILENO) {
            outputs = try await ExistingFiles(link: link, signals: signals).confirmed(outputs)
        }
        try check(outputs)
        if options.output.isWithoutName, StandardOutput.isFile, !recording.display.quiet {
            StandardError.tell(
                "standard output stays empty: the recording gets a file of its own. -o - writes samples there")
        }
        recording.display.mentionMissingGraph()
        ControlSocket.Directory.mentionFallback(isQuiet: recording.display.quiet)
        let reportFile = try options.programs.report.map {
            try ReportFile(path: $0, replacesExisting: options.output.force, makesDirectories: options.output.mkdir)
        }
        let events = try options.programs.events.map(EventLog.init)
        let execQueue = options.programs.exec.queue
        await execQueue?.keepFiles(for: .recording(outputs), tell: StandardError.tell)
        let health = ServiceHealth.ofEnvironment(tell: StandardError.tell)
        defer { health?.stop() }
        let run = { [outputs] in try recordingRun(to: outputs, until: end, telling: events, execQueue, health) }
        let record = {
            (appointment: Appointment?, didBegin: (ClockReading) -> Void) async throws -> ScheduledTakes.End? in
            guard options.output.align != .off else {
                return try await recordUnaligned(
                    run(), at: appointment, behind: link, by: signals, into: reportFile, didBegin: didBegin)
            }
            let result = try await run().run(at: appointment, behind: link, by: signals, didBegin: didBegin)
            return result.map { result in
                .init(
                    status: result.report.map { conclude($0, overview: result.overview, into: reportFile) },
                    isLast: result.report?.ending == .finished)
            }
        }
        let status: ExitStatus
        if let (schedule, first) = scheduled {
            status = try await ScheduledTakes(schedule: schedule, first: first).run(record)
        } else if options.schedule.repeats {
            status = try await run().runTakes(behind: link, by: signals) {
                conclude($0, overview: $1, into: reportFile)
            }
        } else if let end = try await record(nil, { _ in }) {
            status = end.status ?? .success
        } else {
            StandardError.tell("ended before the recording began")
            status = .failure
        }
        let areEventsWritten = events?.finish() ?? true
        let haveProgramsSucceeded = await execQueue?.finish(by: signals, isQuiet: recording.display.quiet) ?? true
        if status != .success { throw ExitCode(status.rawValue) }
        if !areEventsWritten || !haveProgramsSucceeded { throw ExitCode(ExitStatus.failure.rawValue) }
    }

    private func configuration(
        for outputs: [RecordingOutput], holdingFor execQueue: ExecQueue? = nil
    ) throws -> ACCAudioRecorder.Configuration {
        var files = OwnFiles()
        try files.add(outputs)
        try files.add("the configuration file", defaults.file)
        try files.add("the file of the events", options.programs.events?.path)
        try files.add("the report", options.programs.report)
        var configuration = ACCAudioRecorder.Configuration(options)
        configuration.program.reservedPaths = files.paths
        configuration.heldFiles = execQueue?.held
        return configuration
    }

    private func recordingRun(
        to outputs: [RecordingOutput], until end: Appointment?, telling events: EventLog?, _ execQueue: ExecQueue?,
        _ health: ServiceHealth?
    ) throws -> RecordingRun {
        RecordingRun(
            configuration: try configuration(for: outputs, holdingFor: execQueue), outputs: outputs,
            limit: options.limit?.seconds, end: end, mode: recording.display.mode,
            style: recording.display.style, readsKeys: recording.display.readsKeys, isVerbose: !recording.display.quiet,
            inhibitsSleep: recording.shared.reliability.inhibitSleep,
            graph: recording.display.history ? LevelGraph() : nil, showsLoudness: recording.display.loudness,
            events: events, execQueue: execQueue, health: health,
            levelInterval: options.programs.levelInterval?.seconds, isStrict: recording.shared.reliability.strict,
            preRoll: options.preRoll, hasTakes: options.schedule.repeats)
    }

    /// Records several sources, each as if it were alone.
    ///
    /// - Parameters:
    ///   - run: Would record all of them.
    ///   - appointment: When to begin; nil for now, or when the user starts them.
    /// - Returns: Nil if the user ended the wait for the appointment.
    private func recordUnaligned(
        _ run: RecordingRun, at appointment: Appointment?, behind link: TerminalSupervisor.JobLink?,
        by signals: JobSignals, into file: ReportFile?, didBegin: (ClockReading) -> Void
    ) async throws -> ScheduledTakes.End? {
        let unaligned = UnalignedSources(run.configuration, to: run.outputs)
        let all = await unaligned.run(for: run, at: appointment, behind: link, by: signals)
        if let begin = all.first?.begin { didBegin(begin) }
        guard all.contains(where: { if case .success(nil) = $0.outcome { false } else { true } }) else { return nil }
        var (records, status, isLast): ([UnalignedReport], ExitStatus, Bool) = ([], .success, false)
        for (source, outcome, _) in all {
            let own: ExitStatus
            switch outcome {
            case .success(let result?):
                guard let report = result.report else { continue }
                own = ExitStatus(report, isStrict: run.isStrict)
                isLast = isLast || report.ending == .finished
                records.append(.init(input: source.name, record: ReportRecord(report, isStrict: run.isStrict)))
                tell(report, overview: result.overview, of: source.name)
            case .success(nil):
                StandardError.tell("\(source.name): ended before the recording began")
                own = .failure
            case .failure(let error):
                var lines = ErrorText.lines(error)
                lines[0] = "\(source.name): \(lines[0])"
                StandardError.tell(lines)
                own = (error as? ACCAudioRecorderError).map(ExitStatus.init) ?? .failure
            }
            if status == .success { status = own }
        }
        let written = file?.write(records) ?? .success
        return .init(status: status == .success ? written : status, isLast: isLast)
    }

    /// Reports the result of a recording.
    private func conclude(_ report: RecordingReport, overview: LevelOverview, into file: ReportFile?) -> ExitStatus {
        let written = file?.write(ReportRecord(report, isStrict: recording.shared.reliability.strict)) ?? .success
        tell(report, overview: overview)
        let status = ExitStatus(report, isStrict: recording.shared.reliability.strict)
        return status == .success ? written : status
    }

    /// - Parameter name: What was recorded, of several recordings, each of which has a block of lines.
    private func tell(_ report: RecordingReport, overview: LevelOverview, of name: String? = nil) {
        let room = StandardError.window.columns - StandardError.labelWidth
        let style = recording.display.style
        let glyphs = style.glyphs
        let levels = overview.text(columns: min(max(room, 10), 60), glyphs: glyphs)
        let text = ReportText(report: report, glyphs: glyphs, levelLine: levels)
        let problemInk: StyledLine.Ink = style.hasColor && StandardError.canShowMeter ? .alarm : .plain
        if !recording.display.quiet, report.ending == .discarded {
            StandardError.tell((name.map { "\($0): " } ?? "") + DiscardText.result(report))
        } else if !recording.display.quiet, report.frameCount > 0 {
            if let name { StandardError.write(lines: ["", "input     \(name)"]) }
            StandardError.write(lines: text.problems, ink: problemInk)
            StandardError.write(lines: text.facts)
        } else {
            let problems = recording.shared.reliability.strict ? text.problems : text.losses
            let label = "accrec: " + (name.map { "\($0): " } ?? "")
            StandardError.write(lines: problems.map { label + $0 }, ink: problemInk)
        }
        // Failures of outputs were reported when they happened.
        let reported = report.outputs.compactMap(\.failure)
        for failure in report.failures where !failure.isOfReader && !reported.contains(failure) {
            StandardError.tell(ErrorText.line(failure))
        }
    }
}

extension RecordCommand {
    /// The file for the JSON report of a recording.
    ///
    /// The reports of takes are files of their own: `report.json`, `report-002.json`, …; a pipe gets them one after another.
    final class ReportFile: Sendable {
        private let file: WholeFile
        private let path: String
        private let makesDirectories: Bool
        private let count = Mutex(0)

        /// Checks what can be checked before recording.
        init(path: String, replacesExisting: Bool, makesDirectories: Bool) throws(ACCAudioRecorderError) {
            if replacesExisting, !Self.isReplaceable(path) {
                throw .outputFailed(
                    .init(
                        .fileExists, "cannot replace '\(path)'", cause: "it is not a report",
                        remedy: "Use another name for the report."))
            }
            (self.path, self.makesDirectories) = (path, makesDirectories)
            file = try WholeFile(
                path: path, replacesExisting: replacesExisting, makesDirectories: makesDirectories)
        }

        /// What a report has.
        private struct Content: Decodable {
            let ending: String
            let exitStatus: Int32
        }

        /// Whether there is nothing at a path, or an empty file, or an earlier report: `--force` means the recording.
        private static func isReplaceable(_ path: String) -> Bool {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return true }
            guard let text = try? Data(contentsOf: URL(filePath: path)) else { return false }
            return (try? JSONText.decode(Content.self, from: text)) != nil
                || (try? JSONText.decode([Content].self, from: text)) != nil
        }

        /// Writes the report atomically.
        ///
        /// - Returns: Success, or the status for a lost report, after printing a message.
        func write(_ report: some Encodable) -> ExitStatus {
            let number = count.withLock { count in
                count += 1
                return count
            }
            do {
                let text = try JSONText.line(report)
                if number == 1 || file.isStream {
                    try file.write(text)
                } else {
                    let stem = PathStem(path)
                    let path = stem.path(stem.firstFree(from: number))
                    try WholeFile(path: path, replacesExisting: false, makesDirectories: makesDirectories).write(text)
                }
                return .success
            } catch {
                StandardError.tell("\(ErrorText.line(error)) The recording itself is kept.")
                return (error as? ACCAudioRecorderError).map(ExitStatus.init) ?? .failure
            }
        }
    }
}
