import FoundationEssentials

/// The names of the channels of a recording of several inputs: as the `TRACK_LIST` of a WAV file's `iXML` chunk
/// (http://www.gallery.co.uk/ixml), and as text for the comment of a file that has no such chunk.
struct TrackList {
    static let chunkName = "iXML"
    /// What the text begins with. The names follow, in the order of the channels.
    private static let textPrefix = "Tracks: "
    private static let textSeparator = ", "

    /// Those of the file, in its order.
    private let channels: [NamedChannel]

    /// Nil without a channel.
    ///
    /// - Parameter order: For each channel of the file, its index; nil if the order is that of the file.
    init?(_ channels: [NamedChannel], order: [Int]? = nil) {
        guard !channels.isEmpty else { return nil }
        self.channels = order.map { $0.map { channels[$0] } } ?? channels
    }

    /// The content of the chunk.
    var content: [UInt8] {
        let tracks = channels.enumerated().map { index, channel in
            """
            <TRACK>
            <CHANNEL_INDEX>\(channel.number)</CHANNEL_INDEX>
            <INTERLEAVE_INDEX>\(index + 1)</INTERLEAVE_INDEX>
            <NAME>\(Self.escaped(channel.name))</NAME>
            </TRACK>

            """
        }
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <BWFXML>
            <IXML_VERSION>2.10</IXML_VERSION>
            <TRACK_LIST>
            <TRACK_COUNT>\(channels.count)</TRACK_COUNT>
            \(tracks.joined())</TRACK_LIST>
            </BWFXML>

            """
        // libsndfile pads to four bytes with zeros, which no XML may have.
        return text.utf8 + [UInt8](repeating: UInt8(ascii: "\n"), count: -text.utf8.count & 3)
    }

    /// `Tracks: mic, desktop L, desktop R`
    var text: String {
        // What separates names, and parts of a comment, stands in none.
        let names = channels.map { Self.replace(in: $0.name) { ",;".unicodeScalars.contains($0) ? " " : nil } }
        return Self.textPrefix + names.joined(separator: Self.textSeparator)
    }

    /// The names in a comment that has such a text, by the number of the channel, counted from 1; nil for any other comment, and
    /// if the file has another number of channels.
    static func names(inComment comment: String, channelCount: Int) -> [Int: String]? {
        let texts = comment.components(separatedBy: "; ").filter { $0.hasPrefix(textPrefix) }
        guard let names = texts.last?.dropFirst(textPrefix.count).components(separatedBy: textSeparator),
            names.count == channelCount
        else { return nil }
        return Dictionary(uniqueKeysWithValues: zip(1..., names))
    }

    /// The maximum number of bytes that the names add to a file.
    var largestSize: Int { max(content.count, text.utf8.count) + 16 }

    private static func escaped(_ text: String) -> String {
        replace(in: text) { entities[$0] }
    }

    /// The characters that XML refers to by name, with the references.
    static let entities: [Unicode.Scalar: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&apos;",
    ]

    /// By scalars, since a combining mark after a delimiter would hide it within a character.
    private static func replace(in text: String, _ replacement: (Unicode.Scalar) -> String?) -> String {
        text.unicodeScalars.map { replacement($0) ?? String($0) }.joined()
    }
}
