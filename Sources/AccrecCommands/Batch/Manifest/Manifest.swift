import FoundationEssentials

/// What a manifest says, in the order of its lines, before anything is made of it.
struct Manifest {
    /// What holds for each row that does not say otherwise.
    var defaults: [ManifestEntry] = []
    var rows: [ManifestRow] = []

    /// How a manifest is written, which its name says.
    private enum Format: String {
        case toml, csv, jsonl, ndjson
    }

    /// Reads a manifest.
    ///
    /// - Parameters:
    ///   - keys: Those that a row may have.
    ///   - mistakes: Is told all that is wrong with it.
    init(path: String, keys: ManifestKeys, mistakes: inout ManifestMistakes) {
        self.init()
        guard let format = Format(rawValue: URL(filePath: path).pathExtension.lowercased()) else {
            mistakes.add("cannot tell what it is: its name has to end in .toml, .csv or .jsonl")
            return
        }
        guard let text = ManifestText(path: path, mistakes: &mistakes)?.text else { return }
        switch format {
        case .toml: self = Manifest(toml: text, mistakes: &mistakes)
        case .csv: self = Manifest(csv: text, keys: keys, mistakes: &mistakes)
        case .jsonl, .ndjson: self = Manifest(jsonLines: text, mistakes: &mistakes)
        }
        if rows.isEmpty, mistakes.isEmpty { mistakes.add("it lists no takes") }
    }

    init() {}
}
