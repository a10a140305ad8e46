import Glibc

/// The K-weighting of ITU-R BS.1770-5, Annex 1, for two channels at once: a shelf for the head, and a high-pass.
struct KWeighting {
    /// Two channels.
    typealias Pair = SIMD2<Double>

    private let coefficients: Coefficients
    private var shelf = (Pair.zero, Pair.zero)
    private var highPass = (Pair.zero, Pair.zero)

    init(_ coefficients: Coefficients) {
        self.coefficients = coefficients
    }

    /// Filters samples of two channels.
    ///
    /// - Returns: The sums of the squares of what comes out.
    mutating func sumOfSquares(
        _ first: UnsafePointer<Float>, _ second: UnsafePointer<Float>, count: Int
    ) -> Pair {
        let (b0, b1, b2) = (
            Pair(repeating: coefficients.b0), Pair(repeating: coefficients.b1), Pair(repeating: coefficients.b2)
        )
        let (a1, a2) = (Pair(repeating: coefficients.a1), Pair(repeating: coefficients.a2))
        let (c1, c2) = (Pair(repeating: coefficients.c1), Pair(repeating: coefficients.c2))
        var (s1, s2) = shelf
        var (h1, h2) = highPass
        var sum = Pair.zero
        // Both in the transposed direct form II.
        for index in 0..<count {
            let input = Pair(Double(first[index]), Double(second[index]))
            let middle = b0 * input + s1
            s1 = b1 * input - a1 * middle + s2
            s2 = b2 * input - a2 * middle
            let output = middle + h1
            h1 = h2 - (middle + middle) - c1 * output
            h2 = middle - c2 * output
            sum += output * output
        }
        shelf = (Self.withoutTraces(s1), Self.withoutTraces(s2))
        highPass = (Self.withoutTraces(h1), Self.withoutTraces(h2))
        return sum
    }

    /// In silence the state decays without end, and processors are slow with the smallest numbers.
    private static func withoutTraces(_ state: Pair) -> Pair {
        state.replacing(with: 0, where: (state .< 1e-30) .& (state .> -1e-30))
    }
}

extension KWeighting {
    /// The coefficients for a sample rate. BS.1770-5 states them for 48 kHz; these are the same filters at any rate (B. De
    /// Man, "Evaluation of implementations of the EBU R128 loudness measurement", AES 2018).
    struct Coefficients {
        let b0, b1, b2, a1, a2: Double
        let c1, c2: Double

        /// - Parameter sampleRate: In Hz.
        init(sampleRate: Double) {
            let (frequency, gain, quality) = (1681.974450955533, 3.999843853973347, 0.7071752369554196)
            let warped = tan(.pi * min(frequency / sampleRate, 0.49))
            let high = pow(10, gain / 20)
            let band = pow(high, 0.4996667741545416)
            let scale = 1 + warped / quality + warped * warped
            b0 = (high + band * warped / quality + warped * warped) / scale
            b1 = 2 * (warped * warped - high) / scale
            b2 = (high - band * warped / quality + warped * warped) / scale
            a1 = 2 * (warped * warped - 1) / scale
            a2 = (1 - warped / quality + warped * warped) / scale
            let (lowFrequency, lowQuality) = (38.13547087602444, 0.5003270373238773)
            let low = tan(.pi * lowFrequency / sampleRate)
            let lowScale = 1 + low / lowQuality + low * low
            c1 = 2 * (low * low - 1) / lowScale
            c2 = (1 - low / lowQuality + low * low) / lowScale
        }
    }
}
