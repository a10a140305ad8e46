import ArgumentParser

/// When a take ends by itself.
struct LimitOptions: ParsableArguments {
    @Option(
        name: .customLong("max"),
        help: ArgumentHelp("End after exactly this long: 60, 2.5, 90s, 5m, 1h, 1:30.", valueName: "time"),
        transform: TakeLength.parse)
    var longest: TakeLength?
}
