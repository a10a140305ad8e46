import FoundationEssentials

extension AudioBufferData {
    /// Calls a closure with the samples, interleaved: `frameLength × channelCount` of them, full scale at ±1.
    ///
    /// Copies nothing, unless a buffer that was created elsewhere than in a recorder holds its samples at an odd
    /// address.
    ///
    /// - Parameter body: Called once, on the caller's thread. The samples are valid only during the call.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    public func withSamples<Value>(_ body: (UnsafeBufferPointer<Float>) throws -> Value) rethrows -> Value {
        try data.withUnsafeBytes { bytes in
            let count = bytes.count / MemoryLayout<Float>.size
            guard let address = bytes.baseAddress else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
            if Int(bitPattern: address) % MemoryLayout<Float>.alignment == 0 {
                let samples = address.assumingMemoryBound(to: Float.self)
                return try body(UnsafeBufferPointer(start: samples, count: count))
            }
            return try withUnsafeTemporaryAllocation(of: Float.self, capacity: count) { copy in
                UnsafeMutableRawBufferPointer(copy).copyBytes(from: bytes.prefix(count * MemoryLayout<Float>.size))
                return try body(UnsafeBufferPointer(copy))
            }
        }
    }

    /// A copy of the samples, interleaved: `frameLength × channelCount` of them. Never nil here; the optional return
    /// type is for platforms where this can fail.
    ///
    /// Allocates and fills an array; `withSamples(_:)` does not.
    public func toFloatArray() -> [Float]? {
        withSamples { Array($0) }
    }

    /// A copy of one channel's samples: `frameLength` of them. Allocates and fills an array.
    ///
    /// - Parameter channel: The channel's number, counted from 1.
    /// - Returns: The samples; nil if there is no such channel.
    public func toFloatArray(channel: Int) -> [Float]? {
        let channelCount = Int(channelCount)
        guard channel >= 1, channel <= channelCount else { return nil }
        return withSamples { samples in
            stride(from: channel - 1, to: samples.count, by: channelCount).map { samples[$0] }
        }
    }

    /// The samples as signed 16-bit integers, little-endian and interleaved, as speech recognisers take them: two bytes
    /// for each of `frameLength × channelCount` samples.
    ///
    /// Rounds to the nearest step without dither, clips what is beyond full scale, and turns NaN into silence. Samples
    /// of a 16-bit source that were neither mixed nor resampled come out bit for bit. Allocates and fills the data.
    public func toInt16Data() -> Data {
        withSamples { samples in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: samples.count) { words in
                Quantizer.quantize(samples, bits: 16, into: words)
                let integers = words.map { Int16(truncatingIfNeeded: $0 >> 16).littleEndian }
                return integers.withUnsafeBytes { Data($0) }
            }
        }
    }
}
