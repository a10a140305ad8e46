import ACCAudioRecorder

/// The keys that a row of a manifest may have: options of `accrec record` by their long names, and some of its own.
struct ManifestKeys {
    /// The keys that are not options.
    enum Own: String, CaseIterable {
        /// The number of repetitions of the take.
        case count
        /// The pause between two repetitions.
        case pause
        /// The text shown to the person who is recorded.
        case prompt
        /// The earliest time at which the take begins.
        case start
        /// Another name for `--max`.
        case duration
        /// Tags as a table, instead of several `--tag` options.
        case tags
    }

    /// The options that do not concern outputs.
    let takeOptions: [OptionDefinition]
    private let options: [OptionDefinition]
    private let names: [String]
    private let optionsElsewhere: [String]

    /// Options that concern the batch as a whole, leave the file name open until the take, or concern standard output.
    private static let excluded = ["auto-name", "inhibit-sleep", "keep-going", "stdout-buffer", "stdout-overflow"]

    init() throws {
        takeOptions = try OptionDefinition.all(of: BatchTakeOptions.self).filter { !Self.excluded.contains($0.name) }
        let outputOptions = try OptionDefinition.all(of: OutputOptions.self)
        options = outputOptions.filter { !Self.excluded.contains($0.name) } + takeOptions
        names = options.map(\.name) + Own.allCases.map(\.rawValue)
        optionsElsewhere = try OptionDefinition.all(of: RecordOptions.self).map(\.name)
    }

    /// The option of that name, or nil if there is none.
    func option(_ name: String) -> OptionDefinition? { options.first { $0.name == name } }

    /// A message for a key that rows cannot have, or nil if the key is valid.
    func mistake(in key: String) -> String? {
        guard !names.contains(key) else { return nil }
        guard !optionsElsewhere.contains(key) else { return "'\(key)' cannot be set for one take of a batch" }
        let hint = NearestWord.to(key, among: names).map { "Did you mean '\($0)'?" }
        return "unknown key '\(key)'. \(hint ?? "'man accrec' lists them.")"
    }
}
