import ACCAudioRecorder
import ArgumentParser
import FoundationEssentials
import Glibc
import SystemPackage

/// `accrec ctl`: controls running recordings of the same user.
struct CtlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ctl",
        abstract: "Control a running recording.",
        discussion: """
            Commands:
              list                    list the running recordings (the default)
              status                  show its state, length and file
              start                   start an armed or scheduled recording
              toggle-take             start a take, or stop it: for one hotkey
              pause, resume           pause it, continue it; pause --toggle does either
              mark [<label>]          set a marker
              split                   continue in a new file
              stop                    end it, or its take, wait, and exit with its status
              discard                 the same, and delete its current file, or all
              save [<file>]           write the audio that --pre-roll keeps to a file
              follow                  print events as they happen
              tap                     write raw samples to standard output
            """)

    @Argument(
        help: "One of the commands above.",
        completion: .list(["list"] + ControlRequest.Command.allCases.map(\.rawValue)))
    var command: String?

    @Argument(
        help: "The label of 'mark' (default: its number), or the file of 'save' (default: beside the recording's).",
        completion: .file())
    var label: String?

    @Option(
        name: .customLong("recording"),
        help: ArgumentHelp(
            "The recording: its process ID, or its file's name. (default: the only one)", valueName: "name"),
        completion: .custom { _, _, _ in Completions.offered(RunningRecording.all().map(\.name)) })
    var name: String?

    /// The name as earlier versions had it.
    @Option(name: .customLong("take"), help: .hidden)
    var formerName: String?

    @Flag(help: "Print answers as JSON.")
    var json = false

    @Flag(
        help: """
            With 'discard', delete all files of the recording, also those that are complete. With 'stop', end a recorder \
            of takes (--repeat).
            """)
    var all = false

    @Flag(help: "With 'pause', continue a recording that is paused.")
    var toggle = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The sample rate of 'tap'. (default: the recording's)", valueName: "hertz"))
    var rate: Int?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The number of channels of 'tap'. (default: the recording's)", valueName: "count"))
    var channels: Int?

    @Option(
        help: ArgumentHelp(
            "The source whose channels 'tap' writes, of a recording of several. (default: all)", valueName: "source"),
        completion: .custom { _, _, _ in
            Completions.offered(RunningRecording.all().flatMap { $0.status.inputs ?? [] })
        })
    var input: String?

    @Option(help: "The encoding of 'tap'. (default: s16)")
    var encoding: ControlRequest.TapEncoding?

    func run() throws {
        guard let word = command, word != "list" else { return try list() }
        guard let command = ControlRequest.Command(rawValue: word) else {
            let hint = NearestWord.to(word, among: ["list"] + ControlRequest.Command.allCases.map(\.rawValue))
            throw ValidationError(
                "no command '\(word)'. Give one of list, \(Self.commands)."
                    + (hint.map { " Did you mean '\($0)'?" } ?? ""))
        }
        guard label == nil || command == .mark || command == .save else {
            throw ValidationError("'\(word)' takes no argument; 'mark' takes a label, 'save' a file")
        }
        guard command == .discard || command == .stop || !all else {
            throw ValidationError("--all needs 'stop' or 'discard'")
        }
        guard command == .pause || !toggle else { throw ValidationError("--toggle needs 'pause'") }
        guard command == .tap || (rate, channels, input, encoding) == (nil, nil, nil, nil) else {
            throw ValidationError("--rate, --channels, --input and --encoding need 'tap'")
        }
        guard command != .tap || isatty(STDOUT_FILENO) == 0 else {
            throw ValidationError("'tap' writes samples to standard output, which is a terminal. Redirect it.")
        }
        let request = ControlRequest(
            command: command, label: command == .mark ? label : nil,
            file: command == .save ? label?.absolutePath : nil, all: all ? true : nil,
            toggles: toggle ? true : nil, rate: rate, channels: channels, input: input, encoding: encoding)
        let recording = try chosenRecording()
        do {
            switch command {
            case .follow, .tap: try pass(on: request, from: recording)
            default: try ask(request, of: recording)
            }
        } catch let error as Errno {
            throw RunFailure(
                "cannot reach the recording '\(recording.name)'", "\(error)", "'accrec ctl' lists those that run")
        }
    }

    private static let commands = ControlRequest.Command.allCases.map(\.rawValue).joined(separator: ", ")

    private func list() throws {
        try Self.checkDirectories()
        let recordings = RunningRecording.all()
        if json {
            for recording in recordings { try StandardOutput.write(json: recording.status) }
        } else {
            try StandardOutput.write(
                lines: recordings.isEmpty ? ["no recording is running"] : recordings.map(Self.line))
        }
    }

    /// Checks that nobody else has made the directory in which recordings would have their sockets.
    private static func checkDirectories() throws {
        guard let foreign = ControlSocket.Directory.all.first(where: \.isForeign) else { return }
        throw RunFailure("cannot find recordings", "'\(foreign.path)' belongs to another user", "Set XDG_RUNTIME_DIR")
    }

    /// The recording that is named, or the only one.
    private func chosenRecording() throws -> RunningRecording {
        try Self.checkDirectories()
        let recordings = RunningRecording.all()
        let name = name ?? formerName
        let named = name.map { name in recordings.filter { $0.isNamed(name) } } ?? recordings
        guard let recording = named.first, named.count == 1 else {
            let list = recordings.map { $0.status.file == nil ? $0.name : "\($0.name) (\($0.socket.processID))" }
                .joined(separator: ", ")
            let cause = named.isEmpty ? (name.map { "none is named '\($0)'" } ?? "none is running") : "several run"
            throw RunFailure(
                "cannot choose a recording", cause,
                recordings.isEmpty ? "Start one with 'accrec record'" : "Name one with --recording: \(list)")
        }
        return recording
    }

    /// Makes a request and prints its answer. A recording that ends or saves needs as long as its disk.
    private func ask(_ request: ControlRequest, of recording: RunningRecording) throws {
        let isLong = [.start, .toggleTake, .stop, .discard, .save].contains(request.command)
        let (answer, line) = try RunningRecording.answer(
            to: request, from: recording.socket, within: isLong ? nil : RunningRecording.longestAction)
        if json { try StandardOutput.write(jsonLine: line) }
        guard answer.ok else { throw RunFailure("cannot \(request.command.rawValue)", answer.message ?? "") }
        if !json, request.command == .status, let status = answer.status {
            let line = Self.line(RunningRecording(socket: recording.socket, status: status))
            try StandardOutput.write(lines: [line] + (status.exec?.lines ?? []))
        }
        if !json, let saved = answer.saved {
            let path = PrintableText.line(saved.path ?? "")
            try StandardOutput.write(lines: ["saved \(TimeText.length(saved.seconds)) in '\(path)'"])
        }
        if !json, request.command == .discard, !answer.keptFiles.isEmpty {
            try StandardOutput.write(
                lines: ["kept, since they were complete:"] + answer.keptFiles.map { PrintableText.line($0) })
        }
        if let status = answer.report?.exitStatus, status != 0 { throw ExitCode(status) }
    }

    /// Passes on what a recording sends until it ends.
    private func pass(on request: ControlRequest, from recording: RunningRecording) throws {
        var client = try ControlClient(recording.socket)
        try client.send(request)
        guard let line = try client.nextLine(within: RunningRecording.longestAction) else {
            throw Errno.connectionReset
        }
        let answer = try JSONText.decode(ControlAnswer.Received.self, from: line)
        guard answer.ok else { throw RunFailure("cannot \(request.command.rawValue)", answer.message ?? "") }
        if request.command == .tap {
            while let bytes = try client.nextBytes() { try StandardOutput.write(bytes: bytes) }
        } else {
            while let line = try client.nextLine() { try StandardOutput.write(jsonLine: line) }
        }
    }

    private static func line(_ recording: RunningRecording) -> String {
        let status = recording.status
        var parts = ["\(recording.socket.processID)", status.state, TimeText.clock(status.duration, decimals: 1)]
        if let take = status.take { parts.append("take \(take)") }
        parts.append(status.file ?? "(no file)")
        if let what = status.waitsFor { parts.append("(\(what))") }
        if status.gaps > 0 { parts.append("\(status.gaps) gap\(status.gaps == 1 ? "" : "s")") }
        return parts.joined(separator: "  ")
    }
}

extension ExecQueue.Status {
    /// What it does, as text.
    fileprivate var lines: [String] {
        let files = running.map { "'\(PrintableText.line($0))'" }.joined(separator: ", ")
        let retries = retrying > 0 ? ", \(retrying) tried again" : ""
        let line = "--exec: " + (running.isEmpty ? "" : "runs for \(files), ") + "\(waiting) waiting\(retries)"
        guard let lastFailure else { return [line] }
        let failure = "'\(lastFailure.file)': \(lastFailure.message)"
        return [line, "--exec: failed last for \(PrintableText.line(failure))"]
    }
}

extension ControlRequest.TapEncoding: ChoiceArgument {}
