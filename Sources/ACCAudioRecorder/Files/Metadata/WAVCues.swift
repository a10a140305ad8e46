/// The cue points of a WAV file: a `cue ` chunk with their positions, and their labels in a `LIST` chunk of type `adtl`
/// (Microsoft, "Multimedia Programming Interface and Data Specifications 1.0"). libsndfile can write cue points only
/// before the samples, which would require their number to be known from the start.
struct WAVCues {
    private let cues: [(frame: Int, label: String)]

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
        return chunk("cue ", bytes(cues.count) + body)
    }

    private var labels: [UInt8] {
        let body = cues.enumerated().flatMap { index, cue in
            chunk("labl", bytes(index + 1) + Array(cue.label.utf8) + [0])
        }
        return chunk("LIST", Array("adtl".utf8) + body)
    }

    /// A chunk, padded to an even length.
    private func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        Array(name.utf8) + bytes(body.count) + body + (body.count % 2 == 0 ? [] : [0])
    }

    private func bytes(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(number).littleEndian) { Array($0) }
    }
}
