extension AudioFileExamination {
    /// Examines a FLAC file: counts its frames and corrects the number in its header.
    struct FLAC {
        private(set) var result: AudioFileExamination
        private let file: AudioFileReader
        /// The content of the block STREAMINFO, and its offset. It is the first block, but readers find it behind others, too.
        private let information: [UInt8]
        private let informationStart: Int

        private static let informationLength = 34
        private static let marker = Array("fLaC".utf8)
        /// What to do with a file in which this finds no frames.
        private static let remedy = "Try to decode it with 'flac' or 'ffmpeg'."
        private static let checksum = CRC<UInt16>(polynomial: 0x8005)
        private static let windowLength = 1 << 18

        /// - Parameter start: Where the file begins: behind an ID3v2 tag, if it has one.
        init(_ file: AudioFileReader, from start: Int) throws(ACCAudioRecorderError) {
            self.file = file
            result = AudioFileExamination(format: "FLAC", keeping: file.byteCount)
            let order = ByteOrder.big
            var offset = start + Self.marker.count
            var place: Int?
            var isLast = false
            while !isLast {
                let header = try file.bytes(at: offset, count: 4)
                guard header.count == 4 else {
                    throw file.hopeless("it ends before the first sample", remedy: "There is no audio to recover.")
                }
                isLast = header[0] & 0x80 != 0
                let length = Int(order.number(header[1...]))
                if header[0] & 0x7F == 0, length == Self.informationLength, place == nil { place = offset + 4 }
                offset += 4 + length
                guard offset <= file.byteCount else {
                    throw file.hopeless("a block of its header is larger than the file", remedy: Self.remedy)
                }
            }
            informationStart = place ?? 0
            information = try file.bytes(at: informationStart, count: Self.informationLength)
            let sampleRate = place == nil ? 0 : Int(order.number(information[10..<13]) >> 4)
            guard sampleRate > 0 else {
                throw file.hopeless("its header does not describe its samples", remedy: Self.remedy)
            }
            result.sampleRate = sampleRate
            let (frames, end) = try count(from: offset)
            guard frames > 0 else {
                throw file.hopeless("it has no complete frame", remedy: "There is no audio to recover.")
            }
            result.frameCount = frames
            // What is complete by its own header is left alone, whatever stands behind it.
            if frames == statedFrames { return }
            guard try !Self.begins(at: end, in: file) else {
                throw file.hopeless("another FLAC file begins at byte \(end)", remedy: "Decode it with 'ffmpeg'.")
            }
            result.plan.keptByteCount = end
            result.addFault(.cutOff(byteCount: file.byteCount - end), if: end < file.byteCount)
            writeTotal(UInt64(frames))
        }

        /// Corrects the number of frames in STREAMINFO, and clears the MD5 of the samples, which no longer matches.
        private mutating func writeTotal(_ frames: UInt64) {
            let old = Array(information[13..<18])
            var new = ByteOrder.big.bytes(frames, count: 5)
            new[0] = new[0] & 0x0F | old[0] & 0xF0
            guard result.plan.patch(new, over: old, at: informationStart + 13) else { return }
            result.addFault(.wrongLength, if: true)
            _ = result.plan.patch(
                [UInt8](repeating: 0, count: 16), over: Array(information[18...]), at: informationStart + 18)
        }

        /// The maximum size of a frame in bytes: slightly more than its uncompressed samples.
        private var longestFrame: Int {
            Int(ByteOrder.big.number(information[2..<4])) * channelCount * (bits + 1) / 8 + 256
        }

        /// The stated number of audio frames; 0 if unknown.
        private var statedFrames: Int { Int(ByteOrder.big.number(information[13..<18]) & 0xF_FFFF_FFFF) }

        private var channelCount: Int { Int(information[12] >> 1 & 7) + 1 }

        private var bits: Int { Int(ByteOrder.big.number(information[12..<14]) >> 4 & 0x1F) + 1 }

