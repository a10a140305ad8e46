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

/// Finds the names of channels in the content of an `iXML` chunk, which may be damaged or hostile.
///
/// It goes through the tags once, without recursion, so its time is proportional to the length. An XML parser would be a large
/// library for three elements, and would refuse the chunks whose names were not escaped.
struct TrackListScanner {
    /// In characters; the rest of a name is left out.
    private static let longestName = 256
    /// The longest reference to a character, such as `&#x1F3A4;`.
    private static let longestReference = 10

    private var names: [Int: String] = [:]
    private var trackCount = 0
    private var isInTrack = false
    private var name: String?
    private var index: Int?

    /// The names by the number of the channel in the file, counted from 1.
    static func names(in content: [UInt8]) -> [Int: String] {
        var scanner = TrackListScanner()
        var rest = content[...]
        while scanner.trackCount <= ChunkLayout.channelCounts.upperBound,
            let start = rest.firstIndex(of: UInt8(ascii: "<")),
            let end = rest[start...].firstIndex(of: UInt8(ascii: ">"))
        {
            rest = rest[(end + 1)...]
            scanner.take(tag: content[(start + 1)..<end], before: rest)
        }
        return scanner.names
    }

    private mutating func take(tag: ArraySlice<UInt8>, before rest: ArraySlice<UInt8>) {
        if tag.elementsEqual("TRACK".utf8) {
            (isInTrack, name, index) = (true, nil, nil)
            trackCount += 1
        } else if !isInTrack {
            return
        } else if tag.elementsEqual("/TRACK".utf8) {
            isInTrack = false
            // Without an index, tracks are in the order of the channels. The first of several for a channel counts.
            if let name, names[index ?? trackCount] == nil { names[index ?? trackCount] = name }
        } else if tag.elementsEqual("NAME".utf8) {
            name = Self.text(at: rest)
        } else if tag.elementsEqual("INTERLEAVE_INDEX".utf8) {
            index = Int(Self.text(at: rest))
        }
    }

    /// The text up to the next tag, without the spaces around it.
    private static func text(at rest: ArraySlice<UInt8>) -> String {
        let bytes = rest.prefix(longestName * longestReference).prefix { $0 != UInt8(ascii: "<") }
        var scalars = Substring.UnicodeScalarView(resolved(String(decoding: bytes, as: UTF8.self)).prefix(longestName))
        scalars = scalars.drop { $0.properties.isWhitespace }
        while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
        return String(scalars)
    }

    /// The text with the characters that references stand for. A reference to nothing stays as it is.
    private static func resolved(_ text: String) -> String.UnicodeScalarView {
        var scalars = String.UnicodeScalarView()
        var rest = Substring(text).unicodeScalars
        while let scalar = rest.popFirst() {
            let reference = scalar == "&" ? rest.prefix(longestReference).prefix { $0 != ";" } : rest.prefix(0)
            if reference.endIndex < rest.endIndex, rest[reference.endIndex] == ";",
                let character = character(referredToBy: String(reference))
            {
                scalars.append(character)
                rest = rest[rest.index(after: reference.endIndex)...]
            } else {
                scalars.append(scalar)
            }
        }
        return scalars
    }

    private static func character(referredToBy name: String) -> Unicode.Scalar? {
        if let named = TrackList.entities.first(where: { $0.value == "&\(name);" }) { return named.key }
        let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
        return name.hasPrefix("#") ? number.flatMap(Unicode.Scalar.init) : nil
    }
}
