import ArgumentParser
import TOMLKit

/// The user's configuration file: defaults for options of `accrec record`, and profiles that go before them. Its keys are
/// the options' long names.
struct DefaultsFile {
    private let document: TOMLDocument
    private let defaults: [Setting]
    private let profiles: [String: [Setting]]

    /// Reads a file, and checks all that it says.
    ///
    /// - Throws: `ValidationError` with the line.
    init(path: String) throws {
        let document = try TOMLDocument(path: path)
        self.document = document
        defaults = try DefaultsSection(document: document, profile: nil).settings()
        profiles = try Dictionary(
            uniqueKeysWithValues: Self.profileNames(in: document).map {
                ($0, try DefaultsSection(document: document, profile: $0).settings())
            })
    }

    /// The names of the profiles that a document has.
    static func profileNames(in document: TOMLDocument) -> [String] { document.table["profile"]?.table?.keys ?? [] }

    /// What the file sets, what goes before the rest first.
    ///
    /// - Throws: `ValidationError` where there is no such profile.
    func settings(profile name: String?) throws -> [Setting] {
        guard let name else { return defaults }
        guard let profile = profiles[name] else {
            let hint = NearestWord.to(name, among: profiles.keys).map { "Did you mean '\($0)'?" }
            let all = profiles.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
            throw ValidationError(
                "\(document.path) has no profile '\(name)'. "
                    + (profiles.isEmpty ? "It has none." : hint ?? "It has \(all)."))
        }
        return profile + defaults
    }
}
