import Foundation

/// The `bext` chunk of a WAV file (EBU Tech 3285).
public struct BroadcastChunk: Sendable {
    /// The description of the recording.
    public let description: String
    /// The program that recorded it.
    public let originator: String
    /// `2026-11-21`
    public let date: String
    /// `18:05:09`
    public let time: String
    /// Frames since midnight.
    public let timeReference: Int
    /// The processing history, one line per step.
    public let codingHistory: String

    /// Reads the chunk of a file; nil if it has none.
    public init?(_ url: URL) throws {
        let file = try Data(contentsOf: url)
        guard let start = file.range(of: Data("bext".utf8))?.upperBound else { return nil }
        func number(_ offset: Int, size: Int) -> Int {
            (0..<size).reduce(0) { $0 | Int(file[start + offset + $1]) << (8 * $1) }
        }
        func text(_ offset: Int, size: Int) -> String {
            String(decoding: file[start + 4 + offset..<start + 4 + offset + size].prefix { $0 != 0 }, as: UTF8.self)
        }
        description = text(0, size: 256)
        originator = text(256, size: 32)
        date = text(320, size: 10)
        time = text(330, size: 8)
        timeReference = number(4 + 338, size: 8)
        codingHistory = text(602, size: number(0, size: 4) - 602)
    }
}
