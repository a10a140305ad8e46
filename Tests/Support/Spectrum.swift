import Foundation

/// Computes power spectra.
public enum Spectrum {
    /// The mean power in each of several equally wide bands, in dBFS.
    ///
    /// Uses a discrete Fourier transform without a window, so it suits noise, whose power is not concentrated in lines.
    ///
    /// - Parameters:
    ///   - samples: One channel, with full scale at 1; the longest prefix whose length is a power of two is used.
    ///   - count: The number of bands.
    ///   - part: The fraction of the Nyquist frequency that the bands cover.
    public static func bands(of samples: [Double], count: Int, upTo part: Double) -> [Double] {
        let length = 1 << Int(log2(Double(samples.count)))
        let power = powers(of: Array(samples.prefix(length)))
        let width = part * Double(length / 2) / Double(count)
        return (0..<count).map { band in
            let bins = Int(Double(band) * width) + 1..<Int(Double(band + 1) * width) + 1
            return 10 * log10(bins.reduce(0) { $0 + power[$1] })
        }
    }

    /// The ratio of a tone's power to that of all else, in dB: to 160 dB, if the tone changes by less than a hertz.
    ///
    /// Uses a window whose side lobes are below −180 dB (Albrecht, "A family of cosine-sum windows for high-resolution
    /// measurements", 2001), and so counts what is within nine bins beside the strongest one as tone.
    ///
    /// - Parameter samples: One channel; the longest prefix whose length is a power of two is used.
    public static func toneToRest(of samples: [Double]) -> Double {
        let length = 1 << Int(log2(Double(samples.count)))
        let terms = [
            0.27105140069342, -0.43329793923448, 0.21812299954311, -0.06592544638803, 0.01081174209837,
            -0.00077658482522, 0.00001388721735,
        ]
        let power = powers(
            of: (0..<length).map { index in
                let angle = 2 * .pi * Double(index) / Double(length)
                let window = terms.indices.reduce(0) { $0 + terms[$1] * cos(Double($1) * angle) }
                return samples[index] * window
            })
        let strongest = power.indices.max { power[$0] < power[$1] }!
        let tone = max(strongest - 9, 0)...min(strongest + 9, length / 2)
        let rest = power.indices.reduce(0) { tone.contains($1) ? $0 : $0 + power[$1] }
        return 10 * log10(power[tone].reduce(0, +) / rest)
    }

    /// The power in each bin of the transform up to the Nyquist frequency; their sum is the mean square of the signal.
    private static func powers(of samples: [Double]) -> [Double] {
        var (real, imaginary) = (samples, [Double](repeating: 0, count: samples.count))
        transform(&real, &imaginary)
        let scale = 1 / (Double(samples.count) * Double(samples.count))
        return (0...samples.count / 2).map { bin in
            let isSingle = bin == 0 || bin == samples.count / 2
            return (real[bin] * real[bin] + imaginary[bin] * imaginary[bin]) * scale * (isSingle ? 1 : 2)
        }
    }

    /// An in-place Cooley-Tukey FFT by decimation in time; the number of samples must be a power of two.
    private static func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
        var reversed = 0
        for index in 0..<real.count - 1 {
            if index < reversed {
                real.swapAt(index, reversed)
                imaginary.swapAt(index, reversed)
            }
            // Increments in bit-reversed order.
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
