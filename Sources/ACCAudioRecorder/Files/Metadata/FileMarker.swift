/// A marker in a file or beside it, or a gap that a recorder has marked.
public struct FileMarker: Sendable, Hashable {
    /// Where it is in the file.
    public let offset: Duration
    /// Its text.
    public let label: String
}

/// The text of the marker at a place where frames are missing: `gap 1.412 s: device unplugged`.
package struct GapLabel {
    /// What the text of every such marker begins with.
    package static let prefix = "gap "

    /// The length in seconds.
    let seconds: Double
    let isFilled: Bool
    let cause: String

    var text: String {
        "\(Self.prefix)\(Self.length(seconds))\(isFilled ? ", filled with silence" : ""): \(cause)"
    }

    /// A length in seconds, with its milliseconds.
    static func length(_ seconds: Double) -> String {
        let (whole, thousandths) = Int((seconds * 1000).rounded()).quotientAndRemainder(dividingBy: 1000)
        return "\(whole).\(String(1000 + thousandths).dropFirst()) s"
    }
}
