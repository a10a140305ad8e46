import ACCAudioRecorder
import ArgumentParser

/// Options for output to other programs.
struct EventOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Append events to this file or descriptor, as JSON Lines: events.jsonl, fd:3.",
            valueName: "place"),
        completion: .file(),
        transform: { text in
            guard let place = EventLog.Place(text) else {
                throw ValidationError("name a file, or an open descriptor such as fd:3")
            }
            return place
        })
    var events: EventLog.Place?

    @Option(
        help: ArgumentHelp("Write a level event at this interval: 0.5, 10s, 1m.", valueName: "time"),
        transform: RecordingLength.parse)
    var levelInterval: RecordingLength?

    @Option(help: ArgumentHelp("Write the report to this file, as JSON.", valueName: "file"), completion: .file())
    var report: String?

    @OptionGroup var exec: ExecOptions

    func validate() throws {
        if levelInterval != nil, events == nil {
            throw ValidationError("--level-interval needs --events")
        }
        if case .descriptor(let number) = events, !EventLog.accepts(number) {
            throw ValidationError("descriptor \(number) is not open for writing. Open it, as in --events fd:3 3>file.")
        }
    }
}

/// What is run for each complete file.
struct ExecOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Run this command for each complete file, without a shell. ACCREC_FILE is the file's name, standard input \
            its report.
            """, valueName: "command"),
        transform: { text in
            guard let words = words(of: text), let program = words.first, !program.isEmpty else {
                throw ValidationError("name a program and its arguments; quotes must be closed")
            }
            let path = program.contains("/") ? program : ChildProgram.path(of: program)
            guard let path, ChildProgram.isExecutable(path) else {
                throw ValidationError("there is no program '\(program)' that you may run")
            }
            return ExecQueue.Program(path: path, arguments: Array(words.dropFirst()))
        })
    var exec: ExecQueue.Program?

    @Option(
        help: ArgumentHelp("End a command of --exec that runs longer than this. (default: 600)", valueName: "time"),
        transform: RecordingLength.parse)
    var execTimeout: RecordingLength = RecordingLength(seconds: 600)

    @Option(
        help: ArgumentHelp(
            "Run a command of --exec that fails again, after 1 s, 2 s, 4 s ... up to 5 min, this often.",
            valueName: "count"))
    var execRetries = 0

    func validate() throws {
        guard (0...Self.mostRetries).contains(execRetries) else {
            throw ValidationError("--exec-retries takes a number from 0 to \(Self.mostRetries)")
        }
    }

    /// With five minutes between two tries, more than eleven years.
    private static let mostRetries = 1_000_000

    /// Runs the program for the files; nil without --exec.
    var queue: ExecQueue? {
        exec.map { ExecQueue($0, timeout: execTimeout.seconds, retries: execRetries) }
    }

    /// The words of a command, written as in a shell: apart by spaces, which quotes or a backslash keep together. Nothing
    /// else is expanded. Nil if a quotation is not closed.
    private static func words(of text: String) -> [String]? {
        var words: [String] = []
        // Nil between two words.
        var word: String?
        var quote: Character?
        var rest = text[...]
        while let character = rest.popFirst() {
            if character == quote {
                quote = nil
            } else if character == "\\", quote != "'", let next = rest.popFirst() {
                word = (word ?? "") + String(next)
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if quote == nil, character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return quote == nil ? words : nil
    }
}

/// The files that a command reads and writes, which must all be different files, whatever their names.
struct OwnFiles {
    /// The paths of those that are not outputs.
    private(set) var paths: [String] = []
    private var names: [FileKey: String] = [:]
    /// Marker files of several outputs may share a name, since they are numbered then.
    private var markerNames: [FileKey: String] = [:]

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - name: What it is, for messages: `the report`.
    ///   - path: Nil if there is none.
    /// - Throws: `ValidationError` if the same file was added before.
    mutating func add(_ name: String, _ path: String?) throws {
        guard let path else { return }
        let keys = FileKey.keys(ofPath: path)
        try check("\(name) '\(path)'", keys, against: markerNames)
        try add("\(name) '\(path)'", keys)
        paths.append(path)
    }

    /// Adds the files of outputs.
    mutating func add(_ outputs: [RecordingOutput]) throws {
        for output in outputs { try add("the output \(output.destination)", output.destination.keys) }
        for output in outputs {
            let name = "the marker file of \(output.destination)"
            try check(name, output.destination.markerKeys, against: names)
            for key in output.destination.markerKeys { markerNames[key] = name }
        }
    }

    private mutating func add(_ name: String, _ keys: [FileKey]) throws {
        try check(name, keys, against: names)
        for key in keys { names[key] = name }
    }

    private func check(_ name: String, _ keys: [FileKey], against names: [FileKey: String]) throws {
        guard let other = keys.compactMap({ names[$0] }).first else { return }
        throw ValidationError("\(name) is the same file as \(other). Give each its own file.")
    }
}
