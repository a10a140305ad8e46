/// Examines a FLAC file: counts its frames and corrects the number in its header.
struct FLACExamination {
    private(set) var result: AudioFileExamination
    private let file: AudioFileReader
    /// The content of the first block, STREAMINFO.
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
            throw file.hopeless("its header does not describe its samples", remedy: "There is no audio to recover.")
        }
        information = Array(first[4...])
        let sampleRate = Int(order.number(information[10..<13]) >> 4)
        guard sampleRate > 0, order.number(first[1..<4]) == UInt64(Self.informationLength) else {
            throw file.hopeless("its header does not describe its samples", remedy: "There is no audio to recover.")
        }
        result.sampleRate = sampleRate

        var offset = 4
        var isLast = false
        while !isLast {
            let header = try file.bytes(at: offset, count: 4)
            guard header.count == 4 else {
                throw file.hopeless("it ends before the first sample", remedy: "There is no audio to recover.")
            }
            isLast = header[0] & 0x80 != 0
            offset += 4 + Int(order.number(header[1...]))
        }
        let (frames, end) = try count(from: offset)
        guard frames > 0 else {
            throw file.hopeless("it has no complete frame", remedy: "There is no audio to recover.")
        }
        result.frameCount = frames
        result.plan.keptByteCount = end
        result.addFault(.cutOff(byteCount: file.byteCount - end), if: end < file.byteCount)
        writeTotal(UInt64(frames))
    }

    /// Corrects the number of frames in STREAMINFO, and clears the MD5 of the samples, which no longer matches.
    private mutating func writeTotal(_ frames: UInt64) {
        let old = Array(information[13..<18])
        var new = ByteOrder.big.bytes(frames, count: 5)
        new[0] = new[0] & 0x0F | old[0] & 0xF0
        guard result.plan.patch(new, over: old, at: Self.informationStart + 13) else { return }
        result.addFault(.wrongLength, if: true)
        _ = result.plan.patch(
            [UInt8](repeating: 0, count: 16), over: Array(information[18...]), at: Self.informationStart + 18)
    }

    /// The maximum size of a frame in bytes: slightly more than its uncompressed samples.
    private var longestFrame: Int {
        Int(ByteOrder.big.number(information[2..<4])) * channelCount * (bits + 1) / 8 + 256
    }

    private var channelCount: Int { Int(information[12] >> 1 & 7) + 1 }

    private var bits: Int { Int(ByteOrder.big.number(information[12..<14]) >> 4 & 0x1F) + 1 }

    /// Counts the audio frames in complete FLAC frames.
    ///
    /// A FLAC frame ends where its checksum is right and the next one begins, or the file ends.
    ///
    /// - Returns: Their number, and the offset in bytes at which the last one ends.
    private func count(from start: Int) throws(ACCAudioRecorderError) -> (frames: Int, end: Int) {
        guard var header = try header(at: start) else { return (0, start) }
        guard header.agrees(sampleRate: result.sampleRate ?? 0, channelCount: channelCount, bits: bits) else {
            throw file.hopeless(
                "its header and its frames contradict each other", remedy: "Decode it with 'flac' or 'ffmpeg'.")
        }
        var (frames, frameStart, checksum) = (0, start, UInt16(0))
        var windowStart = start
        while windowStart < file.byteCount {
            let window = try file.bytes(at: windowStart, count: Self.windowLength)
            for (index, byte) in window.enumerated() {
                let offset = windowStart + index
                // At the end of the window, `header(at:)` checks the second byte.
                let isSync = byte == 0xFF && (index + 1 == window.count || window[index + 1] & 0xFE == 0xF8)
                if isSync, offset >= frameStart + header.byteCount {
                    if checksum == 0, let next = try self.header(at: offset), header.precedes(next) {
                        frames += header.blockSize
                        (frameStart, header) = (offset, next)
                    } else if offset > frameStart + longestFrame, let next = try self.header(at: offset),
                        header.isLike(next)
                    {
                        throw file.hopeless(
                            "its frame at byte \(frameStart) is damaged, with more frames after it",
                            remedy: "Decode it with 'flac --decode-through-errors', which skips that frame.")
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
