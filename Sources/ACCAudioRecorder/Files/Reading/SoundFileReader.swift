import CSndFile
import SystemPackage

/// Reads a file of any format that libsndfile knows; of a chained Ogg file, all links of one sample rate and channel count.
public struct SoundFileReader: ~Copyable {
    /// The number of frames that the header states; 0 if it states none.
    public let frameCount: Int
    /// The sample rate in Hz.
    public let sampleRate: Double
    /// Samples per frame, to compute with indices.
    let channels: Int
    /// The word length in bits that holds the file's samples without loss; nil for floating point and lossy encodings.
    public let integerBits: Int?
    /// libsndfile's names of the file format and of the encoding: `WAV (Microsoft)`, `Signed 16 bit PCM`.
    public let formatNames: [String]
    private let isInVorbisOrder: Bool
    private(set) var handle: Handle
    private let chain: Chain?
    /// The link of the chain that is open.
    private var link = 0

    /// Opens a file, at its first frame. Blocks as long as the file system does, but never for a pipe.
    public init(path: String) throws(SoundFileFailure) {
        let file = try OpenFile(path: path)
        let whole = try Handle(path: path)
        let (info, frameCount) = (whole.info, whole.frameCount)
        let isOgg = Int(info.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_OGG
        let chain = isOgg ? try Chain(file, first: info) : nil
        handle = try Self.start(of: chain, or: whole)
        self.chain = chain
        isInVorbisOrder = isOgg
        self.frameCount = chain?.frameCount ?? frameCount
        sampleRate = Double(info.samplerate)
        channels = Int(info.channels)
        integerBits = Self.integerBits(ofEncoding: Int(info.format) & SF_FORMAT_SUBMASK)
        formatNames = [SF_FORMAT_TYPEMASK, SF_FORMAT_SUBMASK].compactMap { (mask: Int) -> String? in
            var format = SF_FORMAT_INFO(format: info.format & Int32(mask), name: nil, extension: nil)
            let size = Int32(MemoryLayout<SF_FORMAT_INFO>.size)
            guard sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &format, size) == 0 else { return nil }
            return format.name.map { String(cString: $0) }
        }
    }

    private static func start(
        of chain: Chain?, or whole: consuming Handle
    ) throws(SoundFileFailure) -> Handle {
        guard let chain else { return whole }
        return try chain.open(0)
    }

    /// Samples per frame.
    public var channelCount: UInt32 { UInt32(clamping: channels) }

    /// The number of omitted links of a chained Ogg file, and the reason, in words; nil for a file that is read as a whole.
    public var omission: String? { chain?.omission }

    /// Reads the next frames, interleaved, full scale at ±1.
    ///
    /// - Parameter samples: Room for whole frames.
    /// - Returns: The number of frames read; 0 at the end, or if the file is damaged.
    public mutating func read(into samples: UnsafeMutableBufferPointer<Float>) -> Int {
        read(samples.count) { sf_readf_float($0, samples.baseAddress, $1) }
    }

