import ACCAudioRecorder
import ArgumentParser

/// Describes a mistake on the command line in one line, with a suggestion for a misspelt word.
///
/// The parser suggests the nearest option itself. Commands and values are handled here.
enum UsageMessage {
    /// The message for a parser error.
    static func message(
        for error: any Error, in command: any ParsableCommand.Type, arguments: [String]
    ) -> String {
        if let word = arguments.first, !word.hasPrefix("-"), !commandNames(of: command).contains(word) {
            return unknownCommand(word, of: command)
        }
        let subcommand = command.configuration.subcommands.first { $0.configuration.commandName == arguments.first }
        // The parser reports first what is missing, which may be what was misspelt.
        if let subcommand, let unknown = unknownOption(in: arguments.dropFirst(), of: subcommand) { return unknown }
        if subcommand == nil, let word = arguments.first, word.hasPrefix("-") {
            return unknownOption(word, of: command)
        }
        let message = message(for: error, in: command)
        if let subcommand, message.hasPrefix("unexpected argument") {
            let name = subcommand.configuration.commandName ?? ""
            let hint = source(in: message, of: subcommand).map { "Did you mean 'accrec \(name) -d \($0)'?" }
            return "\(message). \(hint ?? "'accrec \(name) --help' shows what it takes.")"
        }
        return hyphenated(message, arguments) ?? message
    }

