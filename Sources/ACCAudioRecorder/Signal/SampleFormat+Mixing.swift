/// The sum of samples in the encoding in which they were captured.
extension SampleFormat {
    /// The encoding in which streams of this one are added: it holds all its samples, is little-endian, and its silence is
    /// zero.
    var forMixing: SampleFormat {
        switch self {
        case .s16LE, .s24LE, .s24In32LE, .s32LE, .float32LE: self
        case .u8, .aLaw, .uLaw, .s16BE: .s16LE
        case .s24BE: .s24LE
        case .s24In32BE: .s24In32LE
        case .s32BE: .s32LE
        case .float32BE: .float32LE
        }
    }

    /// Adds samples to others of the same encoding, which is one of `forMixing`. Integers are limited to full scale.
    ///
    /// - Parameter sums: At least as long as `samples`.
    func add(_ samples: UnsafeRawBufferPointer, to sums: UnsafeMutableRawBufferPointer) {
        switch self {
        case .s16LE:
            add(Int16.self, samples, to: sums) { Int16(clamping: Int32($0) + Int32($1)) }
        case .s32LE:
            add(Int32.self, samples, to: sums) { Int32(clamping: Int64($0) + Int64($1)) }
        case .s24In32LE:
            // The highest byte means nothing.
            add(Int32.self, samples, to: sums) { Self.clampedTo24Bits(($0 << 8) >> 8 + ($1 << 8) >> 8) }
        case .float32LE:
            add(Float.self, samples, to: sums) { $0 + $1 }
        case .s24LE:
            for start in stride(from: 0, to: samples.count - 2, by: 3) {
                let sum = Self.clampedTo24Bits(
                    Self.word24(in: UnsafeRawBufferPointer(sums), start) + Self.word24(in: samples, start))
                for byte in 0..<3 { sums[start + byte] = UInt8(truncatingIfNeeded: sum >> Int32(8 * byte)) }
            }
        case .u8, .aLaw, .uLaw, .s16BE, .s24BE, .s24In32BE, .s32BE, .float32BE:
            preconditionFailure("streams are not mixed as \(self)")
        }
    }

    private func add<Sample: BitwiseCopyable>(
        _: Sample.Type, _ samples: UnsafeRawBufferPointer, to sums: UnsafeMutableRawBufferPointer,
        _ sum: (Sample, Sample) -> Sample
    ) {
        for offset in stride(from: 0, to: samples.count, by: MemoryLayout<Sample>.size) {
            let one = sums.loadUnaligned(fromByteOffset: offset, as: Sample.self)
            let other = samples.loadUnaligned(fromByteOffset: offset, as: Sample.self)
            sums.storeBytes(of: sum(one, other), toByteOffset: offset, as: Sample.self)
        }
    }

    private static func clampedTo24Bits(_ sum: Int32) -> Int32 { min(max(sum, -0x80_0000), 0x7f_ffff) }

    private static func word24(in bytes: UnsafeRawBufferPointer, _ start: Int) -> Int32 {
        Int32(bytes[start]) | Int32(bytes[start + 1]) << 8 | Int32(Int8(bitPattern: bytes[start + 2])) << 16
    }
}
