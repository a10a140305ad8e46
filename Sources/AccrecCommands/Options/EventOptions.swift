import ArgumentParser

/// What is told to programs.
struct EventOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Add what happens to this file or descriptor, a line of JSON each: events.jsonl, fd:3.",
            valueName: "place"),
        completion: .file(),
        transform: { text in
            guard let place = EventPlace(text) else { throw ValidationError("name a file, or a descriptor as in fd:3") }
            return place
        })
    var events: EventPlace?

    @Option(
        help: ArgumentHelp("Tell the levels among the events this often: 0.5, 10s, 1m.", valueName: "time"),
        transform: TakeLength.parse)
    var levelInterval: TakeLength?

    @Option(help: ArgumentHelp("Write the report to this file, as JSON.", valueName: "file"), completion: .file())
    var report: String?

    func validate() throws {
        if levelInterval != nil, events == nil {
            throw ValidationError("--level-interval needs --events, which says where levels are told.")
        }
    }
}
