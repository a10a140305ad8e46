/// The `guan` chunk of a WAV file (GUANO 1.0, https://github.com/riggsd/guano-spec): lines of UTF-8, each a key, a colon and a
/// value.
struct GUANOChunk {
    static let chunkName = "guan"

    /// When the file's first frame was captured.
    let start: WallClock
    let sampleRate: Int
    /// The length of the file; nil before it is known.
    let frameCount: Int?
    let fields: GUANOFields

    /// The room for the length, which is known only at the end: up to 13 digits of seconds.
    private static let lengthRoom = "Length: 1234567890123.123456\n".utf8.count

    /// The content of the chunk, as long whatever the time and the length.
    var content: [UInt8] {
        let head = "GUANO|Version: 1.0\nTimestamp: \(start.timestamp)\nSamplerate: \(sampleRate)\n" + fields.lines
        let length = frameCount.map { "Length: \(seconds($0))\n" } ?? ""
        let size = head.utf8.count + Self.lengthRoom
        // Readers skip white space. libsndfile would pad to four bytes with zeros.
        let padding = (size + 3) / 4 * 4 - head.utf8.count - length.utf8.count
        return Array((head + length).utf8) + [UInt8](repeating: UInt8(ascii: " "), count: max(padding, 0))
    }

    /// `2.500000`
    private func seconds(_ frames: Int) -> String {
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: sampleRate)
        return "\(seconds).\(String(1_000_000 + rest * 1_000_000 / sampleRate).dropFirst())"
    }

    /// The fields in the content of a chunk, which may be damaged or hostile, in their order.
    static func fields(in content: [UInt8]) -> [(key: String, value: String)] {
        let lines = content.split(separator: UInt8(ascii: "\n")).prefix(mostFields)
        return lines.compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let (key, value) = (text(line[..<colon]), text(line[(colon + 1)...]))
            return key.isEmpty ? nil : (key, value)
        }
    }

    /// More would not be shown to anybody.
    private static let mostFields = 1_000

    /// The text without the white space around it, which includes zeros.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let isBlank = { (byte: UInt8) in byte <= UInt8(ascii: " ") }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }
}

extension WallClock {
    /// Date and time to the millisecond with the offset from UTC, in ISO 8601 format: `2026-11-21T18:05:09.123+01:00`.
    fileprivate var timestamp: String {
        // `%z` has no colon.
        let offset = formatted("%z")
        return formatted("%Y-%m-%dT%H:%M:%S.") + FilePattern.padded(nanoseconds / 1_000_000, to: 3)
            + "\(offset.prefix(3)):\(offset.suffix(2))"
    }
}
