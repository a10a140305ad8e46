import ACCAudioRecorder
import ArgumentParser
import Glibc

/// `accrec play`: plays a file through the sound server.
struct PlayCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play a recording.",
        discussion: """
            Plays any format that libsndfile reads, with the level meter. Space pauses; left and right skip five seconds \
            back and forward, down and up a minute; n and b go to the next marker and back; Home and End go to the beginning \
            and to the last five seconds; q or Ctrl-C stops. The sound server gets the samples unconverted.
            """)

    @Argument(help: "The file to play.", completion: .file())
    var file: String

    @Option(
        name: .longAndJoined("d"),
        help: ArgumentHelp(
            "The sink: its name or number in 'pactl list sinks', or a unique part of its name or description.",
            valueName: "sink"))
    var device: String?

    @OptionGroup var server: SourceOptions.Server

    @Option(
        help: ArgumentHelp(
            "Begin at this time: 90, 1:30, 5min; or at the marker with this label, or a unique part of it.",
            valueName: "time"))
    var start: String?

    @Flag(name: .shortAndLong, help: "Print only warnings and errors: no meter, no keys.")
    var quiet = false

    @OptionGroup var colors: DisplayOptions.Colors

    func run(behind link: TerminalSupervisor.JobLink?) async throws {
        let start = try startPosition
        let mode: RecordingView.Mode = !quiet && StandardError.canShowMeter ? .meter : .messages
        let readsKeys = !quiet && isatty(STDIN_FILENO) == 1
        let view = RecordingView(
            of: RecordingModel(RecordingProgress(isPlayback: true)), mode: mode, style: colors.style,
            outputs: [])
        let player = AudioPlayer(path: file, serverName: server.name, sinkName: device)
        let controls = Controls(player, view: view, link: link, readsKeys: readsKeys)
        await controls.begin()
        // Examining a long file takes a while. Whoever stops the playback does not wait for that.
        let examination = Task.detached { [file] in try? AudioFileRepair(path: file) }
        let result: Result<AudioPlayer.Report, any Error>
        do {
            let report = try await player.play(from: start, levelInterval: view.levelInterval.map { .seconds($0) }) {
                event in
                if case .started = event { Task { await controls.didStart() } }
                show(event, in: view)
            }
            result = .success(report)
        } catch {
            result = .failure(error)
        }
        await controls.end()
        do {
            let report = try result.get()
            try conclude(report, examination: await controls.wasStopped ? nil : await examination.value)
        } catch let failure as SoundFileFailure {
            throw RunFailure("cannot play '\(file)'", failure.description)
        }
    }

    /// Where to begin.
    private var startPosition: Duration {
        get throws {
            guard let start else { return .zero }
            if let time = RecordingLength(start) { return .seconds(time.seconds) }
            let markers: PlaybackMarkers
            do throws(SoundFileFailure) {
                markers = try PlaybackMarkers(path: file)
            } catch {
                throw RunFailure("cannot play '\(file)'", error.description)
            }
            let found = markers.named(start)
            guard found.isEmpty else {
                guard found.count == 1 else {
                    throw ValidationError(
                        "'\(start)' is part of \(found.count) markers of '\(file)'. Give more of the label")
                }
                return found[0].offset
            }
            let remedy = markers.all.isEmpty ? "It has no markers" : "'accrec info' lists them"
            throw ValidationError(
                "--start '\(start)' is no time such as 90 or 1:30, and no marker of '\(file)'. \(remedy)")
        }
    }

    private func show(_ event: AudioPlayer.Event, in view: RecordingView) {
        switch event {
        case .started(let spec, let length, let channelMap, let markers, let sink):
            view.model.update { $0.hasMarkers = !markers.isEmpty }
            view.update { status in
                status.labels = channelMap.labels
                status.limit = length?.seconds
                status.file = PrintableText.line(file)
                status.source = PrintableText.line(sink)
                status.sourceFormat = spec.shortDescription
            }
            guard !quiet else { return }
            var text = length.map { "\(TimeText.clock($0.seconds, decimals: 3)), " } ?? ""
            if !markers.isEmpty { text += "\(markers.count) marker\(markers.count == 1 ? "" : "s"), " }
            view.tell("playing '\(file)' (\(text)\(spec)) on '\(sink)'; Ctrl-C stops")
        case .heard(let levels):
            view.receive(levels)
        case .moved(let position, let marker):
            view.resetPeaks()
            view.update { $0.elapsed = position.seconds }
            if let marker, !marker.isEmpty { view.tell("\(TimeText.clock(position.seconds, decimals: 3)) \(marker)") }
        case .noMarker:
            view.tell("no marker follows")
        case .cannotMove:
            view.tell("'\(file)' can only be played from its beginning on")
        case .underrun(let position):
            view.tell("the sound server ran out of audio at \(TimeText.clock(position.seconds, decimals: 3))")
        case .suspended(let isSuspended):
            view.model.update { recording in
                recording.phase = isSuspended ? .waiting(InterruptionText("the sink is suspended")) : .playing
            }
        case .sinkChanged(let sink):
            view.update { $0.source = PrintableText.line(sink) }
            view.tell("the file plays on '\(sink)' now")
        }
    }

    /// Tells what the file lacks; that is a failure, unless all of its audio was played.
    private func conclude(_ report: AudioPlayer.Report, examination: AudioFileRepair?) throws {
        let faults = examination?.faults ?? []
        let isCutOff = faults.contains { if case .cutOff = $0 { true } else { false } }
        let length = Double(examination?.frameCount ?? 0) / max(examination?.sampleRate ?? 1, 1)
        // Positions are rounded to parts of a millisecond.
        let lacksAudio = report.isTruncated || isCutOff || length > report.end.seconds + 0.001
        if report.isTruncated {
            StandardError.tell("'\(file)' cannot be read beyond \(TimeText.clock(report.end.seconds, decimals: 3))")
        }
        if !faults.isEmpty, lacksAudio {
            StandardError.tell(
                "'\(file)' is damaged: \(faults.map(\.description).joined(separator: ", ")). 'accrec repair' repairs it."
            )
        }
        if let omission = report.omission { StandardError.tell("'\(file)' was not played as a whole: \(omission)") }
        if lacksAudio || report.omission != nil { throw ExitCode(ExitStatus.failure.rawValue) }
    }
}

