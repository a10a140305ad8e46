import ArgumentParser

/// How the takes of a batch are made: the options of `accrec record` that a row of a manifest may have as well, but where
/// they go.
struct BatchTakeOptions: ParsableArguments {
    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Format") var format: FormatOptions
    @OptionGroup(title: "Metadata") var metadata: MetadataOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup(title: "On trouble") var trouble: TroubleOptions
}
