import Foundation

/// A marker in a WAV file: a cue point in its `cue ` chunk, and the label in its `adtl` list.
public struct WAVMarker: Equatable, Sendable {
    /// The frame that it precedes.
    public let frame: Int
    /// Its label.
    public let label: String

    /// Creates an expected marker.
    public init(frame: Int, label: String) {
        self.frame = frame
        self.label = label
    }

    /// Reads the marker file of a WAV or RF64 file.
    ///
    /// - Throws: `PCMFileError` if chunks and sizes are inconsistent; errors of reading the file.
    public static func all(in url: URL) throws -> [WAVMarker] {
        let file = try Data(contentsOf: url, options: .alwaysMapped)
        let isRF64 = text(file, 0) == "RF64"
        guard number(file, isRF64 ? 20 : 4, bytes: isRF64 ? 8 : 4) == file.count - 8 else {
            throw PCMFileError("its size is not the one that it tells")
        }
        let (places, labels) = try chunks(of: file, in: 12..<file.count).reduce(into: ([Int: Int](), [Int: String]())) {
            found, chunk in
            switch chunk.name {
            case "cue ":
                for index in 0..<number(file, chunk.range.lowerBound) {
                    let start = chunk.range.lowerBound + 4 + 24 * index
                    found.0[number(file, start)] = number(file, start + 20)
                }
            case "LIST" where text(file, chunk.range.lowerBound) == "adtl":
                for label in try chunks(of: file, in: chunk.range.dropFirst(4)) where label.name == "labl" {
                    let bytes = file[label.range.dropFirst(4)].prefix { $0 != 0 }
                    found.1[number(file, label.range.lowerBound)] = String(decoding: bytes, as: UTF8.self)
                }
            default: break
            }
        }
        return places.sorted { $0.key < $1.key }.map { WAVMarker(frame: $0.value, label: labels[$0.key] ?? "") }
    }

    private static func chunks(of file: Data, in range: Range<Int>) throws -> [(name: String, range: Range<Int>)] {
        var found: [(String, Range<Int>)] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard offset + 8 <= range.upperBound else { throw PCMFileError("half a chunk at \(offset)") }
            // In RF64 the size is in the first chunk.
            let isLarge = number(file, offset + 4) == Int(UInt32.max)
            let size = isLarge ? number(file, 28, bytes: 8) : number(file, offset + 4)
            let content = offset + 8..<offset + 8 + size
            guard content.upperBound <= range.upperBound else { throw PCMFileError("a chunk too long at \(offset)") }
            found.append((text(file, offset), content))
            offset = content.upperBound + content.count % 2
        }
        return found
    }

    private static func number(_ file: Data, _ offset: Int, bytes: Int = 4) -> Int {
        (0..<bytes).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
    }

    private static func text(_ file: Data, _ offset: Int) -> String {
        String(decoding: file[offset..<offset + 4], as: UTF8.self)
    }
}
