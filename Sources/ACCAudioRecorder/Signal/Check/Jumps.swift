/// Finds single steps between two samples, as where audio is left out.
///
/// A part of the signal whose second difference is high at one place is looked at closely: a step is much higher than
/// everything that cannot be predicted in the 15 ms before and after. An attack, a click or a voice's pulse is followed by more
/// of it.
struct Jumps {
    /// How much higher the second difference is than its root mean square around, as a power, where it is worth a close look. In
    /// noise, one of 10^9 samples is six times as high.
    private static let candidateRatio: Float = 36
    /// How much higher a step is than the highest residual around.
    private static let ratio: Float = 3
    /// The lowest step: -60 dBFS.
    private static let lowest: Float = 0.001
    /// The parts that are compared before and after, not the nearest ones, into which the step may reach: 2 to 5.
    private static let near = 2
    private static let far = 5
    /// How many samples beside a step must be lower.
    private static let besideFrames = 24
    /// The residual is compared over 15 ms on either side.
    private static let comparedSeconds = 0.015
    /// The last parts that are kept of a channel.
    private static let ringSize = 64

    private let partFrames: Int
    private let channelCount: Int
    private let comparedFrames: Int
    /// How many parts behind one must be known.
    private let delay: Int
    /// The highest squares and the sums of the squares of parts: a ring for each channel.
    private var kinks: [Float]
    private var sums: [Float]
    private var prediction = LinearPrediction()
    private var jumps: Episode
    private var partNumber = 0
    /// Parts before are not compared: there is none, or another stretch.
    private var firstPart = 0

    /// - Parameter second: One second in frames.
    init(channelCount: Int, partFrames: Int, second: Int) {
        self.partFrames = partFrames
        self.channelCount = channelCount
        comparedFrames = Self.comparedFrames(second: second)
        delay = Self.delay(second: second, partFrames: partFrames)
        kinks = Array(repeating: 0, count: channelCount * Self.ringSize)
        sums = kinks
        jumps = Episode(.jump, patience: second)
    }

    /// In whole vectors of eight.
    private static func comparedFrames(second: Int) -> Int {
        max(Int(Double(second) * comparedSeconds) / 8 * 8, 8)
    }

    /// So many that what is compared behind a part ends with the last one that is known.
    private static func delay(second: Int, partFrames: Int) -> Int {
        (comparedFrames(second: second) + LinearPrediction.order + partFrames) / partFrames + 1
    }

    /// How many frames before a slot must be readable.
    static func history(second: Int, partFrames: Int) -> Int {
        (delay(second: second, partFrames: partFrames) + 1) * partFrames + comparedFrames(second: second)
            + LinearPrediction.trainingFrames + LinearPrediction.order
    }

    /// Forgets the signal before, which does not continue.
    mutating func restart() { firstPart = partNumber }

    /// Takes a slot's parts, and examines parts as soon as those behind them are known.
    ///
    /// - Parameters:
    ///   - parts: The parts of each channel, one channel after another.
    ///   - start: The frame where the slot begins.
    mutating func examine(_ parts: [PartLevel], of frames: PlanarFrames, from start: Int, list: inout FindingList) {
        let count = SlotLengths.partsPerSlot
        let first = firstPart + (comparedFrames + LinearPrediction.trainingFrames) / partFrames + 2
        for channel in 0..<channelCount {
            for part in 0..<count {
                let level = parts[channel * count + part]
                kinks[place(channel, partNumber + part)] = level.kink
                sums[place(channel, partNumber + part)] = level.kinkSum
            }
            for part in partNumber - delay..<partNumber + count - delay
            where part >= first && isCandidate(channel, part) {
                let samples = frames.samples(of: channel)
                guard let jump = jump(in: samples, from: (part - partNumber) * partFrames) else { continue }
                jumps.add(
                    start + jump.index..<start + jump.index + 1, channel: channel,
                    value: Double(Decibels.fromAmplitude(Double(jump.height))), isSum: false, to: &list)
            }
        }
        partNumber += count
    }

    /// Gives what is complete by a frame.
    mutating func close(before frame: Int, list: inout FindingList) { jumps.close(before: frame, to: &list) }

    /// Gives the rest.
    mutating func finish(list: inout FindingList) { jumps.finish(to: &list) }

    /// Where the ring of a channel has a part.
    private func place(_ channel: Int, _ part: Int) -> Int {
        channel &* Self.ringSize &+ (part & (Self.ringSize - 1))
    }

    private func isCandidate(_ channel: Int, _ part: Int) -> Bool {
        let peak = kinks[place(channel, part)]
        let compared = Float((Self.far - Self.near + 1) * partFrames)
        // Most parts are none by what one other part says.
        guard peak > Self.lowest * Self.lowest,
            peak * compared > Self.candidateRatio * sums[place(channel, part - Self.near)]
        else { return false }
        var (before, after): (Float, Float) = (0, 0)
        for distance in Self.near...Self.far {
            before += sums[place(channel, part - distance)]
            after += sums[place(channel, part + distance)]
        }
        return peak * compared > Self.candidateRatio * max(before, after)
    }

