extension AudioFileExamination {
    /// Examines a RIFF WAVE file, or an RF64 file (EBU Tech 3306), whose sizes are in a `ds64` chunk.
    struct WAV {
        private(set) var result: AudioFileExamination
        private let file: AudioFileReader
        private let layout = ChunkLayout.riff

        /// The size that refers to the one in `ds64`.
        private static let elsewhere: UInt64 = 0xFFFF_FFFF
        /// The size of the content of `ds64`: the sizes of the file and of the samples, the number of frames, and the
        /// number of further sizes.
        private static let largeSizesLength = 28

        init(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
            self.file = file
            let start = try file.bytes(at: 0, count: 12)
            guard start.count == 12, start[8...].elementsEqual("WAVE".utf8) else {
                throw file.hopeless("it is a RIFF file, but not WAVE", remedy: "Only audio files can be repaired.")
            }
            let isLarge = start[..<4].elementsEqual("RF64".utf8)
            result = AudioFileExamination(format: isLarge ? "RF64" : "WAV", keeping: file.byteCount)

            var last: ChunkLayout.Chunk?
            var offset = 12
            var (format, fact, large): (ChunkLayout.Chunk?, ChunkLayout.Chunk?, ChunkLayout.Chunk?)
            while let chunk = try layout.chunk(at: offset, in: file) {
                switch chunk.name {
                case "data":
                    try repair(start, samples: chunk, format: format, fact: fact, large: large, isLarge: isLarge)
                    return
                case "fmt ": format = chunk
                case "fact": fact = chunk
                case "ds64" where isLarge, "JUNK" where offset == 12 && !isLarge:
                    large = chunk.byteCount >= Self.largeSizesLength ? chunk : nil
                default: break
                }
                if chunk.isKnown { last = chunk }
                guard let next = try result.place(after: chunk, layout, in: file) else { break }
                offset = next
            }
            throw layout.noSamples(after: last, named: "data", in: file)
        }

        private mutating func repair(
            _ start: [UInt8], samples: ChunkLayout.Chunk, format: ChunkLayout.Chunk?, fact: ChunkLayout.Chunk?,
            large: ChunkLayout.Chunk?, isLarge: Bool
        ) throws(ACCAudioRecorderError) {
            let bytes = try format.map { chunk throws(ACCAudioRecorderError) in
                try file.bytes(at: chunk.content, count: min(chunk.byteCount, Format.longest))
            }
            guard let format = Format(bytes ?? []) else {
                throw file.hopeless(
                    "its header does not describe its samples",
                    remedy: "Import it as raw samples if you know their format."
                )
            }
            let frameSize = format.frameSize
            let sizes =
                isLarge
                ? try large.map { chunk throws(ACCAudioRecorderError) in
                    try file.bytes(at: chunk.content, count: Self.largeSizesLength)
                } : nil
            let isElsewhere = UInt64(samples.byteCount) == Self.elsewhere
            var declared = samples.byteCount
            var total = Int(layout.order.number(start[4..<8])) + 8
            if let sizes, sizes.count == Self.largeSizesLength, isElsewhere {
                declared = Int(clamping: layout.order.number(sizes[8..<16]))
                total = Int(clamping: layout.order.number(sizes[..<8]).addingReportingOverflow(8).partialValue)
            }
            let extent = try SampleExtent(
                from: samples.content, declared: declared, frameSize: frameSize, total: total, layout: layout,
                in: file)
            result.apply(extent)
            result.sampleRate = format.sampleRate
            let frames = extent.byteCount / frameSize
            result.frameCount = format.isPacked ? nil : frames
            if let fact, !format.isPacked, fact.byteCount >= 4 {
                let old = try file.bytes(at: fact.content, count: 4)
                let new = layout.order.bytes(min(UInt64(frames), Self.elsewhere), count: 4)
                // RF64 may refer to the number in `ds64` here, too.
                let isReference = isLarge && layout.order.number(old) == Self.elsewhere
                if !isReference {
                    result.addFault(.wrongLength, if: result.plan.patch(new, over: old, at: fact.content))
                }
            }
            if isLarge || result.finalByteCount - 8 > Self.elsewhere - 1 {
                // Packed frames are not counted: what the file says of them stays.
                let kept = (sizes?.count == Self.largeSizesLength ? sizes : nil).map {
                    Int(clamping: layout.order.number($0[16..<24]))
                }
                try writeLargeSizes(
                    start, samples, extent, frames: format.isPacked ? kept ?? 0 : frames, into: large, isNew: !isLarge)
            } else {
                writeSizes(start, samples, extent)
            }
        }

