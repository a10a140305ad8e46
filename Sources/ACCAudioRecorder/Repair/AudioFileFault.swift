/// What is the matter with an audio file that can be mended.
public enum AudioFileFault: Sendable, Hashable {
    /// The header has sizes that are not those of the file.
    case wrongSizes
    /// The header does not say how long the file is, or says it wrongly.
    case wrongLength
    /// The file ends in the midst of a frame, a page or a chunk, of which so many bytes are there.
    case cutOff(byteCount: Int)
    /// The byte is missing that makes the size of the samples even.
    case noPadding
    /// The last page does not say that it is the last.
    case noEnd
}

extension AudioFileFault: CustomStringConvertible {
    /// For people: `the header has the wrong sizes`.
    public var description: String {
        switch self {
        case .wrongSizes: "the header has the wrong sizes"
        case .wrongLength: "the header does not tell the length"
        case .cutOff(let count): "its end is cut off, of which \(count) byte\(count == 1 ? " is" : "s are") left out"
        case .noPadding: "the byte is missing that makes its size even"
        case .noEnd: "its last page does not say that it is the last"
        }
    }
}
