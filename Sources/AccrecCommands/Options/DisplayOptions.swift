import ArgumentParser
import Glibc

/// What is shown meanwhile.
struct DisplayOptions: ParsableArguments {
    @Flag(name: .shortAndLong, inversion: .prefixedNo, help: "No meter and no report: only what went wrong.")
    var quiet = false

    @Flag(
        inversion: .prefixedNo,
        help: "A line every five seconds instead of the meter, also where there is no terminal.")
    var progress = false

    @Option(help: "Whether the meter has colours; 'auto' heeds NO_COLOR.")
    var color: ColorChoice = .auto

    func validate() throws {
        if quiet, progress { throw ValidationError("--quiet and --progress exclude each other") }
    }

    /// How the take is shown.
    var mode: DisplayMode {
        quiet ? .messages : progress ? .progress : StandardError.canShowMeter ? .meter : .messages
    }

    /// Whether keys steer the take.
    var readsKeys: Bool { !quiet && isatty(STDIN_FILENO) == 1 }

    var style: TerminalStyle { TerminalStyle(color: color) }
}
