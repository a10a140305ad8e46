/// The header of a WAV file, from its first byte up to its samples: as libsndfile writes it, and as it stands in the file.
///
/// libsndfile cuts sizes to 32 bits. Beyond them the file is RF64 (EBU Tech 3306), whose sizes stand in a chunk `ds64`
/// ahead of all others. Room for that is in the header from the start, as a chunk `JUNK`, so that the samples stay
/// where they are.
struct WAVHeader {
    /// The chunk that keeps the room, behind those that libsndfile writes by itself.
    static let reserve = (name: "JUNK", content: [UInt8](repeating: 0, count: 28))

    /// libsndfile's, which ends with the head of the chunk `data`.
    private var bytes: [UInt8]

    init(writtenBySoundFile bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// What stands in a file of that length.
    ///
    /// - Parameters:
    ///   - fileLength: In bytes.
    ///   - isAlwaysLarge: Whether it is RF64 in any case.
    func bytes(fileLength: Int, isAlwaysLarge: Bool) -> [UInt8] {
        let fileLength = max(fileLength, bytes.count)
        let isLarge = isAlwaysLarge || fileLength - 8 > Int(UInt32.max)
        guard isLarge, let room = chunk(Self.reserve.name), let format = chunk("fmt ") else {
            return bytes[..<4] + number(fileLength - 8, size: 4) + bytes[8...]
        }
        let dataLength = dataLength(fileLength: fileLength)
        let frameSize = Int(bytes[format.lowerBound + 20]) | Int(bytes[format.lowerBound + 21]) << 8
        let sizes =
            number(fileLength - 8, size: 8) + number(dataLength, size: 8) + number(dataLength / frameSize, size: 8)
        let noTable = number(0, size: 4)
        return Array("RF64".utf8) + number(-1, size: 4) + Array("WAVE".utf8)
            + Array("ds64".utf8) + number(Self.reserve.content.count, size: 4) + sizes + noTable
            + bytes[12..<room.lowerBound] + bytes[room.upperBound..<(bytes.count - 4)] + number(-1, size: 4)
    }

    /// What stands in a stream, of which nobody knows how long it will be.
    var bytesOfUnknownLength: [UInt8] {
        bytes[..<4] + number(-1, size: 4) + bytes[8..<(bytes.count - 4)] + number(-1, size: 4)
    }

    /// How many bytes of samples there are: as many as the header says in its last four bytes, of which the upper ones
    /// are cut off.
    private func dataLength(fileLength: Int) -> Int {
        let low = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let room = fileLength - bytes.count
        let length = room & ~Int(UInt32.max) | low
        return length > room ? max(length - (1 << 32), 0) : length
    }

    /// Where a chunk is, its head included.
    private func chunk(_ name: String) -> Range<Int>? {
        var start = 12
        while start + 8 <= bytes.count {
            let size = bytes[start + 4..<start + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            let end = start + 8 + size + size % 2
            if bytes[start..<start + 4].elementsEqual(name.utf8), end <= bytes.count { return start..<end }
            start = end
        }
        return nil
    }

    /// A number with its lowest byte first.
    private func number(_ value: Int, size: Int) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0[..<size]) }
    }
}
