import ArgumentParser

/// Options for output to other programs.
struct EventOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Append events to this file or descriptor, as JSON Lines: events.jsonl, fd:3.",
            valueName: "place"),
        completion: .file(),
        transform: { text in
            guard let place = EventPlace(text) else {
                throw ValidationError("name a file, or an open descriptor such as fd:3")
            }
            return place
        })
    var events: EventPlace?

    @Option(
        help: ArgumentHelp("Write a level event at this interval: 0.5, 10s, 1m.", valueName: "time"),
        transform: TakeLength.parse)
    var levelInterval: TakeLength?

    @Option(help: ArgumentHelp("Write the report to this file, as JSON.", valueName: "file"), completion: .file())
    var report: String?

    @OptionGroup var exec: ExecOptions

    func validate() throws {
        if levelInterval != nil, events == nil {
            throw ValidationError("--level-interval needs --events")
        }
        if case .descriptor(let number) = events, !EventLog.accepts(number) {
            throw ValidationError("descriptor \(number) is not open for writing. Open it, as in --events fd:3 3>file.")
        }
    }
}
