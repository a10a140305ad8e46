import ACCAudioRecorder
import ArgumentParser

/// The options of a take except for its outputs. These may have defaults in the configuration file.
struct TakeOptions: ParsableArguments {
    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Format") var format: FormatOptions
    @OptionGroup(title: "Metadata") var metadata: MetadataOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup(title: "Splitting") var split: SplitOptions
    @OptionGroup(title: "Reliability") var reliability: ReliabilityOptions
    @OptionGroup(title: "Display") var display: DisplayOptions

    func validate() throws {
        if source.app != nil, reliability.onDisconnect == .fallback {
            throw ValidationError("--app and --on-disconnect fallback exclude each other")
        }
    }
}

extension TakeOptions {
    /// The mode's values for options that are not set otherwise, by option name.
    var decidedByMode: [String: String] {
        var values = format.mode.settings
        // The number of selected channels overrides the mode's.
        if source.select != nil { values["channels"] = nil }
        return values
    }

    /// What an option is where nothing is given; nil where it is unset.
    static func defaultValue(of option: OptionDefinition) -> String? {
        option.defaultValue ?? ReliabilityOptions.transformedDefaults[option.name]
    }
}

/// Options that limit the length of a take.
struct LimitOptions: ParsableArguments {
    @Option(
        name: .customLong("max"),
        help: ArgumentHelp("Stop after exactly this time: 60, 2.5, 90s, 5m, 1h, 1:30.", valueName: "time"),
        transform: TakeLength.parse)
    var longest: TakeLength?
}
