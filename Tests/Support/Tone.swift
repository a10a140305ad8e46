import Foundation

/// The frequency and level of a sine, measured in a recording.
///
/// A complex oscillator shifts the tone to frequency 0. The phase drift between two halves, each with a Hann window,
/// corrects the frequency; then a sine of that frequency is fitted by least squares. For two seconds without noise the
/// frequency is exact to 1e-6 and the level to 0.001 dB.
public struct Tone: Sendable {
    /// In Hz.
    public let frequency: Double
    /// The peak of the fitted sine in dBFS: a sine from -1 to 1 has 0.
    public let peak: Double
    /// The RMS of the fitted sine in dBFS: a sine from -1 to 1 has -3.01.
    public let rms: Double
    /// The RMS of the residual, without the fitted sine and offset, in dBFS.
    public let residual: Double
    /// The residual, without the fitted sine and offset, with full scale at 1.
    public let rest: [Double]

    /// Measures a tone.
    ///
    /// - Parameters:
    ///   - samples: One channel, with full scale at 1; at least 0.1 s, with the tone throughout.
    ///   - rate: The sample rate in Hz.
    ///   - frequency: The expected frequency in Hz, to within 20 Hz; more than 100 Hz.
    public init(in samples: [Float], rate: Int, near expected: Double) {
        precondition(samples.count >= rate / 10)
        var frequency = expected
        // First over parts of 20 ms, in which the phase is unambiguous; then over increasingly longer ones.
        var length = rate / 50
        while true {
            length = min(length, samples.count / 2)
            for _ in 0..<2 {
                let first = Self.phase(samples[0..<length], frequency, rate)
                let second = Self.phase(samples[length..<2 * length], frequency, rate)
                frequency += Self.wrapped(second - first) / (2 * .pi) * Double(rate) / Double(length)
            }
            if length == samples.count / 2 { break }
            length *= 4
        }
        self.init(in: samples, rate: rate, at: frequency)
    }

    /// Measures a tone where it is clearest, in one of the parts of half a second: a server on a busy machine leaves out
    /// cycles.
    ///
    /// - Parameters: As of the initializer; at least half a second.
    public static func clearest(in samples: [Float], rate: Int, near expected: Double) -> Tone {
        precondition(samples.count >= rate / 2)
        let parts = stride(from: 0, through: samples.count - rate / 2, by: rate / 2).map { start in
            Tone(in: Array(samples[start..<start + rate / 2]), rate: rate, near: expected)
        }
        return parts.min { $0.residual < $1.residual }!
    }

    /// Measures a tone of known frequency. Other frequencies count as residual.
    ///
    /// - Parameters:
    ///   - samples: One channel, with full scale at 1, and the tone throughout.
    ///   - rate: The sample rate in Hz.
    ///   - frequency: In Hz.
    public init(in samples: [Float], rate: Int, at frequency: Double) {
        let (amplitude, rest) = Self.fit(samples, frequency, rate)
        self.frequency = frequency
        self.rest = rest
        peak = 20 * log10(amplitude)
        rms = peak - 10 * log10(2)
        residual = 10 * log10(rest.reduce(0) { $0 + $1 * $1 } / Double(rest.count))
    }

    /// The phase of a frequency in a part of the samples, in radians, relative to an oscillator that began at index 0.
    private static func phase(_ samples: ArraySlice<Float>, _ frequency: Double, _ rate: Int) -> Double {
        var real = 0.0
        var imaginary = 0.0
        for index in samples.indices {
            let angle = turns(frequency, index, rate)
            let window = 0.5 - 0.5 * cos(2 * .pi * (Double(index - samples.startIndex) + 0.5) / Double(samples.count))
            real += window * Double(samples[index]) * cos(angle)
            imaginary -= window * Double(samples[index]) * sin(angle)
        }
        return atan2(imaginary, real)
    }

    /// Fits `a cos + b sin + c` by least squares.
    private static func fit(
        _ samples: [Float], _ frequency: Double, _ rate: Int
    ) -> (amplitude: Double, rest: [Double]) {
        // The normal equations: a symmetric 3 × 3 matrix, with the right-hand side as a fourth column.
        var rows = [[Double]](repeating: [Double](repeating: 0, count: 4), count: 3)
        var basis = [0.0, 0.0, 1.0]
        for index in samples.indices {
            let angle = turns(frequency, index, rate)
            basis[0] = cos(angle)
            basis[1] = sin(angle)
            for row in 0..<3 {
                for column in 0..<3 {
                    rows[row][column] += basis[row] * basis[column]
                }
                rows[row][3] += basis[row] * Double(samples[index])
            }
        }
        // Gauss-Jordan elimination. The matrix is nearly diagonal, so no pivoting is needed.
        for pivot in 0..<3 {
            let scale = 1 / rows[pivot][pivot]
            rows[pivot] = rows[pivot].map { $0 * scale }
            for row in 0..<3 where row != pivot {
                let factor = rows[row][pivot]
                for column in 0..<4 {
                    rows[row][column] -= factor * rows[pivot][column]
                }
            }
        }
        let (cosine, sine, constant) = (rows[0][3], rows[1][3], rows[2][3])
        let rest = samples.indices.map { index in
            let angle = turns(frequency, index, rate)
            return Double(samples[index]) - cosine * cos(angle) - sine * sin(angle) - constant
        }
        return (hypot(cosine, sine), rest)
    }

    /// The angle of an oscillator at an index, in radians, reduced to one turn while it is still exact.
    private static func turns(_ frequency: Double, _ index: Int, _ rate: Int) -> Double {
        2 * .pi * (frequency * Double(index) / Double(rate)).truncatingRemainder(dividingBy: 1)
    }

    /// An angle from -pi to pi.
    private static func wrapped(_ angle: Double) -> Double {
        remainder(angle, 2 * .pi)
    }
}