    /// Reads the rest of the file.
    ///
    /// - Parameters:
    ///   - frames: The length of a block; the last one may be shorter.
    ///   - body: Called with each block, interleaved, full scale at ±1.
    /// - Returns: The number of frames read.
    public mutating func readBlocks(of frames: Int, _ body: (UnsafeBufferPointer<Float>) -> Void) -> Int {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: frames * channels) { block in
            var total = 0
            while case let count = read(into: block), count > 0 {
                total += count
                body(UnsafeBufferPointer(rebasing: block[..<(count * channels)]))
            }
            return total
        }
    }

    /// Reads the next frames as integers, interleaved, left-justified in 32 bits: exactly, if the file has integers.
    ///
    /// - Parameter samples: Room for whole frames.
    /// - Returns: The number of frames read; 0 at the end, or if the file is damaged.
    public mutating func read(into samples: UnsafeMutableBufferPointer<Int32>) -> Int {
        read(samples.count) { sf_readf_int($0, samples.baseAddress, $1) }
    }

    /// Reads with a function of libsndfile, which gets the room in frames, from this link or the next one that has frames.
    private mutating func read(_ room: Int, _ body: (_ handle: OpaquePointer, _ frames: Int64) -> Int64) -> Int {
        let room = channels > 0 ? room / channels : 0
        guard room > 0 else { return 0 }
        while true {
            let count = max(Int(body(handle.pointer, Int64(room))), 0)
            guard count == 0, let chain, link + 1 < chain.linkCount, let next = try? chain.open(link + 1) else {
                return count
            }
            handle = next
            link += 1
        }
    }

    /// Goes to a frame; false, without having moved, if the file does not allow that.
    public mutating func seek(to frame: Int) -> Bool {
        guard let chain else { return handle.seek(to: frame) }
        guard let place = chain.place(of: frame), let other = try? chain.open(place.link), other.seek(to: place.frame)
        else { return false }
        handle = other
        link = place.link
        return true
    }

    /// The position of each channel: as the file states it, or the one that its format implies.
    public var channelMap: ChannelMap {
        var numbers = [Int32](repeating: 0, count: channels)
        let size = Int32(numbers.count * MemoryLayout<Int32>.size)
        let isStated = sf_command(handle.pointer, Int32(SFC_GET_CHANNEL_MAP_INFO), &numbers, size) != 0
        let positions = numbers.compactMap { number in
            isStated && Self.positions.indices.contains(Int(number) - 1) ? Self.positions[Int(number) - 1] : nil
        }
        if Set(positions).count == channels { return ChannelMap(positions) }
        return isInVorbisOrder ? .vorbis(channelCount: channelCount) : .standard(channelCount: channelCount)
    }

    /// The positions that libsndfile has numbers for, from 1 (`SF_CHANNEL_MAP_MONO`) on; some have two.
    private static let positions = [
        "mono", "front-left", "front-right", "front-center", "front-left", "front-right", "front-center", "rear-center",
        "rear-left", "rear-right", "lfe", "front-left-of-center", "front-right-of-center", "side-left", "side-right",
        "top-center", "top-front-left", "top-front-right", "top-front-center", "top-rear-left", "top-rear-right",
        "top-rear-center",
    ].map { ChannelPosition(rawValue: $0) }

    private static func integerBits(ofEncoding encoding: Int) -> Int? {
        switch encoding {
        case SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_DPCM_8: 8
        case SF_FORMAT_PCM_16, SF_FORMAT_ULAW, SF_FORMAT_ALAW, SF_FORMAT_ALAC_16, SF_FORMAT_DWVW_12, SF_FORMAT_DWVW_16,
            SF_FORMAT_DPCM_16:
            16
        case SF_FORMAT_PCM_24, SF_FORMAT_ALAC_20, SF_FORMAT_ALAC_24, SF_FORMAT_DWVW_24: 24
        case SF_FORMAT_PCM_32, SF_FORMAT_ALAC_32: 32
        default: nil
        }
    }

    /// The text of a tag; nil if the file has none.
    public func text(of tag: MetadataTag) -> String? {
        let text = sf_get_string(handle.pointer, Int32(tag.soundFileString)).map { String(cString: $0) }
        return text == "" ? nil : text
    }

    /// Whether there is another frame, which is read.
    public mutating func canReadFrame() -> Bool {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: channels) { read(into: $0) == 1 }
    }

    /// Whether the last frame can be read, which tells a truncated file despite its header. Leaves the position at the
    /// end.
    public mutating func canReadLastFrame() -> Bool {
        guard frameCount > 0, channels > 0, seek(to: frameCount - 1) else { return false }
        return canReadFrame()
    }
}

// MARK: - Markers

extension SoundFileReader {
    /// The markers and gaps of the file: its cue points or chapters, or else the list beside it.
    ///
    /// - Parameter path: The file's path.
    public func markers(ofFileAt path: String) -> [FileMarker] {
        let cues = cuePoints
        guard cues.isEmpty else {
            return cues.map { FileMarker(offset: .frames($0.frame, at: sampleRate), label: $0.label) }
        }
        let chapters = Self.chapters(ofFileAt: path)
        guard chapters.isEmpty else {
            return chapters.sorted { $0.start < $1.start }.map { chapter in
                FileMarker(offset: .milliseconds(chapter.start), label: chapter.title)
            }
        }
        return MarkerSidecar.markers(besides: path, date: text(of: .date))
    }

