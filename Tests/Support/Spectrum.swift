import Foundation

/// How the power of a signal is spread over the frequencies.
public enum Spectrum {
    /// The mean power in each of a number of equally wide bands, in dB relative to full scale.
    ///
    /// From a discrete Fourier transform without a window: for noise, whose power does not lie in lines.
    ///
    /// - Parameters:
    ///   - samples: one channel, with full scale at 1; the longest part of them that is a power of two is used.
    ///   - count: of bands.
    ///   - part: of the Nyquist frequency, which the bands divide among them.
    public static func bands(of samples: [Double], count: Int, upTo part: Double) -> [Double] {
        let length = 1 << Int(log2(Double(samples.count)))
        let power = powers(of: Array(samples.prefix(length)))
        let width = part * Double(length / 2) / Double(count)
        return (0..<count).map { band in
            let bins = Int(Double(band) * width) + 1..<Int(Double(band + 1) * width) + 1
            return 10 * log10(bins.reduce(0) { $0 + power[$1] })
        }
    }

    /// The power in each bin of the transform up to the Nyquist frequency; their sum is the signal's mean square.
    private static func powers(of samples: [Double]) -> [Double] {
        var (real, imaginary) = (samples, [Double](repeating: 0, count: samples.count))
        transform(&real, &imaginary)
        let scale = 1 / (Double(samples.count) * Double(samples.count))
        return (0...samples.count / 2).map { bin in
            let isSingle = bin == 0 || bin == samples.count / 2
            return (real[bin] * real[bin] + imaginary[bin] * imaginary[bin]) * scale * (isSingle ? 1 : 2)
        }
    }

    /// The fast Fourier transform of Cooley and Tukey, in place, by decimation in time; a power of two of samples.
    private static func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
        var reversed = 0
        for index in 0..<real.count - 1 {
            if index < reversed {
                real.swapAt(index, reversed)
                imaginary.swapAt(index, reversed)
            }
            // Counts up with the highest bit as the lowest one.
            var bit = real.count / 2
            while reversed & bit != 0 {
                reversed ^= bit
                bit /= 2
            }
            reversed |= bit
        }
        var half = 1
        while half < real.count {
            for offset in 0..<half {
                let angle = -.pi * Double(offset) / Double(half)
                let (cosine, sine) = (cos(angle), sin(angle))
                for upper in stride(from: offset, to: real.count, by: 2 * half) {
                    let lower = upper + half
                    let turnedReal = real[lower] * cosine - imaginary[lower] * sine
                    let turnedImaginary = real[lower] * sine + imaginary[lower] * cosine
                    (real[lower], imaginary[lower]) = (real[upper] - turnedReal, imaginary[upper] - turnedImaginary)
                    real[upper] += turnedReal
                    imaginary[upper] += turnedImaginary
                }
            }
            half *= 2
        }
    }
}
