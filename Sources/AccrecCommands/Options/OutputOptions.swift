import ACCAudioRecorder
import ArgumentParser
import Glibc

/// Where a take goes.
struct OutputOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file to create, .wav, .flac or .raw; '-' for raw samples to standard output.", valueName: "file"),
        completion: .file(extensions: Container.allCases.flatMap(\.fileExtensions)))
    var output: String

    @Flag(help: "Replace an existing file, at the moment the new take is whole.")
    var force = false

    /// The output that is asked for.
    ///
    /// - Throws: `outputFailed` for a name of no known kind; a `ValidationError` where samples would go to a terminal.
    func recordingOutput(in format: FormatOptions) throws -> RecordingOutput {
        if output == "-" {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw ValidationError("standard output is a terminal, which cannot play samples. Pipe it somewhere.")
            }
            return RecordingOutput(
                .descriptor(STDOUT_FILENO), container: .raw, encoding: format.sampleEncoding,
                isDithered: format.dither)
        }
        return try RecordingOutput(
            path: output, encoding: format.sampleEncoding, isDithered: format.dither, replacesExisting: force)
    }
}