    /// The cue points of the file. Those of WAV and RF64 are read here: of RF64, and of more than 2,500, libsndfile (`wav.c`,
    /// `rf64.c`) reads none, it takes the numbers of RIFX for little-endian, and has no label of a list beyond 100 KiB.
    var cuePoints: [(frame: Int, label: String)] {
        let places = chunk(named: WAVCues.placesName, upTo: WAVCues.largestChunk)
        let labels = chunk(named: WAVCues.listName, beginningWith: WAVCues.labelsName, upTo: WAVCues.largestChunk)
        return places.flatMap { WAVCues(places: $0, labels: labels ?? []) }?.cues ?? foreignCuePoints
    }

    /// The cue points that libsndfile reads, of AIFF.
    private var foreignCuePoints: [(frame: Int, label: String)] {
        var count: UInt32 = 0
        guard sf_command(handle.pointer, Int32(SFC_GET_CUE_COUNT), &count, 4) != 0, count > 0 else { return [] }
        // libsndfile's structure has room for a hundred; more follow it.
        let size = MemoryLayout<UInt32>.size + Int(count) * MemoryLayout<SF_CUE_POINT>.stride
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: MemoryLayout<SF_CUES>.alignment) { bytes in
            guard sf_command(handle.pointer, Int32(SFC_GET_CUE), bytes.baseAddress, Int32(size)) != 0 else { return [] }
            let points = UnsafeRawBufferPointer(rebasing: bytes[MemoryLayout<UInt32>.size...])
            return points.bindMemory(to: SF_CUE_POINT.self).map { cue in
                let label = withUnsafeBytes(of: cue.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                return (Int(cue.sample_offset), label)
            }
        }
    }

    /// The chapters of a file; empty for one that cannot be read.
    static func chapters(ofFileAt path: String) -> [Chapter] {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
        else {
            return []
        }
        defer { try? file.close() }
        return (try? AudioFileReader(file, name: path).chapterHolder?.chapters) ?? []
    }
}

// MARK: - Chunks of other programs

extension SoundFileReader {
    /// The channels that have a name, in their order: by the `iXML` chunk of a WAV file, whichever program wrote it, or by the
    /// comment that this library writes elsewhere.
    public var namedChannels: [(number: Int, name: String)] {
        let names: [Int: String]
        if let content = chunk(named: TrackList.chunkName) {
            names = TrackListScanner.names(in: content)
        } else {
            names = text(of: .comment).flatMap { TrackList.names(inComment: $0, channelCount: channels) } ?? [:]
        }
        return names.filter { 1...max(channels, 1) ~= $0.key && !$0.value.isEmpty }
            .sorted { $0.key < $1.key }.map { (number: $0.key, name: $0.value) }
    }

    /// The fields of the `guan` chunk of a WAV file (GUANO), in their order; empty if there is none.
    public var guanoFields: [(key: String, value: String)] {
        chunk(named: GUANOChunk.chunkName).map { GUANOChunk.fields(in: $0) } ?? []
    }

    /// The beginning of the content of the first chunk with this name, of those that begin so; nil if there is none.
    private func chunk(
        named name: String, beginningWith start: String = "", upTo limit: Int = longestChunk
    ) -> [UInt8]? {
        var info = SF_CHUNK_INFO()
        withUnsafeMutableBytes(of: &info.id) { $0.copyBytes(from: name.utf8.prefix($0.count)) }
        info.id_size = UInt32(name.utf8.count)
        var next = sf_get_chunk_iterator(handle.pointer, &info)
        while let chunk = next {
            if content(of: chunk, upTo: start.utf8.count)?.elementsEqual(start.utf8) ?? false {
                return content(of: chunk, upTo: limit)
            }
            next = sf_next_chunk_iterator(chunk)
        }
        return nil
    }

    /// The beginning of the content of a chunk; nil if it cannot be read.
    private func content(of chunk: OpaquePointer, upTo limit: Int) -> [UInt8]? {
        var info = SF_CHUNK_INFO()
        guard sf_get_chunk_size(chunk, &info) == 0 else { return nil }
        var content = [UInt8](repeating: 0, count: min(Int(info.datalen), limit))
        guard !content.isEmpty else { return content }
        let status = content.withUnsafeMutableBytes { bytes in
            (info.datalen, info.data) = (UInt32(bytes.count), bytes.baseAddress)
            return sf_get_chunk_data(chunk, &info)
        }
        return status == 0 ? content : nil
    }

    /// Chunks of recorders have some kilobytes.
    private static let longestChunk = 1 << 20
}
