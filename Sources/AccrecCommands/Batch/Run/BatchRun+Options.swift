import ArgumentParser

extension BatchRun {
    /// How the takes of a batch are run and where the results go.
    struct Options: ParsableArguments {
        /// The maximum number of concurrent takes; each has threads of its own.
        private static let maximumJobs = 64

        @Option(
            name: .longAndJoined("j"),
            help: ArgumentHelp("Record this many takes at once, 1 to 64.", valueName: "count"),
            transform: { text in
                guard let count = Int(text), (1...maximumJobs).contains(count) else {
                    throw ValidationError("give a whole number from 1 to \(maximumJobs)")
                }
                return count
            })
        var jobs = 1

        @Flag(name: .customLong("prompt"), help: "Show the text of each take and wait for a key.")
        var isPrompted = false

        @Flag(
            name: .customLong("continue"),
            help: "Skip takes whose files are complete, and record the others again.")
        var isContinued = false

        @Option(
            help: ArgumentHelp(
                """
                Append the result of each take to this file, as JSON Lines. (default: takes.results.jsonl beside \
                takes.toml)
                """, valueName: "file"),
            completion: .file())
        var results: String?

        @Option(
            help: ArgumentHelp("Retry a failed take up to this many times, 0 to 100.", valueName: "count"),
            transform: { text in
                guard let count = Int(text), (0...100).contains(count) else {
                    throw ValidationError("give a whole number from 0 to 100")
                }
                return count
            })
        var retries = 0

        @Flag(help: "Stop the batch at the first failed take.")
        var failFast = false

        @OptionGroup var exec: ExecOptions

        @Flag(name: .customLong("dry-run"), help: "Check the manifest and list its takes, without recording.")
        var isTrial = false

        @Flag(help: "Create missing directories.")
        var mkdir = false

        @Flag(help: "Replace each existing file once its new recording is complete.")
        var force = false

        func validate() throws {
            if isPrompted, jobs > 1 {
                throw ValidationError("--prompt excludes --jobs: one person reads one text at a time")
            }
        }

        /// The options that apply to every take, as command-line arguments.
        var flags: [String] { (mkdir ? ["--mkdir"] : []) + (force ? ["--force"] : []) }
    }
}
