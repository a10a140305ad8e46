import Foundation

/// Finds a band-limited impulse in a recording, with sub-sample precision.
///
/// The phase of an impulse is proportional to frequency, and the slope is its distance from the loudest sample
/// (Oppenheim and Schafer, "Discrete-Time Signal Processing", on linear phase).
public enum Impulse {
    /// The position in samples, counted from the first one; `nil` for silence.
    ///
    /// - Parameters:
    ///   - samples: One channel.
    ///   - part: The fraction of the Nyquist frequency up to which the impulse has a flat spectrum.
    public static func position(in samples: [Float], upTo part: Double) -> Double? {
        guard let loudest = samples.indices.max(by: { abs(samples[$0]) < abs(samples[$1]) }), samples[loudest] != 0
        else { return nil }
        var (product, square) = (0.0, 0.0)
        for step in 1...16 {
            // In radians per sample.
            let frequency = .pi * part * Double(step) / 16
            var (real, imaginary) = (0.0, 0.0)
            for index in samples.indices where samples[index] != 0 {
                let angle = frequency * Double(index - loudest)
                real += Double(samples[index]) * cos(angle)
                imaginary -= Double(samples[index]) * sin(angle)
            }
            product -= atan2(imaginary, real) * frequency
            square += frequency * frequency
        }
        return Double(loudest) + product / square
    }
}
