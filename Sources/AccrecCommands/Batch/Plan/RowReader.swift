import ACCAudioRecorder
import ArgumentParser

/// Turns the rows of a manifest into takes, using the option parser of `accrec record`.
struct RowReader {
    /// The maximum number of repetitions of a row.
    static let maximumRepetitions = 10_000
    /// The maximum number of elements in a list of outputs, tags or channels.
    static let maximumElements = 100
    /// The maximum length of a text, in bytes.
    static let longestText = 65_536

    private let keys: Manifest.Keys
    /// The options that apply to every take, as command-line arguments.
    private let flags: [String]
    /// Whether a person ends the takes that have no duration.
    private let isPrompted: Bool
    /// Defaults for what a row does not set.
    private var defaults = Content()
    private var parser: Parser

    /// The valid content of a row, or of the defaults.
    private struct Content {
        var settings: [Given] = []
        var count: Int?
        var pause: Double?
        var prompt: String?
        var start: WallTime?
        var check: BatchTake.Check?

        func has(_ option: OptionDefinition) -> Bool { settings.contains { $0.option.name == option.name } }
    }

    /// - Parameters:
    ///   - flags: The options that apply to every take, as command-line arguments.
    ///   - isPrompted: Whether a person ends the takes that have no duration.
    ///   - entries: The manifest's defaults, which override the configuration file and are overridden by the command
    ///     line.
    ///   - effective: The settings of the command line and of the configuration file.
    init(
        keys: Manifest.Keys, flags: [String], isPrompted: Bool, defaults entries: [Manifest.Entry],
        effective: [Setting],
        _ mistakes: inout FileMistakes
    ) {
        self.keys = keys
        self.flags = flags
        self.isPrompted = isPrompted
        parser = Parser(flags: flags)
        var content = content(of: entries, &mistakes)
        for row in content.settings where keys.recordingOptions.contains(row.option) {
            do {
                _ = try RecordingOptions.Shared.parse(row.setting.arguments)
            } catch {
                mistakes.add(Self.message(of: error, in: row), line: row.line)
            }
        }
        let ofManifest = content.settings
        content.settings = []
        let ofCommandLine = effective.filter { $0.origin == .commandLine }.map { Given($0) }
        let ofUser = effective.filter { $0.origin != .commandLine }.map { Given($0) }
        for layer in [ofCommandLine, ofManifest, ofUser] {
            content.settings += layer.filter { !content.has($0.option) }
        }
        defaults = content
    }

    /// The takes of a row, or nil if it has mistakes.
    mutating func takes(of row: Manifest.Row, _ mistakes: inout FileMistakes) -> BatchPlan.Row? {
        var own = FileMistakes(path: mistakes.path)
        var content = content(of: row.entries, &own)
        let lower = defaults.settings.filter { !content.has($0.option) }
        // An empty list gives nothing.
        let given =
            (lower + content.settings).map(\.option.name) + row.entries.filter { $0.value != .list([]) }.map(\.key)
        if !given.contains("output") { own.add("'output' is missing (the file to record to)", line: row.line) }
        if !isPrompted, !given.contains("max"), !given.contains("duration") {
            own.add(
                "'duration' is missing. --max sets it for all rows; with --prompt, a key ends each take", line: row.line
            )
        }
        guard let recording = recording(of: content, over: lower, line: row.line, &own), own.isEmpty else {
            mistakes.add(contentsOf: own)
            return nil
        }
        content.count = content.count ?? defaults.count
        content.prompt = content.prompt ?? defaults.prompt
        content.check = content.check ?? defaults.check
        do {
            return BatchPlan.Row(
                takes: try takes(of: recording, content, line: row.line), start: content.start ?? defaults.start,
                pause: content.pause ?? defaults.pause ?? 0)
        } catch {
            mistakes.add(Self.message(of: error), line: row.line)
            return nil
        }
    }

    private func takes(of recording: Recording, _ content: Content, line: Int) throws -> [BatchTake] {
        let count = content.count ?? 1
        return try (1...count).map { repetition in
            BatchTake(
                line: line, repetition: repetition, settings: recording.settings,
                outputs: try recording.outputs.map { try Self.fillingIn($0, repetition, of: count) },
                duration: recording.longest?.seconds, endsByKey: isPrompted,
                check: content.check, prompt: content.prompt)
        }
    }

