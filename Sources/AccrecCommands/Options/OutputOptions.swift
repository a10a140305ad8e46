import ACCAudioRecorder
import ArgumentParser
import Glibc

/// Where a take goes.
struct OutputOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            """
            The file to create, .wav, .flac, .opus …; '-' for raw samples to standard output. May be given several times, \
            each with settings of its own: 'speech.flac,rate=16000,channels=1'. '%Y-%m-%d', '{n}', '{device}' and the \
            like are filled in.
            """, valueName: "file"),
        completion: .file(extensions: Container.allCases.flatMap(\.fileExtensions)),
        transform: OutputArgument.init)
    var output: [OutputArgument] = []

    @Flag(help: "Name the file by the time, in the directory that --output names, or else here.")
    var autoName = false

    @Flag(help: "Make directories that are missing.")
    var mkdir = false

    @Flag(help: "Replace an existing file, at the moment the new take is whole.")
    var force = false

    /// What a file is called that nobody named, before its extension.
    private static let automaticName = "accrec-%Y-%m-%d_%H-%M-%S-{ms}"

    func validate() throws {
        guard autoName || !output.isEmpty else {
            throw ValidationError("Missing expected argument '--output <file>': name a file, or give --auto-name")
        }
        guard output.count(where: { $0.place == "-" }) <= 1 else {
            throw ValidationError("standard output can be given only once.")
        }
        guard !autoName || output.count <= 1 else {
            throw ValidationError("--auto-name names one file; name several yourself, with '%H-%M-%S' for instance.")
        }
    }

    /// The outputs that are asked for.
    ///
    /// - Throws: `outputFailed` for a name of no known kind; a `ValidationError` where samples would go to a terminal.
    func recordingOutputs(in format: FormatOptions) throws -> [RecordingOutput] {
        guard autoName else { return try output.map { try recordingOutput($0, in: format) } }
        return [try recordingOutput(automaticallyNamed(in: format), in: format)]
    }

    /// The only output, or the one that was left out, with a name in the directory that it names.
    private func automaticallyNamed(in format: FormatOptions) throws -> OutputArgument {
        var argument = try output.first ?? OutputArgument(".")
        let directory = argument.place
        let container = argument.container ?? format.container ?? .wav
        argument.place = directory == "." ? "" : directory.hasSuffix("/") ? directory : directory + "/"
        argument.place += "\(Self.automaticName).\(container.fileExtensions[0])"
        return argument
    }

    private func recordingOutput(_ argument: OutputArgument, in format: FormatOptions) throws -> RecordingOutput {
        let container = argument.container ?? format.container
        var output: RecordingOutput
        if argument.place == "-" {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw ValidationError("standard output is a terminal, which cannot play samples. Pipe it somewhere.")
            }
            output = RecordingOutput(.descriptor(STDOUT_FILENO), container: container ?? .raw)
        } else {
            if let container { try check(argument.place, isNamedLike: container) }
            output = try RecordingOutput(
                path: argument.place, container: container, replacesExisting: force, makesDirectories: mkdir)
            if FilePattern.isPattern(argument.place) {
                output.destination = .pattern(try FilePattern(argument.place))
            }
        }
        // What a mode decides a lossy format leaves out; what the user asks for it refuses.
        let encoding = (argument.encoding ?? format.encoding).map(\.encoding)
        output.encoding = encoding ?? (output.container.isLossy ? nil : format.mode.encoding)
        output.compression = argument.compression ?? format.compression
        output.isDithered = argument.dither ?? format.dither
        output.sampleRate =
            argument.rate?.number.map(Double.init)
            ?? (argument.rate == nil && format.rate == nil ? Self.rate(of: format.mode, in: output.container) : nil)
        output.channelCount = argument.channels?.number.map(UInt32.init)
        if case .native = argument.rate { output.native.insert(.sampleRate) }
        if case .native = argument.channels { output.native.insert(.channelCount) }
        return output
    }

    /// The rate next to the mode's, where a format does not have that; nil where it does.
    private static func rate(of mode: ACCAudioRecorder.AudioSessionMode, in container: Container) -> Double? {
        guard let rates = container.sampleRates, let highest = rates.last else { return nil }
        let wanted = mode.native.contains(.sampleRate) ? highest : Int(mode.sampleRate)
        let rate = rates.first { $0 >= wanted } ?? highest
        return rate == Int(mode.sampleRate) && !mode.native.contains(.sampleRate) ? nil : Double(rate)
    }

    /// Refuses a name that says another format.
    private func check(_ path: String, isNamedLike container: Container) throws {
        guard let named = Container(path: path), named != container,
            !container.furtherExtensions.contains(where: named.fileExtensions.contains)
        else { return }
        throw ValidationError(
            "'\(path)' is named like \(named): end it in .\(container.fileExtensions[0]), or leave the format out")
    }
}
