import Foundation

/// Generates known signals, interleaved, and finds them in recordings.
public enum Signal {
    /// A counter: frame `n` carries the number `n`, so that a lost, duplicated or misplaced frame shows.
    ///
    /// - Parameters:
    ///   - first: The number of the first frame.
    ///   - channels: With one, `n` modulo 2^16; with two, the low 16 bits in the first channel and the high 16 bits in
    ///     the second. Other channel counts are not supported.
    public static func counter(from first: UInt32 = 0, frames: Int, channels: Int) -> [Int16] {
        precondition(channels == 1 || channels == 2)
        var samples = [Int16](repeating: 0, count: frames * channels)
        for frame in 0..<frames {
            let number = first &+ UInt32(frame)
            samples[frame * channels] = Int16(truncatingIfNeeded: number)
            if channels == 2 {
                samples[frame * 2 + 1] = Int16(truncatingIfNeeded: number >> 16)
            }
        }
        return samples
    }

    /// The numbers of the frames in a recorded counter; see `counter`.
    public static func numbers(inCounter samples: [Int16], channels: Int) -> [UInt32] {
        precondition(channels == 1 || channels == 2)
        return stride(from: 0, to: samples.count, by: channels).map { index in
            let low = UInt32(UInt16(bitPattern: samples[index]))
            return channels == 1 ? low : low | UInt32(UInt16(bitPattern: samples[index + 1])) << 16
        }
    }

    /// The first frame of a recorded counter that does not follow the frame before; `nil` if all do.
    public static func firstBreak(inCounter samples: [Int16], channels: Int) -> Int? {
        let numbers = numbers(inCounter: samples, channels: channels)
        let mask: UInt32 = channels == 1 ? 0xffff : .max
        return numbers.indices.dropFirst().first { numbers[$0] != (numbers[$0 - 1] &+ 1) & mask }
    }

    /// A sine, equal in all channels, that begins at phase 0.
    ///
    /// - Parameters:
    ///   - frequency: In Hz.
    ///   - peak: In dBFS; 0 is from -1 to 1.
    public static func sine(frequency: Double, peak: Double, rate: Int, channels: Int, frames: Int) -> [Float] {
        let amplitude = pow(10, peak / 20)
        var samples = [Float](repeating: 0, count: frames * channels)
        for frame in 0..<frames {
            // The phase is reduced before the multiplication by 2 pi, so a long sine is as exact as a short one.
            let turns = (frequency * Double(frame) / Double(rate)).truncatingRemainder(dividingBy: 1)
            let value = Float(amplitude * sin(2 * .pi * turns))
            for channel in 0..<channels {
                samples[frame * channels + channel] = value
            }
        }
        return samples
    }

    /// A sine of a clock of its own: it has phase 0 at time 0.
    ///
    /// - Parameters:
    ///   - frequency: In Hz.
    ///   - peak: 1 is full scale.
    ///   - begin: When the first frame was captured, in seconds.
    ///   - frameLength: The time between two frames in seconds.
    public static func sine(
        frequency: Double, peak: Double, from begin: Double, frameLength: Double, frames: Int
    ) -> [Float] {
        (0..<frames).map { Float(peak * sin(2 * .pi * frequency * (begin + Double($0) * frameLength))) }
    }

    /// By how many seconds a sine is later than one with phase 0 at frame 0, at most half a period: the phase of its
    /// correlation.
    ///
    /// - Parameters:
    ///   - frequency: In Hz.
    ///   - frames: The frames that are compared; whole periods are most exact.
    public static func delay(ofSine frequency: Double, in samples: [Float], _ frames: Range<Int>, rate: Double)
        -> Double
    {
        var (sine, cosine) = (0.0, 0.0)
        for frame in frames {
            let angle = 2 * .pi * frequency * Double(frame) / rate
            sine += Double(samples[frame]) * sin(angle)
            cosine += Double(samples[frame]) * cos(angle)
        }
        return -atan2(cosine, sine) / (2 * .pi * frequency)
    }

    /// Adds the samples of each channel to those before them.
    public static func append(interleaved samples: [Float], to channels: inout [[Float]]) {
        for channel in channels.indices {
            for index in stride(from: channel, to: samples.count, by: channels.count) {
                channels[channel].append(samples[index])
            }
        }
    }

    /// White noise over the full range of 16 bits, the same for the same seed: the upper bits of `words`.
    public static func noise(seed: UInt64, samples count: Int) -> [Int16] {
        words(seed: seed, samples: count).map { Int16(truncatingIfNeeded: $0 >> 16) }
    }

    /// White noise over the full range of 32 bits, the same for the same seed: the upper bits of `SplitMix64`.
    public static func words(seed: UInt64, samples count: Int) -> [Int32] {
        var generator = SplitMix64(seed: seed)
        return (0..<count).map { _ in Int32(truncatingIfNeeded: generator.next() >> 32) }
    }

    /// The samples as little-endian bytes.
    public static func data(_ samples: [Int16]) -> Data {
        samples.withUnsafeBytes { Data($0) }
    }

    /// The samples as little-endian bytes.
    public static func data(_ samples: [Int32]) -> Data {
        samples.withUnsafeBytes { Data($0) }
    }

    /// The samples as little-endian bytes.
    public static func data(_ samples: [Float]) -> Data {
        samples.withUnsafeBytes { Data($0) }
    }

    /// Little-endian bytes as samples; an incomplete last sample is dropped.
    public static func int16(_ data: Data) -> [Int16] {
        [Int16](unsafeUninitializedCapacity: data.count / 2) { buffer, count in
            count = data.copyBytes(to: buffer, count: buffer.count * 2) / 2
        }
    }

    /// Little-endian bytes as samples; an incomplete last sample is dropped.
    public static func float(_ data: Data) -> [Float] {
        [Float](unsafeUninitializedCapacity: data.count / 4) { buffer, count in
            count = data.copyBytes(to: buffer, count: buffer.count * 4) / 4
        }
    }

    /// Samples of 16 bits as floats, from −1 to just below 1.
    public static func float(_ samples: ArraySlice<Int16>) -> [Float] {
        samples.map { Float($0) / 32_768 }
    }

    /// Converts floats to 16 bits, rounded to the nearest multiple of 1/32768 and clipped.
    public static func int16(_ samples: [Float]) -> [Int16] {
        samples.map { Int16(max(-32768, min(32767, ($0 * 32768).rounded()))) }
    }
}
