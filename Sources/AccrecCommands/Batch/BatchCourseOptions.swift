import ArgumentParser

/// How the takes of a batch follow each other, and what is kept of them.
struct BatchCourseOptions: ParsableArguments {
    /// How many takes may run at once: each has threads of its own.
    private static let mostJobs = 64

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Record so many rows at once, 1 to 64, of one source or of several.", valueName: "count"),
        transform: { text in
            guard let count = Int(text), (1...mostJobs).contains(count) else {
                throw ValidationError("give a whole number from 1 to \(mostJobs)")
            }
            return count
        })
    var jobs = 1

    @Flag(name: .customLong("prompt"), help: "Show the text of each take, and wait for a key.")
    var isPrompted = false

    @Flag(
        name: .customLong("continue"),
        help: "Leave out takes whose files are complete, and record anew those that are not.")
    var isContinued = false

    @Option(
        help: ArgumentHelp(
            """
            Add what became of each take to this file, a line of JSON each. (default: beside the manifest, takes.results.jsonl \
            for takes.toml)
            """, valueName: "file"),
        completion: .file())
    var results: String?

    @Option(
        help: ArgumentHelp("Try a take that failed so often again, 0 to 100.", valueName: "count"),
        transform: { text in
            guard let count = Int(text), (0...100).contains(count) else {
                throw ValidationError("give a whole number from 0 to 100")
            }
            return count
        })
    var retries = 0

    @Flag(help: "End the batch with the first take that failed.")
    var failFast = false

    @Flag(name: .customLong("dry-run"), help: "Check the manifest, list its takes, and record nothing.")
    var isTrial = false

    @Flag(help: "Make directories that are missing.")
    var mkdir = false

    @Flag(help: "Replace existing files, each at the moment its new take is whole.")
    var force = false

    func validate() throws {
        if isPrompted, jobs > 1 {
            throw ValidationError("--prompt excludes --jobs: one person reads one text at a time")
        }
    }

    /// What holds for all takes, as on the command line of each.
    var flags: [String] { (mkdir ? ["--mkdir"] : []) + (force ? ["--force"] : []) }
}