        /// Counts the audio frames in complete FLAC frames.
        ///
        /// A FLAC frame ends where its checksum is right and the next one begins, or the file ends.
        ///
        /// - Returns: Their number, and the offset in bytes at which the last one ends.
        private func count(from start: Int) throws(ACCAudioRecorderError) -> (frames: Int, end: Int) {
            guard file.byteCount > start else {
                throw file.hopeless("it ends before the first sample", remedy: "There is no audio to recover.")
            }
            guard var header = try header(at: start) else {
                throw file.hopeless("no frame begins at byte \(start), where its header ends", remedy: Self.remedy)
            }
            guard header.agrees(sampleRate: result.sampleRate ?? 0, channelCount: channelCount, bits: bits) else {
                throw file.hopeless(
                    "its header and its frames contradict each other", remedy: "Decode it with 'flac' or 'ffmpeg'.")
            }
            var (frames, frameStart, checksum) = (0, start, UInt16(0))
            // Where the frame may end before something else, and whether there is a header within the frame, which
            // shows damage unless the frame turns out to be right.
            var (lastEnd, hasLaterFrame) = (Int?.none, false)
            var windowStart = start
            while windowStart < file.byteCount {
                let window = try file.bytes(at: windowStart, count: Self.windowLength)
                for (index, byte) in window.enumerated() {
                    let offset = windowStart + index
                    // At the end of the window, `header(at:)` checks the second byte.
                    let isSync = byte == 0xFF && (index + 1 == window.count || window[index + 1] & 0xFE == 0xF8)
                    if isSync, offset >= frameStart + header.byteCount {
                        let next = try self.header(at: offset)
                        if checksum == 0, let next, header.precedes(next) {
                            guard header.isLike(next) else {
                                throw file.hopeless(
                                    "its sample format changes at byte \(offset)", remedy: "Decode it with 'ffmpeg'.")
                            }
                            frames += header.blockSize
                            (frameStart, header, lastEnd, hasLaterFrame) = (offset, next, nil, false)
                        } else if let next, header.isLike(next) {
                            guard offset <= frameStart + longestFrame else { throw damage(at: frameStart) }
                            hasLaterFrame = hasLaterFrame || next.number > header.number
                        }
                    }
                    let wasWrong = checksum != 0
                    checksum = Self.checksum.value(checksum, after: byte)
                    if wasWrong, checksum == 0, lastEnd == nil, offset + 1 < file.byteCount,
                        try canEnd(at: offset + 1, with: frames + header.blockSize)
                    {
                        lastEnd = offset + 1
                    }
                }
                windowStart += max(window.count, 1)
            }
            if checksum == 0 { return (frames + header.blockSize, file.byteCount) }
            if let lastEnd {
                return (frames + header.blockSize, try file.hasTrailer(at: lastEnd) ? file.byteCount : lastEnd)
            }
            guard !hasLaterFrame else { throw damage(at: frameStart) }
            return (frames, frameStart)
        }

        /// Whether something else than the rest of a frame may begin here: what follows the stated number of frames, a
        /// trailer, another file, or the truncated header of a frame.
        private func canEnd(at offset: Int, with frames: Int) throws(ACCAudioRecorderError) -> Bool {
            if frames == statedFrames || file.byteCount - offset < FLACFrameHeader.longest { return true }
            if try Self.begins(at: offset, in: file) { return true }
            return try file.hasTrailer(at: offset)
        }

        /// Whether a FLAC file begins here.
        static func begins(at offset: Int, in file: AudioFileReader) throws(ACCAudioRecorderError) -> Bool {
            try file.bytes(at: offset, count: marker.count) == marker
        }

        private func damage(at offset: Int) -> ACCAudioRecorderError {
            file.hopeless(
                "its frame at byte \(offset) is damaged, with more frames after it",
                remedy: "Decode it with 'flac --decode-through-errors', which skips that frame.")
        }

        private func header(at offset: Int) throws(ACCAudioRecorderError) -> FLACFrameHeader? {
            FLACFrameHeader(try file.bytes(at: offset, count: FLACFrameHeader.longest))
        }
    }
}
