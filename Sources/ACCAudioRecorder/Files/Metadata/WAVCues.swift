/// The cue points of a WAV file: a `cue ` chunk with their positions, and their labels in a `LIST` chunk of type `adtl`
/// (Microsoft, "Multimedia Programming Interface and Data Specifications 1.0"). libsndfile can write cue points only
/// before the samples, which would require their number to be known from the start.
struct WAVCues {
    let cues: [(frame: Int, label: String)]

    /// The names of the chunks, and how the content of the second one begins.
    static let placesName = "cue "
    static let listName = "LIST"
    static let labelsName = "adtl"
    /// As much as is read of a chunk, in bytes: 699,050 cue points.
    static let largestChunk = 16 << 20
    /// The length in bytes of a cue point without its label.
    private static let placeLength = 24

    /// - Parameter markers: Those whose frame number does not fit the chunk are left out; the marker sidecar has them.
    init(_ markers: [(frame: Int, label: String)]) {
        cues = markers.filter { UInt32(exactly: $0.frame) != nil }
    }

    /// The maximum number of bytes that a cue point adds to the chunks, including their heads.
    static func largestSize(ofLabel label: String) -> Int { 64 + label.utf8.count }

    /// The chunks that follow the samples; nil without a cue point.
    var chunks: [UInt8]? { cues.isEmpty ? nil : places + labels }

    private var places: [UInt8] {
        let body = cues.enumerated().flatMap { index, cue in
            let place = bytes(cue.frame)
            return bytes(index + 1) + place + Array("data".utf8) + bytes(0) + bytes(0) + place
        }
        return chunk(Self.placesName, bytes(cues.count) + body)
    }

    private var labels: [UInt8] {
        let body = cues.enumerated().flatMap { index, cue in
            chunk("labl", bytes(index + 1) + Array(cue.label.utf8) + [0])
        }
        return chunk(Self.listName, Array(Self.labelsName.utf8) + body)
    }

    /// A chunk, padded to an even length.
    private func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        Array(name.utf8) + bytes(body.count) + body + (body.count % 2 == 0 ? [] : [0])
    }

    private func bytes(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(number).littleEndian) { Array($0) }
    }
}

extension WAVCues {
    /// The cue points of a file that any program may have written.
    ///
    /// - Parameters:
    ///   - places: The content of its chunk `cue `, or the beginning of it.
    ///   - labels: The content of its list `adtl`; those of cue points that it does not have are empty.
    /// - Returns: Nil if it states more cue points than there are.
    init?(places: [UInt8], labels: [UInt8]) {
        // The numbers of a `RIFX` file are big-endian.
        let capacity = (places.count - 4) / Self.placeLength
        guard places.count >= 4,
            let order = [ByteOrder.little, .big].first(where: { $0.number(places[..<4]) <= capacity })
        else { return nil }
        let labels = Self.labels(in: labels, order)
        cues = (0..<Int(order.number(places[..<4]))).map { index in
            let cue = places[(4 + index * Self.placeLength)...].prefix(Self.placeLength)
            return (frame: Int(order.number(cue.suffix(4))), label: labels[order.number(cue.prefix(4))] ?? "")
        }
    }

    /// The labels in the content of a list, by the number of their cue point.
    private static func labels(in list: [UInt8], _ order: ByteOrder) -> [UInt64: String] {
        var labels: [UInt64: String] = [:]
        var rest = list.dropFirst(labelsName.utf8.count)
        while rest.count > 8 {
            let content = rest.dropFirst(8).prefix(Int(order.number(rest.dropFirst(4).prefix(4))))
            if rest.starts(with: "labl".utf8), content.count > 4 {
                let text = String(decoding: content.dropFirst(4).prefix { $0 != 0 }, as: UTF8.self)
                labels.merge([order.number(content.prefix(4)): text]) { first, _ in first }
            }
            rest = rest.dropFirst(8 + content.count + content.count % 2)
        }
        return labels
    }
}