        private mutating func writeSizes(_ start: [UInt8], _ samples: ChunkLayout.Chunk, _ extent: SampleExtent) {
            let riffSize = layout.size(of: result.finalByteCount - 8)
            let dataSize = layout.size(of: extent.byteCount)
            let hasWrongTotal = result.plan.patch(riffSize, over: Array(start[4..<8]), at: 4)
            let old = layout.size(of: samples.byteCount)
            let hasWrongSize = result.plan.patch(dataSize, over: old, at: samples.offset + layout.idLength)
            result.addFault(.wrongSizes, if: hasWrongTotal || hasWrongSize)
        }

        /// Writes 64-bit sizes: over existing ones, into a reserved chunk, or as an insertion.
        private mutating func writeLargeSizes(
            _ start: [UInt8], _ samples: ChunkLayout.Chunk, _ extent: SampleExtent, frames: Int,
            into chunk: ChunkLayout.Chunk?, isNew: Bool
        ) throws(ACCAudioRecorderError) {
            let added = chunk == nil ? layout.headerLength + Self.largeSizesLength : 0
            let order = layout.order
            var sizes = order.bytes(UInt64(result.finalByteCount + added - 8), count: 8)
            sizes += order.bytes(UInt64(extent.byteCount), count: 8) + order.bytes(UInt64(frames), count: 8)
            var isWrong = false
            if isNew { result.format = "RF64" }
            if let chunk {
                // A reserved chunk may hold anything, and has no further sizes.
                if isNew { sizes += order.bytes(0, count: 4) }
                let old = try file.bytes(at: chunk.content, count: sizes.count)
                isWrong = result.plan.patch(sizes, over: old, at: chunk.content)
                if isNew { isWrong = result.plan.patch(Array("ds64".utf8), over: [], at: chunk.offset) }
            } else {
                guard result.plan.insertion == nil else {
                    throw file.hopeless(
                        "it is above 4 GiB, and a padding byte is missing before its samples",
                        remedy: "Import it as raw samples if you know their format.")
                }
                let header = Array("ds64".utf8) + layout.size(of: Self.largeSizesLength)
                result.plan.insertion = .init(offset: 12, bytes: header + sizes + order.bytes(0, count: 4))
                isWrong = true
            }
            let elsewhere = order.bytes(Self.elsewhere, count: 4)
            let head = Array("RF64".utf8) + elsewhere
            isWrong = result.plan.patch(head, over: Array(start[..<8]), at: 0) || isWrong
            let old = layout.size(of: samples.byteCount)
            isWrong = result.plan.patch(elsewhere, over: old, at: samples.offset + layout.idLength) || isWrong
            result.addFault(.wrongSizes, if: isWrong)
        }
    }
}

extension AudioFileExamination.WAV {
    /// The `fmt ` chunk of a WAV or Wave64 file.
    struct Format {
        let sampleRate: Int
        /// The size in bytes of a frame; 1 if frames are packed.
        let frameSize: Int
        /// Whether frames are packed into blocks of any size, and so cannot be counted by their size.
        let isPacked: Bool

        /// PCM, floating point, A-law and µ-law, with the valid sample sizes in bits.
        private static let unpacked: [Int: ClosedRange<Int>] = [1: 1...32, 3: 32...64, 6: 8...8, 7: 8...8]
        /// Microsoft and IMA ADPCM, GSM 6.10, G.721, MPEG, MP3, AAC, WMA and AC-3.
        private static let packed: Set<Int> = [0x02, 0x11, 0x31, 0x40, 0x50, 0x55, 0xFF, 0x161, 0x2000]
        /// The code of the extensible form, which has the real code in its extension.
        private static let extensible = 0xFFFE
        /// What follows the code in the extension: for Microsoft's own formats and for Ambisonics.
        private static let extensions: [[UInt8]] = [
            [0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71],
            [0x00, 0x00, 0x21, 0x07, 0xD3, 0x11, 0x86, 0x44, 0xC8, 0xC1, 0xCA, 0x00, 0x00, 0x00],
        ]
        /// The maximum number of bytes to read.
        static let longest = 40

