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
        var highest = Vector.zero
        for start in stride(from: 0, to: count, by: Vector.scalarCount) {
            var residual = UnsafeRawPointer(samples + start).loadUnaligned(as: Vector.self)
            for (index, coefficient) in coefficients.enumerated() {
                residual -= coefficient * UnsafeRawPointer(samples + start - index - 1).loadUnaligned(as: Vector.self)
            }
            let square = residual * residual
            highest.replace(with: square, where: square .> highest)
        }
        return highest.max().squareRoot()
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
