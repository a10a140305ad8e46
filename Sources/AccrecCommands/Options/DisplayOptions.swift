import ArgumentParser
import Glibc

/// Options for what is displayed during a take.
struct DisplayOptions: ParsableArguments {
    @Flag(name: .shortAndLong, inversion: .prefixedNo, help: "Print only warnings and errors: no meter, no report.")
    var quiet = false

    @Flag(
        inversion: .prefixedNo,
        help: "Print a line every five seconds instead of the meter, also without a terminal.")
    var progress = false

    @Option(help: ArgumentHelp("Whether to use colours; 'auto' respects NO_COLOR.", valueName: "when"))
    var color: ColorChoice = .auto

    func validate() throws {
        if quiet, progress { throw ValidationError("--quiet and --progress exclude each other") }
    }

    /// How the take is displayed.
    var mode: DisplayMode {
        quiet ? .messages : progress ? .progress : StandardError.canShowMeter ? .meter : .messages
    }

    /// Whether keys control the take.
    var readsKeys: Bool { !quiet && isatty(STDIN_FILENO) == 1 }

    var style: TerminalStyle { TerminalStyle(color: color) }
}