    /// The output with placeholders filled in, since file names must be known before the take.
    private static func fillingIn(_ output: RecordingOutput, _ repetition: Int, of count: Int) throws -> RecordingOutput
    {
        var output = output
        switch output.destination {
        case .descriptor:
            throw ValidationError("a batch records to files, not to standard output")
        case .file(let path):
            try check(path, hasNumber: false, for: count)
        case .pattern(let pattern):
            try check(pattern.template, hasNumber: pattern.hasNumber, for: count)
            guard let path = pattern.path(number: repetition) else {
                throw ValidationError(
                    "'\(pattern.template)' is only known during the recording: of all placeholders, a batch has {n} only"
                )
            }
            output.destination = .file(path: path)
        }
        return output
    }

    private static func check(_ name: String, hasNumber: Bool, for count: Int) throws {
        guard count == 1 || hasNumber else {
            throw ValidationError("'\(name)' names one file for \(count) takes: put {n} into the name")
        }
    }
}

// MARK: - The content of a row

extension RowReader {
    private func content(of entries: [Manifest.Entry], _ mistakes: inout FileMistakes) -> Content {
        var content = Content()
        for entry in entries {
            do {
                if let key = Manifest.Keys.Own(rawValue: entry.key) {
                    try apply(key, entry, &content)
                } else if let option = keys.option(entry.key) {
                    content.settings += try Self.settings(option, entry)
                } else if let mistake = keys.mistake(in: entry.key) {
                    throw ValidationError(mistake)
                }
            } catch {
                mistakes.add(Self.message(of: error), line: entry.line)
            }
        }
        return content
    }

    private func apply(_ key: Manifest.Keys.Own, _ entry: Manifest.Entry, _ content: inout Content) throws {
        let text = entry.value.argument
        switch key {
        case .count:
            guard let count = text.flatMap({ Int($0) }), (1...Self.maximumRepetitions).contains(count) else {
                throw ValidationError("'count' must be a whole number from 1 to \(Self.maximumRepetitions)")
            }
            content.count = count
        case .pause:
            guard let pause = text == "0" ? 0 : text.flatMap(RecordingLength.init)?.seconds else {
                throw ValidationError("'pause' must be a length of time, such as 2.5, 90s or 5m")
            }
            content.pause = pause
        case .prompt:
            guard let text else { throw ValidationError("'prompt' must be text") }
            content.prompt = text
        case .start:
            guard let start = text.flatMap(WallTime.init) else {
                throw ValidationError("'start' must be a time, such as 18:30 or 2026-11-21T18:30")
            }
            content.start = start
        case .duration:
            guard let option = keys.option("max") else { return }
            content.settings += try Self.settings(option, entry)
        case .tags:
            guard let option = keys.option("tag") else { return }
            content.settings += try Self.tags(option, entry)
        case .check:
            content.check = try Self.check(entry.value)
        }
    }

    /// What a take must be like: true, false, or limits of `accrec check` as a table or as text such as
    /// `min-distance=30; ignore=identical`.
    private static func check(_ value: Manifest.Value) throws -> BatchTake.Check {
        let limits: [(name: String, value: String?)]
        switch value {
        case _ where value.isTrue != nil: limits = []
        case .table(let table): limits = table.sorted { $0.key < $1.key }.map { ($0.key, $0.value.argument) }
        case .text(let text): limits = pairs(in: text)
        default: throw ValidationError("'check' must be true, false or a table of limits")
        }
        do {
            let arguments = try limits.flatMap { name, value in
                guard let value else { throw ValidationError("'\(name)' has no value") }
                return ["--\(name)", value]
            }
            return BatchTake.Check(try CheckLimits.parse(arguments), isWanted: value.isTrue != false)
        } catch {
            let cause = UsageMessage.message(for: error, in: CheckLimits.self).replacing("--", with: "")
            throw ValidationError("'check': \(cause)")
        }
    }

