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

    /// The requested outputs, or one with an automatic name in the given directory.
    ///
    /// - Parameter container: The format of those that set none.
    func arguments(for container: Container?) throws -> [OutputArgument] {
        guard autoName || all.isEmpty else { return all }
        var argument = try all.first ?? OutputArgument(".")
        let directory = FilePattern.escaped(argument.place)
        let fileExtension = (argument.container ?? container ?? .wav).fileExtensions[0]
        argument.place = directory == "." ? "" : directory.hasSuffix("/") ? directory : directory + "/"
        argument.place += "\(Self.automaticName).\(fileExtension)"
        return [argument]
    }

    /// An output with no other settings than these options.
    ///
    /// - Throws: `outputFailed` for an unknown file extension; a `ValidationError` if samples would go to a terminal.
    func recordingOutput(_ argument: OutputArgument, as container: Container?) throws -> RecordingOutput {
        if argument.place == "-" {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw ValidationError("standard output is a terminal. Pipe the samples to a program or a file.")
            }
            return RecordingOutput(.descriptor(STDOUT_FILENO), container: container ?? .raw)
        }
        if let container { try check(argument.place, isNamedLike: container) }
        var output = try RecordingOutput(
            path: argument.place, container: container, replacesExisting: force, makesDirectories: mkdir)
        if FilePattern.isPattern(argument.place) {
            output.destination = .pattern(try FilePattern(argument.place))
        }
        return output
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
