/// Measures peak, sum of squares and clipped samples of interleaved frames, per channel, in one pass.
///
/// The pass runs over periods of whole vectors of eight samples that are whole frames too, so that a lane of the
/// accumulators always belongs to the same channel; lanes are sorted by channel only when a level is asked for. Sums of
/// squares run in Float over at most `chunkFrames` frames and in Double from there on. Samples are looked at again for
/// clipping only where the peak reaches full scale.
///
/// Which sample goes into which lane, and when the lanes are added up, is a matter of its place since the last `reset`
/// alone. So a level is the same to the last bit however the frames were split into blocks.
struct LevelMeter: ~Copyable {
    typealias Vector = SIMD8<Float>

    private static let chunkFrames = 4096

    /// The level of all complete chunks since the last reset, one element a channel.
    private var chunkLevels: [ChannelLevel]
    private let channelCount: Int
    private let clipThreshold: Float
    /// After how many vectors the channels are back in the same lanes, and so the accumulators of each kind.
    private let vectorCount: Int
    private let peaks: UnsafeMutableBufferPointer<Vector>
    private let squares: UnsafeMutableBufferPointer<Vector>
    /// Samples in the chunk so far.
    private var position = 0

    /// Samples after which the lanes are those of the first again.
    private var period: Int { vectorCount * Vector.scalarCount }

    /// - Parameter clipThreshold: The magnitude from which on a sample counts as clipped.
    init(channelCount: Int, clipThreshold: Float) {
        self.channelCount = channelCount
        self.clipThreshold = clipThreshold
        vectorCount = Vector.scalarCount % channelCount == 0 ? Self.registerCount : channelCount
        chunkLevels = Array(repeating: ChannelLevel(), count: channelCount)
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

    /// The level of a channel over everything since the last reset.
    func level(of channel: Int) -> ChannelLevel {
        var level = chunkLevels[channel]
        for vector in 0..<vectorCount {
            for lane in 0..<Vector.scalarCount where (vector * Vector.scalarCount + lane) % channelCount == channel {
                level.peak = max(level.peak, peaks[vector][lane])
                level.sumOfSquares += Double(squares[vector][lane])
            }
        }
        level.sampleCount += position / channelCount
        return level
    }

    /// Begins anew.
    mutating func reset() {
        for channel in 0..<channelCount { chunkLevels[channel] = ChannelLevel() }
        clearLanes()
    }

    /// Takes a block.
    mutating func measure(_ block: AudioBlock) {
        let chunk = Self.chunkFrames * channelCount
        var rest = block.samples
        while !rest.isEmpty {
            let count = min(chunk - position, rest.count)
            measureInChunk(UnsafeBufferPointer(rebasing: rest[..<count]))
            rest = UnsafeBufferPointer(rebasing: rest[count...])
            if position == chunk {
                for channel in 0..<channelCount { chunkLevels[channel] = level(of: channel) }
                clearLanes()
            }
        }
    }

    private mutating func clearLanes() {
        position = 0
        peaks.update(repeating: .zero)
        squares.update(repeating: .zero)
    }

    private mutating func measureInChunk(_ samples: UnsafeBufferPointer<Float>) {
        let first = position % channelCount
        let head = min((period - position % period) % period, samples.count)
        accumulateEach(samples[..<head])
        let whole = head + (samples.count - head) / period * period
        let periods = UnsafeBufferPointer(rebasing: samples[head..<whole])
        if vectorCount == Self.registerCount { accumulateInRegisters(periods) } else { accumulate(periods) }
        position += whole - head
        accumulateEach(samples[whole...])
        if (0..<vectorCount).contains(where: { peaks[$0].max() >= clipThreshold }) {
            countClipped(samples, firstChannel: first)
        }
    }

    /// What is no whole period.
    private mutating func accumulateEach(_ samples: Slice<UnsafeBufferPointer<Float>>) {
        for sample in samples {
            let vector = position % period / Vector.scalarCount
            let lane = position % Vector.scalarCount
            let magnitude = Float(bitPattern: sample.bitPattern & 0x7FFF_FFFF)
            // Whole vectors, not parts in place: with those the compiler crashes under the thread sanitiser.
            var (peak, square) = (peaks[vector], squares[vector])
            if magnitude > peak[lane] { peak[lane] = magnitude }
            square[lane] += sample * sample
            (peaks[vector], squares[vector]) = (peak, square)
            position += 1
        }
    }

    /// The general case: any channel count, accumulators in memory.
    ///
    /// - Parameter samples: Whole periods.
    private func accumulate(_ samples: UnsafeBufferPointer<Float>) {
        guard let base = UnsafeRawPointer(samples.baseAddress) else { return }
        for index in stride(from: 0, to: samples.count, by: period) {
            for vector in 0..<vectorCount {
                let values = base.loadUnaligned(
                    fromByteOffset: (index + vector * Vector.scalarCount) * 4, as: Vector.self)
                let magnitudes = Self.magnitude(values)
                let peak = peaks[vector]
                peaks[vector] = peak.replacing(with: magnitudes, where: magnitudes .> peak)
                squares[vector] = squares[vector] + values * values
            }
        }
    }

    /// How many accumulators of a kind there are in registers: more would not fit into the sixteen of 128 bits that every
    /// x86-64 processor has, beside what is being worked on.
    private static let registerCount = 2

    /// One, two, four and eight channels: accumulators in registers.
    ///
    /// - Parameter samples: Whole periods.
    private func accumulateInRegisters(_ samples: UnsafeBufferPointer<Float>) {
        guard let base = UnsafeRawPointer(samples.baseAddress) else { return }
        var (peak0, peak1) = (peaks[0], peaks[1])
        var (square0, square1) = (squares[0], squares[1])
        var offset = 0
        while offset < samples.count * 4 {
            let values0 = base.loadUnaligned(fromByteOffset: offset, as: Vector.self)
            let values1 = base.loadUnaligned(fromByteOffset: offset + 32, as: Vector.self)
            let (magnitudes0, magnitudes1) = (Self.magnitude(values0), Self.magnitude(values1))
            peak0.replace(with: magnitudes0, where: magnitudes0 .> peak0)
            peak1.replace(with: magnitudes1, where: magnitudes1 .> peak1)
            square0 += values0 * values0
            square1 += values1 * values1
            offset += 64
        }
        (peaks[0], peaks[1]) = (peak0, peak1)
        (squares[0], squares[1]) = (square0, square1)
    }

    /// The values without their sign bits.
    @inline(__always)
    private static func magnitude(_ values: Vector) -> Vector {
        unsafeBitCast(unsafeBitCast(values, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF, to: Vector.self)
    }

    /// - Parameter firstChannel: That of the first sample.
    private mutating func countClipped(_ samples: UnsafeBufferPointer<Float>, firstChannel: Int) {
        for index in 0..<samples.count where abs(samples[index]) >= clipThreshold {
            chunkLevels[(firstChannel + index) % channelCount].clippedCount += 1
        }
    }
}