    /// The settings for an option; one that may be repeated has a setting for each element of a list.
    private static func settings(_ option: OptionDefinition, _ entry: Manifest.Entry) throws -> [Given] {
        let values: [String?]
        if case .list(let list) = entry.value { try check(count: list.count, of: entry) }
        if option.isFlag {
            guard let isTrue = entry.value.isTrue else {
                throw ValidationError("'\(entry.key)' must be true or false")
            }
            values = [String(isTrue)]
        } else if case .list(let list) = entry.value, option.mayRepeat {
            values = list.map(\.argument)
        } else {
            values = [entry.value.argument]
        }
        return try settings(
            option,
            values.map { value in
                guard let value else { throw ValidationError("'\(entry.key)' must be a number or text") }
                return value
            }, of: entry)
    }

    private static func settings(
        _ option: OptionDefinition, _ values: [String], of entry: Manifest.Entry
    ) throws -> [Given] {
        try check(count: values.count, of: entry)
        return try values.map { value in
            guard value.utf8.count <= longestText else {
                throw ValidationError("'\(entry.key)' has \(value.utf8.count) bytes, more than \(longestText)")
            }
            guard !value.unicodeScalars.contains("\0") else {
                throw ValidationError("'\(entry.key)' contains a NUL character")
            }
            return Given(option, value, of: entry)
        }
    }

    private static func check(count: Int, of entry: Manifest.Entry) throws {
        guard count <= maximumElements else {
            throw ValidationError("'\(entry.key)' has \(count) elements, more than \(maximumElements)")
        }
    }

    /// The parts of a text such as `mood=calm; room=hall`, with names and values.
    private static func parts(of text: String) -> [String] {
        text.split(separator: ";").map(\.trimmingWhitespace).filter { !$0.isEmpty }
    }

    private static func pairs(in text: String) -> [(name: String, value: String?)] {
        parts(of: text).map { part in
            let parts = part.split(separator: "=", maxSplits: 1).map(\.trimmingWhitespace)
            return (parts[0], parts.count == 2 ? parts[1] : nil)
        }
    }

    /// Tags, given as a table or as text such as `mood=calm; room=hall`.
    private static func tags(_ option: OptionDefinition, _ entry: Manifest.Entry) throws -> [Given] {
        let tags: [String]
        switch entry.value {
        case .table(let table):
            tags = try table.sorted { $0.key < $1.key }.map { key, value in
                guard let text = value.argument else { throw ValidationError("the tag '\(key)' must be text") }
                return "\(key)=\(text)"
            }
        case .text(let text):
            tags = parts(of: text)
        default:
            throw ValidationError("'tags' must be a table of text values")
        }
        return try settings(option, tags, of: entry)
    }
}

// MARK: - Parsing the options

extension RowReader {
    /// What a row records, or nil if its settings are invalid together, in which case each reason is reported with its line.
    ///
    /// - Parameter lower: Settings that the row overrides.
    private mutating func recording(
        of content: Content, over lower: [Given], line: Int, _ mistakes: inout FileMistakes
    ) -> Recording? {
        // The common case: everything is valid together.
        if let recording = parser.recording(lower + content.settings) { return recording }
        // The output and its format go first, because nothing can be parsed without them.
        let ahead = (lower + content.settings).filter { $0.option.name == "format" } + lower.filter(\.isOutput)
        var arguments = flags + ahead.flatMap(\.setting.arguments)
        let rest = content.settings.filter { !$0.isOutput && $0.option.name != "format" }
        for row in content.settings.filter(\.isOutput) + rest {
            do {
                _ = try RecordCommandOptions.parse(arguments + row.setting.arguments)
                arguments += row.setting.arguments
            } catch {
                mistakes.add(Self.message(of: error, in: row), line: row.line)
            }
        }
        // Leave out defaults that contradict the row.
        for row in lower where (try? RecordCommandOptions.parse(row.setting.arguments + arguments)) != nil {
            arguments = row.setting.arguments + arguments
        }
        do {
            guard mistakes.isEmpty else { return nil }
            return try Recording(RecordCommandOptions.parse(arguments))
        } catch {
            mistakes.add(Self.message(of: error), line: line)
            return nil
        }
    }

    /// The parser's message, with manifest keys instead of options.
    ///
    /// - Parameter row: The setting that the message is about; nil for the whole row.
    private static func message(of error: any Error, in row: Given? = nil) -> String {
        let message = UsageMessage.message(for: error, in: RecordCommandOptions.self)
            .replacing("--", with: "")
        guard let row else { return message }
        return message.replacing("'\(row.option.name) <", with: "'\(row.key) <")
    }
}