extension PlayCommand {
    /// Controls a playback by keys and signals.
    actor Controls {
        private let player: AudioPlayer
        private let view: RecordingView
        private let signals: JobSignals
        private let job: JobControl
        private var isPlaying = false
        private var isOver = false
        /// Whether the user ended the playback.
        private(set) var wasStopped = false

        init(_ player: AudioPlayer, view: RecordingView, link: TerminalSupervisor.JobLink?, readsKeys: Bool) {
            (self.player, self.view) = (player, view)
            signals = JobSignals(link: link, endsOnHangUp: true)
            job = JobControl(view, signals.requests, link: link, readsKeys: readsKeys) {
                "the file goes on playing; 'fg' brings the meter back"
            }
        }

        /// Starts to respond to signals.
        func begin() async {
            await job.begin { [weak self] in
                await self?.press($0)
            } obey: { [weak self] in
                await self?.obey($0)
            }
        }

        /// Starts displaying and controlling the playback, unless it is over already.
        func didStart() async {
            guard !isOver else { return }
            isPlaying = true
            await job.acquireTerminal()
        }

        /// Restores the terminal. A signal ends the program at once from now on.
        func end() async {
            isOver = true
            await job.releaseTerminal()
        }

        private func obey(_ request: JobSignals.Request) {
            switch request {
            case .finish(let number):
                guard isPlaying, !isOver else { ProgramEnd.leave(128 + number) }
                stop()
            case .pauseOrResume: pauseOrResume()
            default: return
            }
        }

        private func press(_ key: KeyPress) {
            switch view.status.keys[key] {
            case .pauseOrResume: pauseOrResume()
            case .finish: stop()
            case .help: view.toggleHelp()
            case .resetPeaks: view.resetPeaks()
            case .go(let place): player.go(to: place)
            default: return
            }
        }

        private func stop() {
            wasStopped = true
            player.stop()
        }

        private func pauseOrResume() {
            let isPaused = player.pauseOrResume()
            view.model.update { $0.phase = isPaused ? .playbackPaused : .playing }
        }
    }
}
