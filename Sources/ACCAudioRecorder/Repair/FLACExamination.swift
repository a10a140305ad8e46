/// Looks at a FLAC file: counts its frames, and has the header say so.
struct FLACExamination {
    private(set) var result: AudioFileExamination
    private let file: AudioFileReader
    /// The content of the block that comes first, STREAMINFO.
    private let information: [UInt8]

    private static let informationStart = 8
    private static let informationLength = 34
    private static let checksum = CRC<UInt16>(polynomial: 0x8005)
    private static let windowLength = 1 << 18

    init(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
        self.file = file
        result = AudioFileExamination(format: "FLAC", keeping: file.byteCount)
        let order = ByteOrder.big
        let first = try file.bytes(at: 4, count: 4 + Self.informationLength)
        guard first.count == 4 + Self.informationLength, first[0] & 0x7F == 0 else {
            throw file.hopeless("it does not say what its samples are", remedy: "There is no sound in it.")
        }
        information = Array(first[4...])
        result.sampleRate = Int(order.number(information[10..<13]) >> 4)

        var offset = 4
        var isLast = false
        while !isLast {
            let header = try file.bytes(at: offset, count: 4)
            guard header.count == 4 else {
                throw file.hopeless("it ends before its samples begin", remedy: "There is no sound in it.")
            }
            isLast = header[0] & 0x80 != 0
            offset += 4 + Int(order.number(header[1...]))
        }
        let (frames, end) = try count(from: offset)
        guard frames > 0 else {
            throw file.hopeless("it has no frame that is whole", remedy: "There is no sound in it.")
        }
        result.frameCount = frames
        result.mending.keptByteCount = end
        result.note(.cutOff(byteCount: file.byteCount - end), if: end < file.byteCount)
        writeTotal(UInt64(frames))
    }

    /// Puts the number of frames into STREAMINFO, and takes the checksum of the samples out of it, which was of others.
    private mutating func writeTotal(_ frames: UInt64) {
        let old = Array(information[13..<18])
        var new = ByteOrder.big.bytes(frames, count: 5)
        new[0] = new[0] & 0x0F | old[0] & 0xF0
        guard result.mending.patch(new, over: old, at: Self.informationStart + 13) else { return }
        result.note(.wrongLength, if: true)
        _ = result.mending.patch(
            [UInt8](repeating: 0, count: 16), over: Array(information[18...]), at: Self.informationStart + 18)
    }

    /// The longest that a frame can be, in bytes: as long as its samples are when they are not compressed, or nearly.
    private var longestFrame: Int {
        let order = ByteOrder.big
        let blockSize = Int(order.number(information[2..<4]))
        let channels = Int(information[12] >> 1 & 7) + 1
        let bits = Int(order.number(information[12..<14]) >> 4 & 0x1F) + 1
        return blockSize * channels * (bits + 1) / 8 + 256
    }

    /// Counts the audio frames in whole frames of FLAC.
    ///
    /// A frame ends where its checksum is right and the next one begins, or the file ends.
    ///
    /// - Returns: How many there are, and where the last one ends, in bytes.
    private func count(from start: Int) throws(ACCAudioRecorderError) -> (frames: Int, end: Int) {
        guard var header = try header(at: start) else { return (0, start) }
        var (frames, frameStart, checksum) = (0, start, UInt16(0))
        var windowStart = start
        while windowStart < file.byteCount {
            let window = try file.bytes(at: windowStart, count: Self.windowLength)
            for (index, byte) in window.enumerated() {
                let offset = windowStart + index
                if byte == 0xFF, offset >= frameStart + header.byteCount {
                    if checksum == 0, let next = try self.header(at: offset), header.precedes(next) {
                        frames += header.blockSize
                        (frameStart, header) = (offset, next)
                    } else if offset > frameStart + longestFrame, let next = try self.header(at: offset),
                        header.isLike(next)
                    {
                        throw file.hopeless(
                            "its frame at byte \(frameStart) is damaged, and others follow",
                            remedy: "Decode it with 'flac --decode-through-errors', which leaves that frame out.")
                    }
                }
                checksum = Self.checksum.value(checksum, after: byte)
            }
            windowStart += max(window.count, 1)
        }
        guard checksum == 0 else { return (frames, frameStart) }
        return (frames + header.blockSize, file.byteCount)
    }

    private func header(at offset: Int) throws(ACCAudioRecorderError) -> FLACFrameHeader? {
        FLACFrameHeader(try file.bytes(at: offset, count: FLACFrameHeader.longest))
    }
}
