import ACCAudioRecorder
import ArgumentParser
import Glibc

/// Options for the outputs of a recording.
struct OutputOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The file to create, as with --output. Without one, it is named by date and time.",
            valueName: "file"),
        completion: .file(extensions: Container.allCases.flatMap(\.fileExtensions)),
        transform: Output.init)
    var files: [Output] = []

    // The next argument is always the value, even if it begins with a hyphen, as in '-,format=wav'.
    @Option(
        name: .longAndJoined("o"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            The file to create; its extension chooses the format. '-' writes raw samples to standard output. May be \
            repeated, each with its own settings: 'speech.flac,rate=16000,channels=1'. Placeholders such as %Y-%m-%d, \
            {utc:%H}, {n} and {device} are replaced.
            """, valueName: "file"),
        completion: .file(extensions: Container.allCases.flatMap(\.fileExtensions)),
        transform: Output.init)
    var output: [Output] = []

    @Flag(help: "Name the file by date and time, in the given directory or the current one.")
    var autoName = false

    @Flag(help: "Create missing directories.")
    var mkdir = false

    @Flag(help: "Replace an existing file once the new recording is complete.")
    var force = false

    @Option(
        help: ArgumentHelp(
            """
            Whether several sources are aligned. 'off' records each as if it were alone, into files of its own; the \
            report says when their frames were captured.
            """, valueName: "whether"))
    var align: Alignment = .on

    /// Whether several sources are aligned.
    enum Alignment: String, ChoiceArgument {
        case on, off
    }

    /// The automatic file name, without its extension.
    private static let automaticName = "accrec-%Y-%m-%d_%H-%M-%S-{ms}"

    /// The outputs in the order of their settings: those of --output first.
    var all: [Output] { output + files }

    func validate() throws {
        guard all.count(where: { $0.place == "-" }) <= 1 else {
            throw ValidationError("standard output can be given only once")
        }
        guard !autoName || all.count <= 1 else {
            throw ValidationError(
                "--auto-name names only one file. Name several yourself, with '%H-%M-%S' for instance.")
        }
    }

    /// Whether neither a name nor an automatic one was asked for.
    var isWithoutName: Bool { all.isEmpty && !autoName }

    /// The requested outputs, or one with an automatic name in the given directory.
    ///
    /// - Parameter container: The format of those that set none.
    func arguments(for container: Container?) throws -> [Output] {
        guard autoName || all.isEmpty else { return all }
        var argument = try all.first ?? Output(".")
        let directory = FilePattern.escaped(argument.place)
        let fileExtension = (argument.container ?? container ?? .wav).fileExtensions[0]
        argument.place = directory == "." ? "" : directory.hasSuffix("/") ? directory : directory + "/"
        argument.place += "\(Self.automaticName).\(fileExtension)"
        return [argument]
    }

    /// An output with no other settings than these options.
    ///
    /// - Throws: A `ValidationError` for an unknown file extension, or if samples would go to a terminal.
    func recordingOutput(_ argument: Output, as container: Container?) throws -> RecordingOutput {
        if argument.place == "-" {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw ValidationError("standard output is a terminal. Pipe the samples to a program or a file.")
            }
            return RecordingOutput(.descriptor(STDOUT_FILENO), container: container ?? .raw)
        }
        if let container {
            try check(argument.place, isNamedLike: container)
        } else if Container(path: argument.place) == nil {
            throw ValidationError(missingFormat(of: argument.place))
        }
        var output = try RecordingOutput(
            path: argument.place, container: container, replacesExisting: force, makesDirectories: mkdir)
        output.destination = try Self.destination(ofPlace: argument.place)
        return output
    }

    /// Where an output with the name of a file, or of a pattern, goes.
    static func destination(ofPlace place: String) throws -> RecordingOutput.Destination {
        FilePattern.isPattern(place) ? .pattern(try FilePattern(place)) : .file(path: place)
    }

    /// What to do about a name that does not tell its format.
    private func missingFormat(of path: String) -> String {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            return "'\(path)' is a directory. Name a file in it; on the command line, --auto-name does."
        }
        let ending = path.split(separator: "/").last?.split(separator: ".").dropFirst().last ?? ""
        if ["m4a", "aac", "mp4", "mov", "mka", "mkv", "webm", "wma"].contains(ending.lowercased()) {
            return "accrec does not write .\(ending); ffmpeg does: "
                + "accrec record -o - --format wav | ffmpeg -i - take.\(ending)"
        }
        let words = files.count > 1 ? "Put a name with spaces in quotes. " : ""
        return "cannot tell the format of '\(path)': its extension is unknown. \(words)"
            + "Use .wav, .flac, .opus, .mp3 or another of 'accrec formats', or name it with --format."
    }

    /// Rejects a file name whose extension belongs to another format.
    private func check(_ path: String, isNamedLike container: Container) throws {
        guard let named = Container(path: path), named != container,
            !container.furtherExtensions.contains(where: named.fileExtensions.contains)
        else { return }
        throw ValidationError(
            "the name '\(path)' means \(named): use .\(container.fileExtensions[0]), or leave the format out")
    }
}

extension OutputOptions {
    /// An output as given to `--output`: a destination and optional settings, as in `speech.flac,rate=16000,channels=1`.
    struct Output: Hashable {
        /// A path, a pattern, or `-` for standard output.
        var place: String
        private(set) var container: Container?
        private(set) var format = FormatSettings()
        private(set) var compression: Compression?
        private(set) var dither: Bool?
        private(set) var bwf: Bool?
        private(set) var guano: Bool?
        private(set) var input: String?

        /// The names of the settings.
        private enum Key: String, CaseIterable {
            case rate, channels, encoding, dither, format, compression, bitrate, bwf, guano, input
        }

        /// - Throws: A `ValidationError` for an unknown setting.
        init(_ argument: String) throws {
            // A file name may contain commas; only trailing parts that look like settings are settings.
            let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
            let settings = parts.suffix(parts.dropFirst().reversed().prefix(while: Self.isSetting).count)
            place = parts.dropLast(settings.count).joined(separator: ",")
            guard !place.isEmpty else { throw ValidationError("name a file, or '-' for standard output") }
            guard !Self.isOption(place) else {
                throw ValidationError("'\(place)' is an option; name a file, or write './\(place)'")
            }
            for setting in settings {
                let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                    String.init)
                guard let key = Key(rawValue: parts[0]) else {
                    let names = Key.allCases.map(\.rawValue)
                    let meant = ["device", "source", "mic"].contains(parts[0]) ? "input" : nil
                    let hint = (meant ?? NearestWord.to(parts[0], among: names)).map { " Did you mean '\($0)'?" } ?? ""
                    throw ValidationError(
                        "unknown output setting '\(parts[0])'; there are \(names.joined(separator: ", ")).\(hint)")
                }
                try set(key, to: parts[1])
            }
        }

        /// Sets what is set here, which overrides the options of the recording.
        func apply(to output: inout RecordingOutput) {
            output.format = format.or(output.format)
            output.compression = compression ?? output.compression
            output.isDithered = dither ?? output.isDithered
            output.isBroadcastWave = bwf ?? output.isBroadcastWave
            if let guano { output.guano = guano ? output.guano ?? GUANOFields() : nil }
            output.input = input
        }

        /// This output for each of several inputs, if its name has the placeholder for one; else itself.
        func each(of inputs: [RecordingInput]) -> [Output] {
            guard hasInputPlaceholder, input == nil else { return [self] }
            return inputs.map { input in
                var output = self
                output.place = place.replacing(
                    Self.inputPlaceholder, with: FilePattern.escaped(input.name.replacing("/", with: "-")))
                output.input = inputs.count > 1 ? input.name : nil
                return output
            }
        }

        /// This output with the name of its format in place of a file; nil where the name decides more.
        var withoutName: Output? {
            guard place != "-", !hasInputPlaceholder else { return nil }
            var output = self
            output.place = Container(path: place)?.rawValue ?? ""
            return output
        }

        private static let inputPlaceholder = "{input}"

        // Most names have no brace, and a search for a text takes longer than all else of a row of a batch.
        private var hasInputPlaceholder: Bool {
            place.utf8.contains(UInt8(ascii: "{")) && place.contains(Self.inputPlaceholder)
        }

        /// Whether a word is `--name` or `-n`. Does not use a regular expression, which would cost each recording a megabyte.
        private static func isOption(_ word: String) -> Bool {
            let letters = word.unicodeScalars.dropFirst()
            return word.hasPrefix("--")
                || word.hasPrefix("-") && letters.count == 1
                    && letters.allSatisfy { $0.isASCII && $0.properties.isAlphabetic }
        }

        private static func isSetting(_ part: Substring) -> Bool {
            guard let equals = part.firstIndex(of: "="), equals > part.startIndex else { return false }
            return part[..<equals].allSatisfy { $0 == "-" || $0.isASCII && $0.isLetter }
        }

        private static func yesOrNo(_ key: Key, _ value: String) throws -> Bool {
            guard ["yes", "no"].contains(value) else { throw ValidationError("give \(key)=yes or \(key)=no") }
            return value == "yes"
        }

        private mutating func set(_ value: String, _ compression: (Int) -> Compression) throws {
            guard let number = Int(value) else { throw ValidationError("give a whole number instead of '\(value)'") }
            guard self.compression == nil else {
                throw ValidationError("compression and bitrate exclude each other")
            }
            self.compression = compression(number)
        }

        private mutating func set(_ key: Key, to value: String) throws {
            switch key {
            case .rate: format.sampleRate = try .rate(value)
            case .channels: format.channelCount = try .channels(value)
            case .encoding:
                guard let encoding = FormatSetting<SampleEncoding>(argument: value) else {
                    let known = FormatSetting<SampleEncoding>.allValueStrings.joined(separator: ", ")
                    throw ValidationError("unknown encoding '\(value)'; give one of \(known)")
                }
                format.encoding = encoding
            case .input: input = value
            case .dither: dither = try Self.yesOrNo(key, value)
            case .bwf: bwf = try Self.yesOrNo(key, value)
            case .guano: guano = try Self.yesOrNo(key, value)
            case .format:
                container = Container(rawValue: value)
                guard container != nil else {
                    let known = Container.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("unknown format '\(value)'; give one of \(known)")
                }
            case .compression: try set(value, Compression.level)
            case .bitrate: try set(value, Compression.bitRate)
            }
        }
    }
}
