import Glibc

/// Measures the true peak by ITU-R BS.1770-5, Annex 2: the highest magnitude of the signal at four times its sample rate, or
/// twice from 96 kHz on; from 192 kHz on that of the samples.
///
/// The interpolator is a sinc with a Hann window of twelve samples. What it makes of samples is at most their magnitude times
/// the sum of its coefficients: where that is no new peak, it is not run.
struct TruePeakMeter: ~Copyable {
    private typealias Vector = SIMD8<Float>

    /// How many samples the interpolator reads on either side of a place.
    private static let reach = 6

    /// The coefficients of the samples to the left of a place, the nearest first. Those for the middle between two samples are
    /// the same to the right. Those for a quarter are the sum of `even` and `odd` to the left, and their difference to the right;
    /// for three quarters it is the other way round.
    private let middle: [Float]
    private let even: [Float]
    private let odd: [Float]
    /// How many places between two samples are computed, besides the samples: 3, 1 or none.
    private let placeCount: Int
    /// The most that the interpolator makes of samples whose magnitude is 1.
    private let mostGain: Float
    /// The highest magnitude of each channel so far; full scale is 1.
    private(set) var peaks: [Float]

    /// - Parameter sampleRate: In Hz.
    init(sampleRate: Int, channelCount: Int) {
        placeCount = sampleRate < 96_000 ? 3 : sampleRate < 192_000 ? 1 : 0
        peaks = Array(repeating: 0, count: channelCount)
        let quarters = (0..<Self.reach).map { (Self.sinc(Double($0) + 0.25), Self.sinc(Double($0) + 0.75)) }
        middle = (0..<Self.reach).map { Self.sinc(Double($0) + 0.5) }
        even = quarters.map { ($0 + $1) / 2 }
        odd = quarters.map { ($0 - $1) / 2 }
        mostGain = 2 * middle.reduce(0) { $0 + abs($1) }
    }

    /// - Parameter place: How far a sample is away.
    private static func sinc(_ place: Double) -> Float {
        let window = 0.5 * (1 + cos(.pi * place / Double(reach)))
        return Float(sin(.pi * place) / (.pi * place) * window)
    }

    /// The highest magnitude of all channels so far; full scale is 1.
    var peak: Float { peaks.max() ?? 0 }

    /// Adds frames, with twenty readable before them. What lies between the last six of them is measured with the next ones.
    mutating func add(_ frames: PlanarFrames) {
        for channel in 0..<frames.channelCount {
            peaks[channel] = highest(frames.samples(of: channel), count: frames.frameCount, peak: peaks[channel])
        }
    }

    private func highest(_ samples: UnsafePointer<Float>, count: Int, peak: Float) -> Float {
        var peak = peak
        var limit = Vector(repeating: peak / mostGain)
        // Whole vectors up to the end: the first one begins where the last call has ended, or before.
        let width = Vector.scalarCount
        let vectors = (count + width - 1) / width
        var place = count - Self.reach - vectors * width
        var (isHighBefore, isHigh) = (
            Self.exceeds(samples, place - width, limit), Self.exceeds(samples, place, limit)
        )
        for _ in 0..<vectors {
            // Behind the last vector there are only the samples that the interpolator reads.
            let isHighBehind = Self.exceeds(samples, min(place + width, count - width), limit)
            if isHighBefore || isHigh || isHighBehind {
                let found = interpolated(samples + place)
                if found > peak {
                    peak = found
                    limit = Vector(repeating: peak / mostGain)
                }
            }
            (isHighBefore, isHigh) = (isHigh, isHighBehind)
            place += width
        }
        return peak
    }

    @inline(__always)
    private static func exceeds(_ samples: UnsafePointer<Float>, _ place: Int, _ limit: Vector) -> Bool {
        let values = load(samples + place)
        return any((values .> limit) .| (values .< -limit))
    }

    /// The highest magnitude at eight samples and between each of them and the next.
    @inline(__always)
    private func interpolated(_ samples: UnsafePointer<Float>) -> Float {
        let own = Self.load(samples)
        var squares = own * own
        guard placeCount > 0 else { return squares.highest.squareRoot() }
        var (half, symmetric, difference) = (Vector.zero, Vector.zero, Vector.zero)
        for tap in 0..<Self.reach {
            let (left, right) = (Self.load(samples - tap), Self.load(samples + tap + 1))
            let sum = left + right
            half += middle[tap] * sum
            symmetric += even[tap] * sum
            difference += odd[tap] * (left - right)
        }
        Self.raise(&squares, half)
        if placeCount == 3 {
            Self.raise(&squares, symmetric + difference)
            Self.raise(&squares, symmetric - difference)
        }
        return squares.highest.squareRoot()
    }

    @inline(__always)
    private static func raise(_ highest: inout Vector, _ values: Vector) {
        let squares = values * values
        highest.replace(with: squares, where: squares .> highest)
    }

    @inline(__always)
    private static func load(_ samples: UnsafePointer<Float>) -> Vector {
        UnsafeRawPointer(samples).loadUnaligned(as: Vector.self)
    }
}