    /// The jump in a part: the index of the first sample behind it, and its height; nil if there is none.
    private mutating func jump(in samples: UnsafePointer<Float>, from first: Int) -> (index: Int, height: Float)? {
        func kink(_ index: Int) -> Float { abs(samples[index] - 2 * samples[index - 1] + samples[index - 2]) }
        guard let highest = (first..<first + partFrames).max(by: { kink($0) < kink($1) }) else { return nil }
        // A step shows at the sample behind it and at the next one, of which either may be higher.
        let index = kink(highest + 1) > kink(highest - 1) ? highest : highest - 1
        let height = abs(samples[index] - samples[index - 1])
        guard height >= Self.lowest, !isFlat(samples + index), isSingle(samples + index) else { return nil }
        prediction.train(before: samples + index)
        let step = abs(prediction.residual(samples + index))
        let before = prediction.highestResidual(samples + index - comparedFrames, count: comparedFrames)
        guard step > Self.ratio * before else { return nil }
        // A prediction from samples on both sides of the step fails as well.
        let after = prediction.highestResidual(samples + index + LinearPrediction.order + 1, count: comparedFrames)
        return step > Self.ratio * after ? (index, height) : nil
    }

    /// Whether the second difference is high at a step only, and not at the samples beside, as in a voice's pulse.
    private func isSingle(_ samples: UnsafePointer<Float>) -> Bool {
        var (step, around): (Float, Float) = (0, 0)
        for index in -Self.besideFrames...Self.besideFrames {
            let kink = samples[index] - 2 * samples[index - 1] + samples[index - 2]
            if -1...2 ~= index { step = max(step, kink * kink) } else { around += kink * kink }
        }
        return step * Float(2 * Self.besideFrames) > Self.candidateRatio * around
    }

    /// Whether samples on one side are the same: the edges of such runs belong to dropouts, silence and clipped peaks.
    private func isFlat(_ samples: UnsafePointer<Float>) -> Bool {
        samples[-1] == samples[-2] && samples[-2] == samples[-3] || samples[0] == samples[1] && samples[1] == samples[2]
    }
}

/// Predicts samples from those before them, so that what cannot be predicted stands out: the residual of tones, voices and
/// rooms is small, that of a step is the step.
///
/// The coefficients are those of the autocorrelation method, by Levinson's and Durbin's recursion (J. Makhoul, "Linear prediction:
/// a tutorial review", Proc. IEEE 63, 1975).
struct LinearPrediction {
    private typealias Vector = SIMD8<Float>

    /// How many samples a prediction is made of.
    static let order = 32
    /// The samples that the coefficients are computed from.
    static let trainingFrames = 1_024
    /// What rounding to 16 bits adds to the power, so that pure tones have a solution.
    private static let roundingPower: Float = 1e-10

    /// The coefficient of the sample before, and so on.
    private var coefficients = [Float](repeating: 0, count: order)
    private var correlations = [Double](repeating: 0, count: order + 1)

    /// Computes the coefficients from the samples before some place.
    ///
    /// - Parameter place: With `trainingFrames` and `order` samples before it.
    mutating func train(before place: UnsafePointer<Float>) {
        let start = place - Self.trainingFrames
        for lag in 0...Self.order {
            correlations[lag] = Double(Self.product(start, start - lag, count: Self.trainingFrames))
        }
        correlations[0] = correlations[0] * (1 + 1e-7) + Double(Self.roundingPower) * Double(Self.trainingFrames)
        solve()
    }

    private mutating func solve() {
        var error = correlations[0]
        for index in 0..<Self.order { coefficients[index] = 0 }
        for step in 0..<Self.order {
            guard error > 0 else { return }
            var sum = correlations[step + 1]
            for index in 0..<step { sum -= Double(coefficients[index]) * correlations[step - index] }
            let reflection = sum / error
            for index in 0..<step / 2 {
                let (low, high) = (Double(coefficients[index]), Double(coefficients[step - 1 - index]))
                coefficients[index] = Float(low - reflection * high)
                coefficients[step - 1 - index] = Float(high - reflection * low)
            }
            if step % 2 == 1 {
                let middle = Double(coefficients[step / 2])
                coefficients[step / 2] = Float(middle - reflection * middle)
            }
            coefficients[step] = Float(reflection)
            error *= 1 - reflection * reflection
        }
    }

    /// The highest magnitude of what is not predicted.
    ///
    /// - Parameter samples: With `order` samples before them; rounded up to whole vectors of eight.
    func highestResidual(_ samples: UnsafePointer<Float>, count: Int) -> Float {
        var squares = Vector.zero
        for start in stride(from: 0, to: count, by: Vector.scalarCount) {
            var residual = UnsafeRawPointer(samples + start).loadUnaligned(as: Vector.self)
            for (index, coefficient) in coefficients.enumerated() {
                residual -= coefficient * UnsafeRawPointer(samples + start - index - 1).loadUnaligned(as: Vector.self)
            }
            let square = residual * residual
            squares.replace(with: square, where: square .> squares)
        }
        return squares.highest.squareRoot()
    }

    /// What is not predicted of one sample.
    func residual(_ sample: UnsafePointer<Float>) -> Float {
        coefficients.indices.reduce(sample[0]) { $0 - coefficients[$1] * sample[-$1 - 1] }
    }

    private static func product(_ first: UnsafePointer<Float>, _ second: UnsafePointer<Float>, count: Int) -> Float {
        var sums = Vector.zero
        for index in stride(from: 0, to: count, by: Vector.scalarCount) {
            sums +=
                UnsafeRawPointer(first + index).loadUnaligned(as: Vector.self)
                * UnsafeRawPointer(second + index).loadUnaligned(as: Vector.self)
        }
        return sums.sum()
    }
}