    /// The word that is probably a source: the only one that is too many, for a command that takes a source and no word.
    private static func source(in message: String, of command: any ParsableCommand.Type) -> String? {
        let options = (try? OptionDefinition.all(of: command)) ?? []
        let names = options.map(\.name)
        // `config` has a source among all options of a recording.
        guard names.contains("device"), !names.contains("encoding"), !OptionDefinition.takesWords(command) else {
            return nil
        }
        return Pattern("^unexpected argument '(.*)'$").groups(of: message)?[0]
            .map { $0.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) } ? $0 : "\"\($0)\"" }
    }

    /// The message for a command that does not exist.
    static func unknownCommand(_ word: String, of root: any ParsableCommand.Type) -> String {
        let hint =
            Container(path: word).map { _ in "Did you mean 'accrec record \(word)'?" }
            ?? Habits.command(for: word).map { "Did you mean 'accrec \($0)'?" }
            ?? NearestWord.to(word, among: commandNames(of: root)).map { "Did you mean '\($0)'?" }
        return "no command '\(word)'. \(hint ?? "'accrec --help' lists the commands.")"
    }

    /// The message for an option before a command, which is nearly always meant for a recording.
    private static func unknownOption(_ word: String, of root: any ParsableCommand.Type) -> String {
        let name = word.prefix { $0 != "=" }
        let recording = root.configuration.subcommands.first { $0.configuration.commandName == "record" }
        let options = recording.flatMap { try? OptionDefinition.all(of: $0) } ?? []
        let isOfRecording = options.contains { option in
            "--\(option.name)" == name || option.letters.contains { "-\($0)" == name }
        }
        if isOfRecording { return "'\(name)' belongs to a command. Did you mean 'accrec record \(name)'?" }
        let isVersion =
            ["-V", "-v"].contains(name) || NearestWord.to(String(name.drop { $0 == "-" }), among: ["version"]) != nil
        if isVersion { return "unknown option '\(name)'. Did you mean '--version'?" }
        let command = Habits.command(for: String(name.drop { $0 == "-" }))
        return "unknown option '\(name)'. "
            + (command.map { "Did you mean 'accrec \($0)'?" } ?? "'accrec --help' lists the commands.")
    }

    private static func commandNames(of root: any ParsableCommand.Type) -> [String] {
        root.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    }

    /// The message for a missing value that is there but begins with a hyphen.
    private static func hyphenated(_ message: String, _ arguments: [String]) -> String? {
        guard let match = Pattern("missing value for '(-[^ ]*) <(.*)>'").groups(of: message),
            let option = match[0], let kind = match[1], let index = arguments.firstIndex(of: option),
            let value = arguments.dropFirst(index + 1).first, value.hasPrefix("-")
        else { return nil }
        if kind != "text", Pattern("-[0-9.:]+[A-Za-z]*").groups(of: value) != nil {
            let invalid = "the value '\(value)' is invalid for '\(option) <\(kind)>': it is negative"
            // Who gives a level there means the option that has one.
            return option == "--stop-on-silence"
                ? "\(invalid). Give a time such as 3s; --silence-level \(value) sets the level." : invalid
        }
        return "\(message). Write a value that begins with '-' after an equals sign: \(option)=\(value)"
    }

    /// The message for the first option that the command does not have; nil where it has all of them.
    private static func unknownOption(in arguments: some Sequence<String>, of command: any ParsableCommand.Type)
        -> String?
    {
        guard let options = try? OptionDefinition.all(of: command) else { return nil }
        var words = CommandLineWords(Array(arguments), options: options)
        _ = words.given()
        guard let wrong = words.unknown.first(where: { !["--help", "--version", "-h"].contains($0) }) else {
            return nil
        }
        let name = command.configuration.commandName ?? ""
        let list = "'accrec \(name) \(command is any HelpfulCommand.Type ? "-h" : "--help")' lists the options"
        if let habit = Habits.answer(to: wrong, among: options) {
            return "unknown option '\(wrong)': \(habit). \(list)"
        }
        // A misspelt word must not lead to an option that destroys.
        let names =
            options.flatMap { [$0.name, $0.inverse].compactMap(\.self) }.filter { $0 != "force" } + ["help", "version"]
        let hint = NearestWord.to(String(wrong.drop { $0 == "-" }), among: wrong.count > 2 ? names : [])
        return "unknown option '\(wrong)'. \(hint.map { "Did you mean '--\($0)'?" } ?? list)"
    }

    /// The message for a parser error in a group of options without a command.
    static func message(for error: any Error, in options: any ParsableArguments.Type) -> String {
        // The parser lists the values of an option in one row or, where they are many, a line each after a hyphen:
        // "The value 'x' is invalid for '--option'. Please provide one of the following: - a - b".
        // For letters in one word it adds how else they could be read: "Unknown option '-x' or: Missing value …".
        let message = lowercased(oneLine(options.message(for: error)).replacing(#/ or: .*/#, with: ""))
            .replacing("missing expected argument", with: "missing argument", maxReplacements: 1)
        let parts = message.split(separator: "Please provide one of ", maxSplits: 1)
        guard parts.count == 2, let value = parts[0].split(separator: "'").dropFirst().first else { return message }
        let values = parts[1].split { " ',.:".contains($0) }.map(String.init)
            .filter { !["or", "the", "following", "-"].contains($0) }
        let habit = Habits.encoding(for: value.lowercased()).flatMap { values.contains($0) ? $0 : nil }
        let hint = (habit ?? NearestWord.to(String(value), among: values)).map { " Did you mean '\($0)'?" } ?? ""
        return "\(parts[0])Give one of \(values.joined(separator: ", ")).\(hint)"
    }

    /// Cuts the middle out of a message that is too long, for example because a value was a whole file.
    static func shortened(_ message: String) -> String {
        let longest = 1_000
        // A character has at least one byte.
        guard message.utf8.count > longest, message.count > longest else { return message }
        return "\(message.prefix(longest / 2)) … \(message.suffix(longest / 2))"
    }

    /// Messages begin in lower case, after `accrec:`, and end without a full stop where they are one sentence.
    private static func lowercased(_ message: String) -> String {
        let isOneSentence = !message.dropLast().contains(". ")
        return message.prefix(1).lowercased()
            + (isOneSentence && message.hasSuffix(".") ? message.dropFirst().dropLast() : message.dropFirst())
    }

    private static func oneLine(_ message: String) -> String {
        message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

/// What people type who come from other recorders, and what they mean.
enum Habits {
    /// A word that is an option elsewhere.
    private struct Habit {
        let words: [String]
        /// The option here, or what else to do.
        let answer: String
    }

    private static let habits: [Habit] = [
        Habit(words: ["--source", "--input-device", "--dev", "-D", "-i", "--input"], answer: "-d names the source"),
        Habit(
            words: ["-t", "--time", "--length", "--seconds", "--stop-after"],
            answer: "--duration, or --max, ends after a time, such as 10 or 1h"),
        Habit(words: ["--end-at", "--stop-at", "--end"], answer: "--until ends at a time of day, --max after a time"),
        Habit(words: ["-f"], answer: "-r 44100 -c 2 --encoding s16 sets the form; the file's name sets the format"),
        Habit(words: ["--overwrite", "-y"], answer: "--force replaces an existing file"),
        Habit(words: ["--split"], answer: "--split-every and --split-size begin new files"),
        Habit(
            words: ["--start", "--from", "--begin"],
            answer: "--start-at begins at a time of day, --start-in after a time"),
        Habit(words: ["--out", "--output-file", "--file", "--name"], answer: "-o names the file, or --auto-name does"),
        Habit(words: ["--vad", "--voice-activation"], answer: "--start-on-sound begins with a sound"),
        Habit(
            words: ["--monitor", "--loopback", "--system-audio"], answer: "--desktop records what the desktop plays"),
        Habit(words: ["--bits", "--bit-depth", "--sample-format"], answer: "--encoding sets s16, s24 or f32"),
        Habit(words: ["--application", "--program"], answer: "--app records what one application plays"),
        Habit(words: ["--mono", "--stereo"], answer: "-c 1 and -c 2 set the channels"),
        Habit(words: ["--call", "--meeting"], answer: "--mic --desktop records both sides"),
        Habit(
            words: ["--segment", "--segment-time", "--rotate"], answer: "--split-every begins a new file each 10m or 1h"
        ),
        Habit(
            words: ["--levels", "--meter", "--show-levels"],
            answer: "the meter shows them; --history draws them over time"),
        Habit(words: ["--silence"], answer: "--stop-on-silence ends after a silence"),
        Habit(words: ["--json"], answer: "--report writes the report as JSON, --events what happens meanwhile"),
        Habit(words: ["--microphone"], answer: "--mic records the microphone, as without an option"),
        Habit(
            words: ["--volume", "--amplify", "--normalize", "--normalise", "--agc"],
            answer: "accrec changes no levels. Set the source's volume, or change the file afterwards with SoX"),
        Habit(words: ["--append", "--resume"], answer: "pause a recording instead, or name each file with {n}"),
        Habit(words: ["-l", "-L", "--list", "--list-devices"], answer: "'accrec devices' lists the sources"),
        Habit(words: ["--verbose"], answer: "all messages are shown unless --quiet is given"),
        Habit(
            words: ["--background", "--daemon"], answer: "end the line with '&'; 'accrec ctl stop' ends the recording"),
        Habit(words: ["-V"], answer: "the meter is shown on a terminal by itself"),
    ]

    private static let habitsOfPlaying = [
        Habit(
            words: ["--from", "--begin", "--seek", "--offset", "--position", "-ss", "-s"],
            answer: "--start begins at a time, such as 1:30, or at a marker"),
        Habit(words: ["--sink", "--output", "-o", "--output-device", "-D"], answer: "-d names the sink"),
        Habit(words: ["--repeat", "--loop"], answer: "accrec plays a file once; a loop of the shell plays it again"),
        Habit(
            words: ["--max", "--duration", "-t", "--until", "--end", "--to"],
            answer: "a file is played to its end; q or Ctrl-C stops"),
        Habit(words: ["--volume", "--gain", "-v"], answer: "the sound server sets the volume, by its mixer or pactl"),
    ]

    /// What to do instead of an option that a command does not have; nil for any other word.
    ///
    /// - Parameter options: The options of the command. Of those that record, and of `play`, habits are known.
    static func answer(to word: String, among options: [OptionDefinition]) -> String? {
        let names = Set(options.map(\.name))
        let known = names.isSuperset(of: ["max", "encoding"]) ? habits : names.contains("start") ? habitsOfPlaying : []
        return known.first { $0.words.contains(word) }?.answer
    }

    /// What other programs call commands, and the command here.
    private static let commands = [
        "list": "devices", "sources": "devices", "list-devices": "devices", "l": "devices", "L": "devices",
        "pause": "ctl pause", "resume": "ctl resume", "stop": "ctl stop",
        "mark": "ctl mark", "split": "ctl split", "verify": "check", "validate": "check", "fix": "repair",
        "picture": "check --picture", "plot": "check --picture", "monitor": "meter", "levels": "meter",
        "start": "record", "capture": "record", "toggle": "ctl toggle", "save": "ctl save", "discard": "ctl discard",
        "status": "ctl", "apps": "devices --apps", "version": "--version",
    ]

    /// What people call encodings, and the encoding.
    private static let encodings = [
        "16bit": "s16", "16-bit": "s16", "int16": "s16", "pcm": "s16", "24bit": "s24", "24-bit": "s24", "int24": "s24",
        "32bit": "s32", "32-bit": "s32", "int32": "s32", "float": "f32", "float32": "f32", "double": "f64",
        "float64": "f64", "s16_le": "s16", "s24_le": "s24", "s32_le": "s32", "float_le": "f32", "pcm_s16le": "s16",
        "pcm_s24le": "s24", "pcm_s32le": "s32", "pcm_f32le": "f32",
    ]

    /// The encoding that is meant by a word that is none; nil for any other word.
    static func encoding(for word: String) -> String? { encodings[word] }

    /// The command that is meant by a word that is none; nil for any other word.
    static func command(for word: String) -> String? { commands[word] }
}
