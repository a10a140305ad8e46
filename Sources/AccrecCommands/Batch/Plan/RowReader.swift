import ACCAudioRecorder
import ArgumentParser

/// Makes takes of the rows of a manifest, by the very options of `accrec record`.
struct RowReader {
    /// How many takes a row may be.
    static let mostRepetitions = 10_000

    private let keys: ManifestKeys
    /// What holds for all takes, as on the command line of each.
    private let flags: [String]
    /// Whether somebody ends the takes that have no duration.
    private let isPrompted: Bool
    /// What holds where a row says nothing.
    private var defaults = Content()

    /// What a row says, or the defaults, as far as it is right.
    private struct Content {
        var settings: [RowSetting] = []
        var count: Int?
        var pause: Double?
        var prompt: String?
        var start: StartTime?

        func has(_ option: OptionDefinition) -> Bool { settings.contains { $0.option == option } }
    }

    /// - Parameters:
    ///   - flags: What holds for all takes, as on the command line of each.
    ///   - isPrompted: Whether somebody ends the takes that have no duration.
    ///   - entries: The defaults of the manifest, which go before the user's own, and after those of the command line.
    ///   - inForce: Both of these.
    init(
        keys: ManifestKeys, flags: [String], isPrompted: Bool, defaults entries: [ManifestEntry], inForce: [Setting],
        _ mistakes: inout ManifestMistakes
    ) {
        self.keys = keys
        self.flags = flags
        self.isPrompted = isPrompted
        var content = content(of: entries, &mistakes)
        for row in content.settings where keys.takeOptions.contains(row.option) {
            do {
                _ = try BatchTakeOptions.parse(row.setting.arguments)
            } catch {
                mistakes.add(Self.message(of: error, in: row), line: row.line)
            }
        }
        let ofManifest = content.settings
        content.settings = []
        let ofCommandLine = inForce.filter { $0.origin == .commandLine }.map { RowSetting($0) }
        let ofUser = inForce.filter { $0.origin != .commandLine }.map { RowSetting($0) }
        for layer in [ofCommandLine, ofManifest, ofUser] {
            content.settings += layer.filter { !content.has($0.option) }
        }
        defaults = content
    }

    /// The takes of a row; nil where it has mistakes.
    func takes(of row: ManifestRow, _ mistakes: inout ManifestMistakes) -> BatchRow? {
        var own = ManifestMistakes(path: mistakes.path)
        var content = content(of: row.entries, &own)
        let lower = defaults.settings.filter { !content.has($0.option) }
        if !(lower + content.settings).contains(where: \.isOutput),
            !row.entries.contains(where: { $0.key == "output" })
        {
            own.add("a take needs 'output', which names its file", line: row.line)
        }
        guard own.isEmpty, let command = command(for: content, over: lower, line: row.line, &own) else {
            mistakes.add(contentsOf: own)
            return nil
        }
        content.count = content.count ?? defaults.count
        content.prompt = content.prompt ?? defaults.prompt
        do {
            return BatchRow(
                takes: try takes(of: command, content, line: row.line), start: content.start ?? defaults.start,
                pause: content.pause ?? defaults.pause ?? 0)
        } catch {
            mistakes.add(Self.message(of: error), line: row.line)
            return nil
        }
    }

    private func takes(of command: RecordCommand, _ content: Content, line: Int) throws -> [BatchTake] {
        guard command.take.limits.longest != nil || isPrompted else {
            throw ValidationError("a take needs 'duration', unless somebody ends it (--prompt)")
        }
        let count = content.count ?? 1
        let outputs = try command.recordingOutputs()
        let configuration = ACCAudioRecorder.Configuration(command.take, for: command.output.output.first)
        return try (1...count).map { repetition in
            BatchTake(
                line: line, repetition: repetition, configuration: configuration,
                outputs: try outputs.map { try Self.naming($0, repetition, of: count) },
                duration: command.take.limits.longest?.seconds, endsByKey: isPrompted,
                isStrict: command.take.trouble.strict, prompt: content.prompt)
        }
    }

    /// The output with its name filled in, which has to be known before the take.
    private static func naming(_ output: RecordingOutput, _ repetition: Int, of count: Int) throws -> RecordingOutput {
        var output = output
        switch output.destination {
        case .descriptor:
            throw ValidationError("a take of a batch goes to a file, and not to standard output")
        case .file(let path):
            guard count == 1 else {
                throw ValidationError("'\(path)' is one file for \(count) takes: put '{n}' into its name")
            }
        case .pattern(let pattern):
            let digits = String(repetition)
            let number = String(repeating: "0", count: max(3 - digits.count, 0)) + digits
            let path = pattern.template.replacing("{n}", with: number)
            guard !FilePattern.isPattern(path) else {
                throw ValidationError(
                    "'\(pattern.template)' is not known before the take: of all that is filled in, a batch has '{n}' only"
                )
            }
            output.destination = .file(path: path)
        }
        return output
    }
}

