import ACCAudioRecorder
import ArgumentParser

/// A tag and its text, as `--tag` takes them: `genre=Interview`.
struct TagArgument {
    let tag: MetadataTag
    let text: String

    init(_ argument: String) throws {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let tag = MetadataTag(rawValue: parts[0].lowercased()) else {
            let known = MetadataTag.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("give one of \(known), and a text: genre=Interview. libsndfile writes no other tags")
        }
        (self.tag, text) = (tag, parts[1])
    }
}
