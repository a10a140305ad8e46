/// The keys that a row of a manifest may have: options of `accrec record`, by their long names, and some besides.
struct ManifestKeys {
    /// Those that are no options.
    enum Own: String, CaseIterable {
        /// How often the take is made.
        case count
        /// How long nothing is recorded between two of those.
        case pause
        /// What is shown to whoever is recorded.
        case prompt
        /// The time before which it does not begin.
        case start
        /// `--max` by another name.
        case duration
        /// Several of `--tag`, as a table.
        case tags
    }

    /// The options that have nothing to do with where a take goes.
    let takeOptions: [OptionDefinition]
    private let options: [OptionDefinition]
    private let names: [String]
    private let optionsElsewhere: [String]

    /// What is the batch's as a whole, names no file that is known in advance, or is about standard output.
    private static let excluded = ["auto-name", "inhibit-sleep", "keep-going", "stdout-buffer", "stdout-overflow"]

    init() throws {
        takeOptions = try OptionDefinition.all(of: BatchTakeOptions.self).filter { !Self.excluded.contains($0.name) }
        let outputOptions = try OptionDefinition.all(of: OutputOptions.self)
        options = outputOptions.filter { !Self.excluded.contains($0.name) } + takeOptions
        names = options.map(\.name) + Own.allCases.map(\.rawValue)
        optionsElsewhere = try OptionDefinition.all(of: RecordCommand.self).map(\.name)
    }

    /// The option of that name; nil where there is none.
    func option(_ name: String) -> OptionDefinition? { options.first { $0.name == name } }

    /// What is to be said of a key that no row has; nil for one that a row may have.
    func mistake(in key: String) -> String? {
        guard !names.contains(key) else { return nil }
        guard !optionsElsewhere.contains(key) else { return "'\(key)' is for no single take of a batch" }
        let hint = NearestWord.to(key, among: names).map { "Did you mean '\($0)'?" }
        return "there is no key '\(key)'. \(hint ?? "'man accrec' lists them.")"
    }
}
