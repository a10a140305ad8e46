/// The markers of a WAV file: a `cue ` chunk with their places, and their labels in a `LIST` of kind `adtl` (Microsoft,
/// "Multimedia Programming Interface and Data Specifications 1.0"). libsndfile has a place for cues only ahead of the
/// samples, where their number would have to be known from the start.
struct WAVCues {
    private var cues: [(frame: Int, label: String)] = []

    /// Adds one, unless its frame is beyond what the chunk can say; the label file has it then.
    mutating func add(label: String, at frame: Int) {
        if UInt32(exactly: frame) != nil { cues.append((frame, label)) }
    }

    /// The chunks, to come after the samples; nil without a cue.
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

    /// A chunk, and the byte that makes its length even.
    private func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        Array(name.utf8) + bytes(body.count) + body + (body.count % 2 == 0 ? [] : [0])
    }

    private func bytes(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(number).littleEndian) { Array($0) }
    }
}
