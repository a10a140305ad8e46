import Foundation

/// Known signals, interleaved, and what is needed to find them again.
public enum Signal {
    /// A counter: frame `n` carries the number `n`, so that a lost, doubled or misplaced frame shows.
    ///
    /// - Parameters:
    ///   - first: the number of the first frame.
    ///   - channels: with one, `n` modulo 2^16; with two, the low 16 bits in the first channel and the high 16 bits in
    ///     the second. No other number of channels.
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

    /// The first frame of a recorded counter that does not carry on from the frame before; `nil` if all of them do.
    public static func firstBreak(inCounter samples: [Int16], channels: Int) -> Int? {
        let numbers = numbers(inCounter: samples, channels: channels)
        let mask: UInt32 = channels == 1 ? 0xffff : .max
        return numbers.indices.dropFirst().first { numbers[$0] != (numbers[$0 - 1] &+ 1) & mask }
    }

    /// A sine, the same in all channels, that begins at phase 0.
    ///
    /// - Parameters:
    ///   - frequency: in Hz.
    ///   - peak: in dB relative to full scale; 0 reaches from -1 to 1.
    public static func sine(frequency: Double, peak: Double, rate: Int, channels: Int, frames: Int) -> [Float] {
        let amplitude = pow(10, peak / 20)
        var samples = [Float](repeating: 0, count: frames * channels)
        for frame in 0..<frames {
            // The phase is reduced before it is multiplied by 2 pi, so a long sine is as exact as a short one.
            let turns = (frequency * Double(frame) / Double(rate)).truncatingRemainder(dividingBy: 1)
            let value = Float(amplitude * sin(2 * .pi * turns))
            for channel in 0..<channels {
                samples[frame * channels + channel] = value
            }
        }
        return samples
    }

    /// White noise over the whole range of 16 bits, the same for the same seed: the upper bits of `words`.
    public static func noise(seed: UInt64, samples count: Int) -> [Int16] {
        words(seed: seed, samples: count).map { Int16(truncatingIfNeeded: $0 >> 16) }
    }

    /// White noise over the whole range of 32 bits, the same for the same seed: the upper bits of `SplitMix64`.
    public static func words(seed: UInt64, samples count: Int) -> [Int32] {
        var generator = SplitMix64(seed: seed)
        return (0..<count).map { _ in Int32(truncatingIfNeeded: generator.next() >> 32) }
    }

    /// Where in a known signal a recorded part of it begins, in samples; `nil` if it is nowhere in it.
    ///
    /// The part is looked for by its first 64 samples, which have to differ from place to place, as noise and counters
    /// do. Whether all of it is there is for the test to compare.
    public static func offset(of part: ArraySlice<Int16>, in signal: [Int16]) -> Int? {
        let key = Array(part.prefix(64))
        guard let first = key.first, key.count <= signal.count else { return nil }
        return signal.withUnsafeBufferPointer { signal in
            (0...(signal.count - key.count)).first { start in
                signal[start] == first && key.indices.allSatisfy { signal[start + $0] == key[$0] }
            }
        }
    }

    /// The first place where a recorded part differs from the signal that begins at an offset in it; `nil` if none does.
    ///
    /// For a test to expect: comparing whole recordings would print all of them.
    public static func difference(of part: ArraySlice<Int16>, from signal: [Int16], at offset: Int) -> Int? {
        guard offset + part.count <= signal.count else { return signal.count - offset }
        return (0..<part.count).first { part[part.startIndex + $0] != signal[offset + $0] }
    }

    /// Samples as little-endian bytes.
    public static func data(_ samples: [Int16]) -> Data {
        samples.withUnsafeBytes { Data($0) }
    }

    /// Samples as little-endian bytes.
    public static func data(_ samples: [Int32]) -> Data {
        samples.withUnsafeBytes { Data($0) }
    }

    /// Samples as little-endian bytes.
    public static func data(_ samples: [Float]) -> Data {
        samples.withUnsafeBytes { Data($0) }
    }

    /// Little-endian bytes as samples; an incomplete last sample is left out.
    public static func int16(_ data: Data) -> [Int16] {
        [Int16](unsafeUninitializedCapacity: data.count / 2) { buffer, count in
            count = data.copyBytes(to: buffer, count: buffer.count * 2) / 2
        }
    }

    /// Little-endian bytes as samples; an incomplete last sample is left out.
    public static func float(_ data: Data) -> [Float] {
        [Float](unsafeUninitializedCapacity: data.count / 4) { buffer, count in
            count = data.copyBytes(to: buffer, count: buffer.count * 4) / 4
        }
    }

    /// Floats to 16 bits, rounded to the nearest step of 1/32768 and limited to the range.
    public static func int16(_ samples: [Float]) -> [Int16] {
        samples.map { Int16(max(-32768, min(32767, ($0 * 32768).rounded()))) }
    }
}
