/// Decodes a source's bytes into samples, in memory that it allocates once. `FragmentDecoder` calls it with parts of a
/// fragment.
///
/// Integers are decoded exactly, left-justified in 32 bits, and then converted to floating point: exactly up to 24
/// bits, rounded to nearest beyond.
struct SampleDecoder: ~Copyable {
    private let spec: SampleSpec
    private let integers: UnsafeMutableBufferPointer<Int32>
    private let floats: UnsafeMutableBufferPointer<Float>

    /// - Parameter maximumFrames: The maximum number of frames per call.
    init(spec: SampleSpec, maximumFrames: Int) {
        self.spec = spec
        floats = .allocate(capacity: maximumFrames * spec.channels)
        floats.initialize(repeating: 0)
        integers = .allocate(capacity: spec.format.integerBits == nil ? 0 : floats.count)
        integers.initialize(repeating: 0)
    }

    deinit {
        integers.deallocate()
        floats.deallocate()
    }

    /// Decodes whole frames; the block is valid until the next call.
    func decode(_ bytes: UnsafeRawBufferPointer) -> AudioBlock {
        let count = bytes.count / spec.format.bytesPerSample
        let floats = UnsafeMutableBufferPointer(rebasing: floats[..<count])
        let isInteger = spec.format.integerBits != nil
        let integers = UnsafeMutableBufferPointer(rebasing: integers[..<(isInteger ? count : 0)])

        switch spec.format {
        case .float32LE: map(bytes, UInt32.self, to: floats) { Float(bitPattern: $0.littleEndian) }
        case .float32BE: map(bytes, UInt32.self, to: floats) { Float(bitPattern: $0.bigEndian) }
        case .u8: map(bytes, UInt8.self, to: integers) { (Int32($0) - 128) << 24 }
        case .aLaw: map(bytes, UInt8.self, to: integers) { Int32(G711.linear(aLaw: $0)) << 16 }
        case .uLaw: map(bytes, UInt8.self, to: integers) { Int32(G711.linear(uLaw: $0)) << 16 }
        case .s16LE: map(bytes, Int16.self, to: integers) { Int32($0.littleEndian) << 16 }
        case .s16BE: map(bytes, Int16.self, to: integers) { Int32($0.bigEndian) << 16 }
        case .s32LE: map(bytes, Int32.self, to: integers) { $0.littleEndian }
        case .s32BE: map(bytes, Int32.self, to: integers) { $0.bigEndian }
        case .s24In32LE: map(bytes, Int32.self, to: integers) { $0.littleEndian << 8 }
        case .s24In32BE: map(bytes, Int32.self, to: integers) { $0.bigEndian << 8 }
        case .s24LE: map24(bytes, to: integers, low: 0, high: 2)
        case .s24BE: map24(bytes, to: integers, low: 2, high: 0)
        }
        if isInteger {
            for index in 0..<count { floats[index] = Float(integers[index]) * 0x1p-31 }
        }
        return AudioBlock(
            samples: UnsafeBufferPointer(floats),
            exactSamples: isInteger ? UnsafeBufferPointer(integers) : nil, exactBits: spec.format.integerBits ?? 0,
            channelCount: spec.channels)
    }

    @inline(__always)
    private func map<Word, Sample>(
        _ bytes: UnsafeRawBufferPointer, _: Word.Type, to samples: UnsafeMutableBufferPointer<Sample>,
        _ decode: (Word) -> Sample
    ) {
        let words = bytes.assumingMemoryBound(to: Word.self)
        for index in 0..<samples.count { samples[index] = decode(words[index]) }
    }

    private func map24(
        _ bytes: UnsafeRawBufferPointer, to samples: UnsafeMutableBufferPointer<Int32>, low: Int, high: Int
    ) {
        for index in 0..<samples.count {
            let word =
                UInt32(bytes[3 * index + low]) << 8 | UInt32(bytes[3 * index + 1]) << 16
                | UInt32(bytes[3 * index + high]) << 24
            samples[index] = Int32(bitPattern: word)
        }
    }
}

extension SampleDecoder {
    /// Expands A-law and µ-law samples according to ITU-T Recommendation G.711.
    private enum G711 {
        /// The 13-bit value, left-justified in 16 bits.
        static func linear(aLaw code: UInt8) -> Int16 {
            let bits = code ^ 0x55
            let segment = Int(bits >> 4 & 0x07)
            let step = Int(bits & 0x0F) << 4
            let magnitude = segment == 0 ? step + 8 : (step + 0x108) << (segment - 1)
            return Int16(bits & 0x80 != 0 ? magnitude : -magnitude)
        }

        /// The 14-bit value, left-justified in 16 bits.
        static func linear(uLaw code: UInt8) -> Int16 {
            let bits = ~code
            let segment = Int(bits >> 4 & 0x07)
            let magnitude = ((Int(bits & 0x0F) << 3) + 0x84) << segment - 0x84
            return Int16(bits & 0x80 != 0 ? -magnitude : magnitude)
        }
    }
}
