extension AudioPlayer {
    /// A file that is played: read in parts, in the sample format in which it is sent to the server, and measured.
    ///
    /// Integers stay integers of at least the file's word length, so that a sink in the file's format gets its very samples.
    struct File: ~Copyable {
        /// The format in which the file is played.
        let spec: SampleSpec
        let channelMap: ChannelMap
        let markers: PlaybackMarkers
        /// The number of frames that the header states; nil if it states none.
        let frameCount: Int?
        /// What of the file is left out, and why; nil if it is played as a whole.
        let omission: String?
        /// The maximum number of frames of a part.
        let partFrames: Int
        private var reader: SoundFileReader
        private var decoder: SampleDecoder
        private var meter: LevelMeter
        private let integers: UnsafeMutableBufferPointer<Int32>
        private let words: UnsafeMutableBufferPointer<Int16>
        private let floats: UnsafeMutableBufferPointer<Float>

        /// The length of a part, which is measured as a whole, in seconds.
        private static let partLength = 0.04

        /// - Throws: `SoundFileFailure` if the file cannot be read.
        init(path: String) throws(SoundFileFailure) {
            let reader = try SoundFileReader(path: path)
            let bits = reader.integerBits
            let spec = SampleSpec(
                format: bits.map { $0 <= 16 ? .s16LE : .s32LE } ?? .float32LE, sampleRate: reader.sampleRate,
                channelCount: reader.channelCount)
            guard (1...384_000).contains(spec.rate), StreamFormat.channelCounts.contains(spec.channels) else {
                let most = StreamFormat.channelCounts.upperBound
                throw SoundFileFailure(
                    "it has \(spec.channels) channel\(spec.channels == 1 ? "" : "s") at \(spec.rate) Hz; "
                        + "at most \(most) channels at 384000 Hz can be played")
            }
            self.spec = spec
            channelMap = reader.channelMap
            markers = PlaybackMarkers(reader.markers(ofFileAt: path))
            frameCount = reader.frameCount > 0 ? reader.frameCount : nil
            omission = reader.omission
            partFrames = max(Int(spec.sampleRate * Self.partLength), 1)
            self.reader = reader
            decoder = SampleDecoder(spec: spec, maximumFrames: partFrames)
            meter = LevelMeter(
                channelCount: spec.channels, clipThreshold: SampleFormat.clipThreshold(bits: min(bits ?? 16, 16)))
            let count = partFrames * spec.channels
            integers = .allocate(capacity: bits == nil ? 0 : count)
            integers.initialize(repeating: 0)
            words = .allocate(capacity: spec.format == .s16LE ? count : 0)
            words.initialize(repeating: 0)
            floats = .allocate(capacity: bits == nil ? count : 0)
            floats.initialize(repeating: 0)
        }

        deinit {
            integers.deallocate()
            words.deallocate()
            floats.deallocate()
        }

        /// Reads the next part: its bytes, valid until the next call, and the level of each channel; no bytes at the end,
        /// or if the file is damaged there.
        mutating func next() -> (bytes: UnsafeRawBufferPointer, levels: [ChannelLevel]) {
            let bytes = readPart()
            meter.reset()
            guard !bytes.isEmpty else { return (bytes, []) }
            meter.measure(decoder.decode(bytes))
            return (bytes, (0..<spec.channels).map { meter.level(of: $0) })
        }

        /// Goes to a frame; false, without having moved, if the file does not allow that.
        mutating func seek(to frame: Int) -> Bool {
            reader.seek(to: frame)
        }

        private mutating func readPart() -> UnsafeRawBufferPointer {
            let count: Int
            let samples: UnsafeMutableRawBufferPointer
            switch spec.format {
            case .float32LE:
                count = reader.read(into: floats)
                samples = UnsafeMutableRawBufferPointer(floats)
            case .s16LE:
                count = reader.read(into: integers)
                for index in 0..<count * spec.channels {
                    words[index] = Int16(truncatingIfNeeded: integers[index] >> 16).littleEndian
                }
                samples = UnsafeMutableRawBufferPointer(words)
            default:
                count = reader.read(into: integers)
                for index in 0..<count * spec.channels { integers[index] = integers[index].littleEndian }
                samples = UnsafeMutableRawBufferPointer(integers)
            }
            return UnsafeRawBufferPointer(rebasing: samples[..<(count * spec.bytesPerFrame)])
        }
    }
}
