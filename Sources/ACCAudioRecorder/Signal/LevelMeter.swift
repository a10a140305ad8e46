/// Measures peak, sum of squares and clipped samples of interleaved frames, per channel, in one pass.
///
/// The pass works in periods that are both whole vectors of eight samples and whole frames, so that each lane of the
/// accumulators always belongs to the same channel; lanes are assigned to channels only when a level is read. Sums of
/// squares are accumulated in Float over at most `chunkFrames` frames, and in Double from there on. Samples are checked
/// for clipping only if the peak reaches full scale.
///
/// The peak is the root of the highest square, which is computed anyway. The correctly rounded root of a rounded square
/// is the original number (S. Boldo, "Stupid is as stupid does: taking the square root of the square of a
/// floating-point number", 2015), unless that is below 1e-19, or -380 dBFS, where squares lose their last bits.
///
/// The lane of a sample, and when lanes are summed, depend only on its position since the last `reset`. So a level is
/// the same to the last bit however the frames were split into blocks.
struct LevelMeter: ~Copyable {
    typealias Vector = SIMD8<Float>

    private static let chunkFrames = 4096

    /// The level of all complete chunks since the last reset, one element per channel.
    private var chunkLevels: [ChannelLevel]
    private let channelCount: Int
    private let clipThreshold: Float
    /// The number of vectors in a period, and so the number of accumulators of each kind.
    private let vectorCount: Int
    /// The highest squares.
    private let peaks: UnsafeMutableBufferPointer<Vector>
    /// The sums of squares.
    private let sums: UnsafeMutableBufferPointer<Vector>
    /// Samples in the current chunk so far.
    private var position = 0

    /// The number of samples after which each lane is back at the same channel.
    private var period: Int { vectorCount * Vector.scalarCount }

    /// - Parameter clipThreshold: The magnitude at and above which a sample counts as clipped.
    init(channelCount: Int, clipThreshold: Float) {
        self.channelCount = channelCount
        self.clipThreshold = clipThreshold
        vectorCount = Vector.scalarCount % channelCount == 0 ? Self.registerCount : channelCount
        chunkLevels = Array(repeating: ChannelLevel(), count: channelCount)
        peaks = .allocate(capacity: vectorCount)
        peaks.initialize(repeating: .zero)
        sums = .allocate(capacity: vectorCount)
        sums.initialize(repeating: .zero)
    }

    deinit {
        peaks.deallocate()
        sums.deallocate()
    }

    /// The level of a channel since the last reset.
    func level(of channel: Int) -> ChannelLevel {
        var level = chunkLevels[channel]
        for place in stride(from: channel, to: period, by: channelCount) {
            let (vector, lane) = (place / Vector.scalarCount, place % Vector.scalarCount)
            level.peak = max(level.peak, peaks[vector][lane].squareRoot())
            level.sumOfSquares += Double(sums[vector][lane])
        }
        level.sampleCount += position / channelCount
        return level
    }

    /// Starts a new measurement.
    mutating func reset() {
        for channel in 0..<channelCount { chunkLevels[channel] = ChannelLevel() }
        clearLanes()
    }

    /// Adds a block to the measurement.
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
        sums.update(repeating: .zero)
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
        if (0..<vectorCount).contains(where: { peaks[$0].highest.squareRoot() >= clipThreshold }) {
            countClipped(samples, firstChannel: first)
        }
    }

    /// Samples that do not fill a whole period.
    private mutating func accumulateEach(_ samples: Slice<UnsafeBufferPointer<Float>>) {
        for sample in samples {
            let vector = position % period / Vector.scalarCount
            let lane = position % Vector.scalarCount
            let square = sample * sample
            // Copies whole vectors, because changing a lane in place crashes the compiler with the thread sanitizer.
            var (peak, sum) = (peaks[vector], sums[vector])
            if square > peak[lane] { peak[lane] = square }
            sum[lane] += square
            (peaks[vector], sums[vector]) = (peak, sum)
            position += 1
        }
    }

    /// The general case: any channel count, with accumulators in memory.
    ///
    /// - Parameter samples: Whole periods.
    private func accumulate(_ samples: UnsafeBufferPointer<Float>) {
        guard let base = UnsafeRawPointer(samples.baseAddress) else { return }
        for index in stride(from: 0, to: samples.count, by: period) {
            for vector in 0..<vectorCount {
                let values = base.loadUnaligned(
                    fromByteOffset: (index + vector * Vector.scalarCount) * 4, as: Vector.self)
                let squares = values * values
                let peak = peaks[vector]
                peaks[vector] = peak.replacing(with: squares, where: squares .> peak)
                sums[vector] = sums[vector] + squares
            }
        }
    }

    /// The number of accumulators of each kind in registers. More would not fit beside the working values into the
    /// sixteen 128-bit registers that every x86-64 processor has.
    private static let registerCount = 2

    /// One, two, four and eight channels: accumulators in registers.
    ///
    /// - Parameter samples: Whole periods.
    private func accumulateInRegisters(_ samples: UnsafeBufferPointer<Float>) {
        guard let base = UnsafeRawPointer(samples.baseAddress) else { return }
        var (peak0, peak1) = (peaks[0], peaks[1])
        var (sum0, sum1) = (sums[0], sums[1])
        var offset = 0
        while offset < samples.count * 4 {
            let values0 = base.loadUnaligned(fromByteOffset: offset, as: Vector.self)
            let values1 = base.loadUnaligned(fromByteOffset: offset + 32, as: Vector.self)
            let (squares0, squares1) = (values0 * values0, values1 * values1)
            peak0.replace(with: squares0, where: squares0 .> peak0)
            peak1.replace(with: squares1, where: squares1 .> peak1)
            sum0 += squares0
            sum1 += squares1
            offset += 64
        }
        (peaks[0], peaks[1]) = (peak0, peak1)
        (sums[0], sums[1]) = (sum0, sum1)
    }

    /// - Parameter firstChannel: The channel of the first sample.
    private mutating func countClipped(_ samples: UnsafeBufferPointer<Float>, firstChannel: Int) {
        for index in 0..<samples.count where abs(samples[index]) >= clipThreshold {
            chunkLevels[(firstChannel + index) % channelCount].clippedCount += 1
        }
    }
}
