import ArgumentParser

/// How a take is made, wherever it goes: what a user may have defaults for.
struct TakeOptions: ParsableArguments {
    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Format") var format: FormatOptions
    @OptionGroup(title: "Metadata") var metadata: MetadataOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup(title: "Splitting") var split: SplitOptions
    @OptionGroup(title: "On trouble") var trouble: TroubleOptions
    @OptionGroup(title: "Display") var display: DisplayOptions
}

extension TakeOptions {
    /// What the mode decides where nothing else does, by the names of the options.
    var decidedByMode: [String: String] {
        var values = format.mode.settings
        // As many as are selected.
        if source.select != nil { values["channels"] = nil }
        return values
    }
}
