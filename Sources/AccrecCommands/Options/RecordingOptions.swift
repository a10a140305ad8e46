import ACCAudioRecorder
import ArgumentParser
import Glibc

/// The options of a recording except for its outputs. These may have defaults in the configuration file.
struct RecordingOptions: ParsableArguments {
    @OptionGroup var shared: Shared
    @OptionGroup(title: "Splitting") var split: SplitOptions
    @OptionGroup(title: "Keeping") var keep: KeepOptions
    @OptionGroup(title: "Display") var display: DisplayOptions

    func validate() throws {
        if shared.source.inputs.hasApplication, shared.reliability.onDisconnect == .fallback {
            throw ValidationError("--app and --on-disconnect fallback exclude each other")
        }
    }

    /// Sets what these options decide of a recording.
    func apply(to configuration: inout ACCAudioRecorder.Configuration) {
        shared.source.apply(to: &configuration)
        shared.format.apply(to: &configuration)
        shared.reliability.apply(to: &configuration)
        split.apply(to: &configuration)
        keep.apply(to: &configuration)
    }

    /// Sets what these options decide of an output that has the recording's rate and channels.
    func apply(to output: inout RecordingOutput) {
        shared.format.apply(to: &output)
        shared.metadata.apply(to: &output)
        shared.reliability.apply(to: &output)
    }
}

extension RecordingOptions {
    /// The options of a recording that a batch also has, for all its takes, and each row of a batch for its own.
    struct Shared: ParsableArguments {
        @OptionGroup(title: "Source") var source: SourceOptions
        @OptionGroup(title: "Format") var format: FormatOptions
        @OptionGroup(title: "Metadata") var metadata: MetadataOptions
        @OptionGroup(title: "Limits") var limits: Limits
        @OptionGroup(title: "Reliability") var reliability: ReliabilityOptions
    }
}

extension RecordingOptions {
    /// The values of options that are not set otherwise, by option name: the mode's, or without one the source's.
    var decidedByMode: [String: String] {
        var values = (shared.format.mode ?? .default).settings
        if shared.format.mode == nil {
            (values["rate"], values["channels"], values["encoding"]) = ("native", "native", nil)
        }
        // The number of selected channels overrides the mode's.
        if !shared.source.inputs.select.isEmpty { values["channels"] = nil }
        return values
    }

    /// What an option is where nothing is given; nil where it is unset.
    static func defaultValue(of option: OptionDefinition) -> String? {
        option.defaultValue ?? ReliabilityOptions.transformedDefaults[option.name]
    }
}

extension RecordingOptions {
    /// Options that limit the length of a recording.
    struct Limits: ParsableArguments {
        @Option(
            name: [.customLong("max"), .customLong("duration")],
            help: ArgumentHelp("Stop after exactly this time: 60, 2.5, 90s, 5m, 1h, 1:30.", valueName: "time"),
            transform: RecordingLength.parse)
        var longest: RecordingLength?
    }
}

/// A duration as given to `--max`: `60`, `2.5`, `90s`, `5min`, `500ms`, `1h30m`, `1h30`, `2 days`, `1:30` or `1:02:03.5`.
struct RecordingLength: Hashable, CustomStringConvertible {
    /// Greater than 0 and at most 1000 hours.
    let seconds: Double

    private static let longest = 3_600_000.0

    /// As help shows it: seconds.
    var description: String { Self.text(of: seconds) }

    static func text(of seconds: Double) -> String {
        seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    }

    var duration: Duration { .seconds(seconds) }

    init(seconds: Double) {
        self.seconds = seconds
    }

    init?(_ argument: String) {
        guard let seconds = Self.seconds(argument), seconds > 0, seconds <= Self.longest else { return nil }
        self.seconds = seconds
    }

    /// Parses the duration.
    static func parse(_ text: String) throws -> RecordingLength {
        guard let length = RecordingLength(text) else {
            let example = "give a length of time up to 1000 hours, such as 60, 2.5, 90s, 5min, 1h30m or 1:30"
            throw ValidationError(problem(with: text).map { "\($0); \(example)" } ?? example)
        }
        return length
    }