        /// Nil if it is too short or inconsistent.
        init?(_ bytes: [UInt8]) {
            func number(_ range: Range<Int>) -> Int { Int(ByteOrder.little.number(bytes[range])) }
            guard bytes.count >= 16 else { return nil }
            let (channels, bits) = (number(2..<4), number(14..<16))
            sampleRate = number(4..<8)
            let blockSize = number(12..<14)
            var code = number(0..<2)
            if code == Self.extensible {
                guard bytes.count >= 40, number(18..<20) <= bits, Self.extensions.contains(Array(bytes[26..<40])) else {
                    return nil
                }
                code = number(24..<26)
            }
            guard ChunkLayout.channelCounts.contains(channels), blockSize > 0, sampleRate > 0, sampleRate <= Int32.max
            else { return nil }
            if let possible = Self.unpacked[code] {
                guard possible.contains(bits), blockSize == channels * ((bits + 7) / 8) else { return nil }
                (isPacked, frameSize) = (false, blockSize)
            } else {
                guard Self.packed.contains(code) else { return nil }
                // The stated size is none of MP3 and AC-3, and decoders read a part of a block, too.
                (isPacked, frameSize) = (true, 1)
            }
        }
    }
}

extension AudioFileExamination {
    /// Examines a Sony Wave64 file, which has 16-byte identifiers and 8-byte sizes.
    struct W64 {
        private(set) var result: AudioFileExamination

        /// The identifier at the beginning of a file.
        static let riff: [UInt8] =
            Array("riff".utf8) + [
                0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00,
            ]
        /// The rest of every other relevant identifier, after its first four letters.
        private static let nameRest: [UInt8] = [0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0x00, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A]
        /// The offset of the first chunk, after the `riff` identifier, the file size (which counts the whole file) and the
        /// `wave` identifier.
        private static let firstChunk = 40

        init(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
            let layout = ChunkLayout.w64
            result = AudioFileExamination(format: "W64", keeping: file.byteCount)
            guard try file.bytes(at: 24, count: 16) == Array("wave".utf8) + Self.nameRest else {
                throw file.hopeless("it is RIFF64, but not WAVE", remedy: "Only audio files can be repaired.")
            }
            var last: ChunkLayout.Chunk?
            var offset = Self.firstChunk
            var format: WAV.Format?
            while let chunk = try layout.chunk(at: offset, in: file) {
                switch chunk.name {
                case "fmt " where chunk.nameRest == Self.nameRest:
                    format = WAV.Format(
                        try file.bytes(at: chunk.content, count: min(chunk.byteCount, WAV.Format.longest)))
                case "data" where chunk.nameRest == Self.nameRest:
                    guard let format else { break }
                    let extent = try SampleExtent(
                        from: chunk.content, declared: chunk.byteCount, frameSize: format.frameSize, layout: layout,
                        in: file)
                    result.apply(extent)
                    result.sampleRate = format.sampleRate
                    result.frameCount = format.isPacked ? nil : extent.byteCount / format.frameSize
                    try write(UInt64(result.finalByteCount), at: layout.idLength, in: file)
                    try write(
                        UInt64(extent.byteCount + layout.headerLength), at: chunk.offset + layout.idLength, in: file)
                    return
                default: break
                }
                if chunk.isKnown { last = chunk }
                guard let next = try result.place(after: chunk, layout, in: file) else { break }
                offset = next
            }
            throw layout.noSamples(after: last, named: "data", in: file)
        }

        private mutating func write(_ size: UInt64, at offset: Int, in file: AudioFileReader)
            throws(ACCAudioRecorderError)
        {
            let old = try file.bytes(at: offset, count: 8)
            let isWrong = result.plan.patch(ByteOrder.little.bytes(size, count: 8), over: old, at: offset)
            result.addFault(.wrongSizes, if: isWrong)
        }
    }
}
