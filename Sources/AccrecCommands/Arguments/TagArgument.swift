import ACCAudioRecorder
import ArgumentParser

/// A key and its text, as `--tag` takes them: `genre=Interview`, `MOOD=calm`.
struct TagArgument {
    /// In lower case where it is one that files have a place for.
    let key: String
    let text: String

    /// Nil where files have no place of its own for it.
    var tag: MetadataTag? { MetadataTag(rawValue: key) }

    init(_ argument: String) throws {
        guard let match = argument.wholeMatch(of: /([A-Za-z][A-Za-z0-9_-]*)=(.*)/.dotMatchesNewlines()) else {
            throw ValidationError("give a key of letters, digits, - and _, and a text: genre=Interview")
        }
        let tag = MetadataTag(rawValue: match.1.lowercased())
        (key, text) = (tag?.rawValue ?? String(match.1), String(match.2))
    }
}