// MARK: - What a row says

extension RowReader {
    private func content(of entries: [ManifestEntry], _ mistakes: inout ManifestMistakes) -> Content {
        var content = Content()
        for entry in entries {
            do {
                if let key = ManifestKeys.Own(rawValue: entry.key) {
                    try take(key, entry, &content)
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

    private func take(_ key: ManifestKeys.Own, _ entry: ManifestEntry, _ content: inout Content) throws {
        let text = entry.value.argument
        switch key {
        case .count:
            guard let count = text.flatMap({ Int($0) }), (1...Self.mostRepetitions).contains(count) else {
                throw ValidationError("'count' takes a whole number from 1 to \(Self.mostRepetitions)")
            }
            content.count = count
        case .pause:
            guard let pause = text == "0" ? 0 : text.flatMap(TakeLength.init)?.seconds else {
                throw ValidationError("'pause' takes a length of time, such as 2.5, 90s or 5m")
            }
            content.pause = pause
        case .prompt:
            guard let text else { throw ValidationError("'prompt' takes a text") }
            content.prompt = text
        case .start:
            guard let start = text.flatMap(StartTime.init) else {
                throw ValidationError("'start' takes a time, such as 18:30 or 2026-11-21T18:30")
            }
            content.start = start
        case .duration:
            guard let option = keys.option("max") else { return }
            content.settings += try Self.settings(option, entry)
        case .tags:
            guard let option = keys.option("tag") else { return }
            content.settings += try Self.tags(option, entry)
        }
    }

    /// An option that may be given several times has a setting for each element of a list.
    private static func settings(_ option: OptionDefinition, _ entry: ManifestEntry) throws -> [RowSetting] {
        let values: [String?]
        if option.isFlag {
            guard let isTrue = entry.value.isTrue else {
                throw ValidationError("'\(entry.key)' is true or false")
            }
            values = [String(isTrue)]
        } else if case .list(let list) = entry.value, ["output", "tag"].contains(option.name) {
            values = list.map(\.argument)
        } else {
            values = [entry.value.argument]
        }
        return try values.map { value in
            guard let value else { throw ValidationError("'\(entry.key)' takes a number or a text") }
            return RowSetting(option, value, of: entry)
        }
    }

    /// A table, or as a text `mood=calm; room=hall`.
    private static func tags(_ option: OptionDefinition, _ entry: ManifestEntry) throws -> [RowSetting] {
        let tags: [String]
        switch entry.value {
        case .table(let table):
            tags = try table.sorted { $0.key < $1.key }.map { key, value in
                guard let text = value.argument else { throw ValidationError("the tag '\(key)' takes a text") }
                return "\(key)=\(text)"
            }
        case .text(let text):
            tags = text.split(separator: /\s*;\s*/).map(String.init)
        default:
            throw ValidationError("'tags' takes a table of texts")
        }
        return tags.map { RowSetting(option, $0, of: entry) }
    }
}

// MARK: - What the parser makes of it

extension RowReader {
    /// The command that a row stands for; nil where it is none, for which each reason is told with its line.
    ///
    /// - Parameter lower: What holds where the row says nothing.
    private func command(
        for content: Content, over lower: [RowSetting], line: Int, _ mistakes: inout ManifestMistakes
    ) -> RecordCommand? {
        // As a rule all goes together, and is looked at once.
        let all = flags + (lower + content.settings).flatMap(\.setting.arguments)
        if let command = try? RecordCommand.parse(all) { return command }
        // An output and its format ahead of the rest, for without them nothing is a command.
        let ahead = (lower + content.settings).filter { $0.option.name == "format" } + lower.filter(\.isOutput)
        var arguments = flags + ahead.flatMap(\.setting.arguments)
        let rest = content.settings.filter { !$0.isOutput && $0.option.name != "format" }
        for row in content.settings.filter(\.isOutput) + rest {
            do {
                _ = try RecordCommand.parse(arguments + row.setting.arguments)
                arguments += row.setting.arguments
            } catch {
                mistakes.add(Self.message(of: error, in: row), line: row.line)
                if row.isOutput { return nil }
            }
        }
        // What does not go with what goes before it gives way.
        for row in lower where (try? RecordCommand.parse(row.setting.arguments + arguments)) != nil {
            arguments = row.setting.arguments + arguments
        }
        do {
            guard mistakes.isEmpty else { return nil }
            return try RecordCommand.parse(arguments)
        } catch {
            mistakes.add(Self.message(of: error), line: line)
            return nil
        }
    }

    /// What the parser says, of keys instead of options.
    ///
    /// - Parameter row: What it says that of; nil for the whole.
    private static func message(of error: any Error, in row: RowSetting? = nil) -> String {
        let message = Mistake.message(for: error, in: RecordCommand.self as any ParsableArguments.Type)
            .replacing("--", with: "")
        guard let row else { return message }
        return message.replacing("'\(row.option.name) <", with: "'\(row.key) <")
    }
}
