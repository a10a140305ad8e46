import SystemPackage

/// The markers of a WAV file: a `cue ` chunk with their places, and their labels in a `LIST` of kind `adtl` (Microsoft,
/// "Multimedia Programming Interface and Data Specifications 1.0"). libsndfile has a place for cues only ahead of the
/// samples, where their number would have to be known from the start.
struct WAVCues {
    private var cues: [(frame: Int, label: String)] = []

    mutating func add(label: String, at frame: Int) {
        cues.append((frame, label))
    }

    /// Appends the chunks to a file that is complete, and takes them into its size. Does nothing without a cue.
    func append(to descriptor: FileDescriptor) throws(Errno) {
        guard !cues.isEmpty else { return }
        let chunks = places + labels
        do {
            let end = try descriptor.seek(offset: 0, from: .end)
            // A size of four bytes cannot tell of more; the label file has the markers.
            guard let riffSize = UInt32(exactly: end + Int64(chunks.count) - 8) else { return }
            try descriptor.writeAll(chunks)
            try descriptor.writeAll(toAbsoluteOffset: 4, bytes(Int(riffSize)))
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    private var places: [UInt8] {
        let body = cues.enumerated().flatMap { index, cue in
            let frame = UInt32(clamping: cue.frame)
            return bytes(index + 1) + bytes(Int(frame)) + Array("data".utf8) + bytes(0) + bytes(0) + bytes(Int(frame))
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