    /// What is wrong with a text that is nearly a length of time.
    private static func problem(with text: String) -> String? {
        if text.hasPrefix("-") { return "it is negative" }
        if let seconds = seconds(text) { return seconds > 0 ? "it is longer than that" : "it is no time at all" }
        let parts = text.split(separator: ":").compactMap { Double($0) }
        return parts.count > 1 && parts.dropFirst().contains { $0 >= 60 } ? "minutes and seconds end at 59" : nil
    }

    /// The seconds of a length of time, not below zero; nil for any other text.
    static func seconds(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 1 { return number(text[...]) ?? withUnits(text) }
        guard parts.count <= 3, let last = number(parts.last!), last < 60 else { return nil }
        var total = 0.0
        for (index, part) in parts.dropLast().enumerated() {
            guard part.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let value = Int(part),
                index == 0 || value < 60
            else { return nil }
            total = total * 60 + Double(value)
        }
        return total * 60 + last
    }

    /// The names of units, each with its length in seconds.
    private static let units = [
        (0.001, ["ms"]), (1, ["s", "sec", "secs", "second", "seconds"]),
        (60, ["m", "min", "mins", "minute", "minutes"]),
        (3_600, ["h", "hr", "hrs", "hour", "hours"]), (86_400, ["d", "day", "days"]),
    ]

    /// Numbers with units, the largest unit first; only the last may have decimals. Two digits after hours are minutes, as in
    /// `1h30`.
    private static func withUnits(_ text: String) -> Double? {
        var (rest, total, last) = (text[...], 0.0, Double.infinity)
        repeat {
            let digits = rest.prefix { $0 == "." || $0.isNumber }
            let letters = rest.dropFirst(digits.count).drop { $0 == " " }.prefix(while: \.isLetter)
            rest = rest[letters.endIndex...].drop { $0 == " " }
            let isMinutes = letters.isEmpty && last == 3_600 && digits.count == 2
            guard let count = number(digits), rest.isEmpty || !digits.contains("."),
                let unit = isMinutes ? 60 : units.first(where: { $1.contains(String(letters)) })?.0, unit < last,
                !isMinutes || count < 60
            else { return nil }
            total += count * unit
            last = unit
        } while !rest.isEmpty
        return total
    }

    /// Accepts plain decimal notation only: no sign, no exponent, no `inf`.
    private static func number(_ text: Substring) -> Double? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
        return Double(text)
    }
}

/// Options for what is displayed during a recording.
struct DisplayOptions: ParsableArguments {
    @Flag(name: .shortAndLong, inversion: .prefixedNo, help: "Print only warnings and errors: no meter, no report.")
    var quiet = false

    @Flag(
        inversion: .prefixedNo,
        help: "Print a line every five seconds instead of the meter, also without a terminal.")
    var progress = false

    @Flag(inversion: .prefixedNo, help: "Also show a scrolling graph of recent levels below the meter.")
    var history = false

    @Flag(
        inversion: .prefixedNo,
        help: "Show the loudness in the meter and in --progress from the beginning; the key l shows and hides it.")
    var loudness = false

    @OptionGroup var colors: Colors

    func validate() throws {
        if quiet, progress { throw ValidationError("--quiet and --progress exclude each other") }
    }

    /// How the recording is displayed: on a terminal without a movable cursor, as some screen readers are, by lines.
    var mode: RecordingView.Mode {
        if quiet { return .messages }
        if !progress, StandardError.canShowMeter { return .meter }
        return progress || StandardError.isTerminal ? .progress : .messages
    }

    /// Says once that the graph is not drawn, if it is asked for and there is no meter.
    func mentionMissingGraph() {
        if history, !quiet, mode != .meter { Self.tellMissingGraph() }
    }

    static func tellMissingGraph() {
        StandardError.tell("--history draws below the meter, which needs a terminal: there is no graph")
    }

    /// Whether keys control the recording.
    var readsKeys: Bool { !quiet && isatty(STDIN_FILENO) == 1 }

    var style: TerminalStyle { colors.style }
}

extension DisplayOptions {
    /// The option for colours.
    struct Colors: ParsableArguments {
        @Option(help: ArgumentHelp("Whether to use colours; 'auto' respects NO_COLOR.", valueName: "when"))
        var color: TerminalStyle.ColorChoice = .auto

        var style: TerminalStyle { TerminalStyle(color: color) }
    }
}
