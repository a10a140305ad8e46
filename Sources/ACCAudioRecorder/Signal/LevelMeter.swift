/// Measures peak, sum of squares and clipped samples of interleaved frames, per channel, in one pass.
///
/// The pass runs over vectors of eight samples. As `8 × channels` samples hold whole frames and whole
/// vectors alike, lane `l` of vector `v` always belongs to channel `(8 v + l) mod channels`, so that each
/// vector position keeps its own accumulators and the lanes are sorted by channel only at the end. Sums of
/// squares run in Float over at most `chunkFrames` frames and in Double from there on. Samples are looked
/// at again for clipping only in a chunk whose peak reaches full scale.
struct LevelMeter: ~Copyable {
    typealias Vector = SIMD8<Float>

    private static let chunkFrames = 4096

    /// The level of the last block, one element a channel.
    private(set) var levels: [ChannelLevel]
    private let channelCount: Int
    private let clipThreshold: Float
    /// After how many vectors the channels are back in the same lanes.
    private let vectorCount: Int
    private let peaks: UnsafeMutableBufferPointer<Vector>
    private let squares: UnsafeMutableBufferPointer<Vector>

    /// - Parameter clipThreshold: The magnitude from which on a sample counts as clipped.
    init(channelCount: Int, clipThreshold: Float) {
        self.channelCount = channelCount
        self.clipThreshold = clipThreshold
        vectorCount = Vector.scalarCount % channelCount == 0 ? 1 : channelCount
        levels = Array(repeating: ChannelLevel(), count: channelCount)
        peaks = .allocate(capacity: vectorCount)
        peaks.initialize(repeating: .zero)
        squares = .allocate(capacity: vectorCount)
        squares.initialize(repeating: .zero)
    }

    deinit {
        peaks.deallocate()
        squares.deallocate()
    }

    /// The magnitude at which samples of the given word length count as clipped.
    static func clipThreshold(integerBits: Int?) -> Float {
        guard let integerBits, integerBits <= 24 else { return 1 }
        return 1 - Float(sign: .plus, exponent: 1 - integerBits, significand: 1)
    }

    /// Measures a block; `levels` then hold its levels.
    mutating func measure(_ block: AudioBlock) {
        for channel in 0..<channelCount { levels[channel] = ChannelLevel() }
        var first = 0
        let frames = block.frameCount
        while first < frames {
            let count = min(Self.chunkFrames, frames - first)
            let start = first * channelCount
            measureChunk(UnsafeBufferPointer(rebasing: block.samples[start..<start + count * channelCount]))
            first += count
        }
        for channel in 0..<channelCount { levels[channel].sampleCount = frames }
    }

    private mutating func measureChunk(_ samples: UnsafeBufferPointer<Float>) {
        let vectorised = vectorCount == 1 ? accumulateInRegisters(samples) : accumulate(samples)
        var peak: Float = 0
        for vector in 0..<vectorCount {
            for lane in 0..<Vector.scalarCount {
                let channel = (vector * Vector.scalarCount + lane) % channelCount
                levels[channel].peak = max(levels[channel].peak, peaks[vector][lane])
                levels[channel].sumOfSquares += Double(squares[vector][lane])
                peak = max(peak, peaks[vector][lane])
            }
        }
        for index in vectorised..<samples.count {
            let magnitude = abs(samples[index])
            let channel = index % channelCount
            levels[channel].peak = max(levels[channel].peak, magnitude)
            levels[channel].sumOfSquares += Double(magnitude) * Double(magnitude)
            peak = max(peak, magnitude)
        }
        if peak >= clipThreshold { countClipped(samples) }
    }

    /// The general case: any channel count, accumulators in memory.
    ///
    /// - Returns: How many samples it took; fewer than a period are left.
    private func accumulate(_ samples: UnsafeBufferPointer<Float>) -> Int {
        let period = vectorCount * Vector.scalarCount
        let count = samples.count / period * period
        for vector in 0..<vectorCount {
            peaks[vector] = .zero
            squares[vector] = .zero
        }
        guard count > 0 else { return 0 }
        let base = UnsafeRawPointer(samples.baseAddress!)
        var index = 0
        while index < count {
            for vector in 0..<vectorCount {
                let values = base.loadUnaligned(
                    fromByteOffset: (index + vector * Vector.scalarCount) * 4, as: Vector.self)
                let magnitudes = Self.magnitude(values)
                // Whole vectors, not parts in place: with those the compiler crashes under the thread sanitiser.
                let peak = peaks[vector]
                peaks[vector] = peak.replacing(with: magnitudes, where: magnitudes .> peak)
                squares[vector] = squares[vector] + values * values
            }
            index += period
        }
        return count
    }

    /// One, two, four and eight channels: accumulators in registers, four of each, which keeps the processor's
    /// adders busy.
    ///
    /// - Returns: How many samples it took; fewer than four vectors are left.
    private func accumulateInRegisters(_ samples: UnsafeBufferPointer<Float>) -> Int {
        let count = samples.count / 32 * 32
        var peak0 = Vector.zero, peak1 = Vector.zero, peak2 = Vector.zero, peak3 = Vector.zero
        var square0 = Vector.zero, square1 = Vector.zero, square2 = Vector.zero, square3 = Vector.zero
        if count > 0 {
            let base = UnsafeRawPointer(samples.baseAddress!)
            var offset = 0
            while offset < count * 4 {
                let values0 = base.loadUnaligned(fromByteOffset: offset, as: Vector.self)
                let values1 = base.loadUnaligned(fromByteOffset: offset + 32, as: Vector.self)
                let values2 = base.loadUnaligned(fromByteOffset: offset + 64, as: Vector.self)
                let values3 = base.loadUnaligned(fromByteOffset: offset + 96, as: Vector.self)
                let magnitudes0 = Self.magnitude(values0)
                let magnitudes1 = Self.magnitude(values1)
                let magnitudes2 = Self.magnitude(values2)
                let magnitudes3 = Self.magnitude(values3)
                peak0.replace(with: magnitudes0, where: magnitudes0 .> peak0)
                peak1.replace(with: magnitudes1, where: magnitudes1 .> peak1)
                peak2.replace(with: magnitudes2, where: magnitudes2 .> peak2)
                peak3.replace(with: magnitudes3, where: magnitudes3 .> peak3)
                square0 += values0 * values0
                square1 += values1 * values1
                square2 += values2 * values2
                square3 += values3 * values3
                offset += 128
            }
        }
        peak0.replace(with: peak1, where: peak1 .> peak0)
        peak2.replace(with: peak3, where: peak3 .> peak2)
        peak0.replace(with: peak2, where: peak2 .> peak0)
        peaks[0] = peak0
        squares[0] = (square0 + square1) + (square2 + square3)
        return count
    }

    /// The values without their sign bits.
    @inline(__always)
    private static func magnitude(_ values: Vector) -> Vector {
        unsafeBitCast(unsafeBitCast(values, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF, to: Vector.self)
    }

    private mutating func countClipped(_ samples: UnsafeBufferPointer<Float>) {
        for index in 0..<samples.count where abs(samples[index]) >= clipThreshold {
            levels[index % channelCount].clippedCount += 1
        }
    }
}
