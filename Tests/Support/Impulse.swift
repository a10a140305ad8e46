import Foundation

/// Where in a recording a band-limited impulse lies, more finely than by samples.
///
/// An impulse at a place has a phase in proportion to frequency, and the slope says how far it is from the loudest
/// sample (Oppenheim and Schafer, "Discrete-Time Signal Processing", on linear phase).
public enum Impulse {
    /// The place in samples, counted from the first one; `nil` where there is silence only.
    ///
    /// - Parameters:
    ///   - samples: one channel.
    ///   - part: of the Nyquist frequency, up to which the impulse has all frequencies alike.
    public static func position(in samples: [Float], upTo part: Double) -> Double? {
        guard let loudest = samples.indices.max(by: { abs(samples[$0]) < abs(samples[$1]) }), samples[loudest] != 0
        else { return nil }
        var (product, square) = (0.0, 0.0)
        for step in 1...16 {
            // In radians a sample.
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
