import ACCAudioRecorder
import ArgumentParser
import Glibc

/// Options for the outputs of a take.
struct OutputOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The file to create, as with --output. Without one, it is named by date and time.",
            valueName: "file"),
        completion: .file(extensions: Container.allCases.flatMap(\.fileExtensions)),
        transform: OutputArgument.init)
    var files: [OutputArgument] = []

    // The next argument is always the value, even if it begins with a hyphen, as in '-,format=wav'.
    @Option(
        name: .longAndJoined("o"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            The file to create; its extension chooses the format. '-' writes raw samples to standard output. May be \
            repeated, each with its own settings: 'speech.flac,rate=16000,channels=1'. Placeholders such as %Y-%m-%d, \
            {n} and {device} are replaced.
            """, valueName: "file"),
        completion: .file(extensions: Container.allCases.flatMap(\.fileExtensions)),
        transform: OutputArgument.init)
    var output: [OutputArgument] = []

    @Flag(help: "Name the file by date and time, in the given directory or the current one.")
    var autoName = false

    @Flag(help: "Create missing directories.")
    var mkdir = false

    @Flag(help: "Replace an existing file once the new recording is complete.")
    var force = false

    /// The automatic file name, without its extension.
    private static let automaticName = "accrec-%Y-%m-%d_%H-%M-%S-{ms}"

    /// The outputs in the order of their settings: those of --output first.
    var all: [OutputArgument] { output + files }

    func validate() throws {
        guard all.count(where: { $0.place == "-" }) <= 1 else {
            throw ValidationError("standard output can be given only once")
        }
        guard !autoName || all.count <= 1 else {
            throw ValidationError(
                "--auto-name names only one file. Name several yourself, with '%H-%M-%S' for instance.")
        }
    }

    /// The requested outputs.
    ///
    /// - Parameter common: The settings of the take, which decide what neither an output sets nor its format requires.
    /// - Throws: `outputFailed` for an unknown file extension; a `ValidationError` if samples would go to a terminal.
    func recordingOutputs(in format: FormatOptions, else common: FormatSettings) throws -> [RecordingOutput] {
        let arguments = autoName || all.isEmpty ? [try automaticallyNamed(in: format)] : all
        return try arguments.map { try recordingOutput($0, in: format, else: common) }
    }

    /// The only output, or a default one, with an automatic name in the given directory.
    private func automaticallyNamed(in format: FormatOptions) throws -> OutputArgument {
        var argument = try all.first ?? OutputArgument(".")
        let directory = FilePattern.escaped(argument.place)
        let container = argument.container ?? format.container ?? .wav
        argument.place = directory == "." ? "" : directory.hasSuffix("/") ? directory : directory + "/"
        argument.place += "\(Self.automaticName).\(container.fileExtensions[0])"
        return argument
    }

    private func recordingOutput(
        _ argument: OutputArgument, in format: FormatOptions, else common: FormatSettings
    ) throws -> RecordingOutput {
        let container = argument.container ?? format.container
        var output: RecordingOutput
        if argument.place == "-" {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw ValidationError("standard output is a terminal. Pipe the samples to a program or a file.")
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
        let required = format.rate == nil ? Self.rate(of: format.mode, in: output.container) : nil
        output.formatSettings.sampleRate = argument.rate ?? required.map(FormatSetting.given) ?? common.sampleRate
        output.formatSettings.channelCount = argument.channels ?? common.channelCount
        // A lossy format ignores the mode's encoding but rejects one that the user asks for.
        output.formatSettings.encoding = argument.encoding ?? format.encoding ?? .inherited
        output.compression = argument.compression ?? format.compression
        output.isBroadcastWave = argument.bwf
        output.isDithered = argument.dither ?? format.dither
        return output
    }

    /// The next rate above the mode's that the format supports, or nil if it supports the mode's rate.
    private static func rate(of mode: ACCAudioRecorder.AudioSessionMode, in container: Container) -> Double? {
        guard let rates = container.sampleRates, let highest = rates.last else { return nil }
        let wanted = mode.native.contains(.sampleRate) ? highest : Int(mode.sampleRate)
        let rate = rates.first { $0 >= wanted } ?? highest
        return rate == Int(mode.sampleRate) && !mode.native.contains(.sampleRate) ? nil : Double(rate)
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
