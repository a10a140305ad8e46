import Glibc

/// What one pass measures of a slot of a channel, which is about 10 ms. All other analysis rests on it.
struct SlotLevel: Equatable {
    /// The highest magnitude.
    var peak: Float = 0
    var sum = 0.0
    var sumOfSquares = 0.0

    mutating func merge(_ other: SlotLevel) {
        peak = max(peak, other.peak)
        sum += other.sum
        sumOfSquares += other.sumOfSquares
    }
}

/// What the same pass measures of each of the twelve parts of a slot.
struct PartLevel {
    /// The sum of the samples, weighted from 0 to 1 over the part.
    var risingSum: Float = 0
    /// The sum of the samples.
    var sum: Float = 0
    /// The highest square of a second difference, x[n] - 2 x[n-1] + x[n-2].
    var kink: Float = 0
    /// The sum of the squares of all second differences.
    var kinkSum: Float = 0
    /// Whether three samples in a row are the same, of which the last one is in the part.
    var hasFlatRun = false
}

/// The lengths into which a signal is divided for its analysis.
struct SlotLengths {
    static let partsPerSlot = 12
    /// Samples in a spectrum.
    static let spectrumSamples = 4_096
    /// About 0.83 ms: there are 1,200 a second, at which rate hum is sought. That is no neighbour of a multiple of a pitch in
    /// tune with 440 Hz.
    let partFrames: Int
    /// About 10 ms.
    var slotFrames: Int { partFrames * Self.partsPerSlot }

    init(sampleRate: Int) {
        partFrames = max((sampleRate + 600) / 1_200, 1)
    }
}

extension SlotLevel {
    private typealias Vector = SIMD8<Float>

    /// Measures a slot.
    ///
    /// - Parameters:
    ///   - samples: The slot, with two samples before it that can be read.
    ///   - parts: Where the levels of its parts are written: `SlotLengths.partsPerSlot`, of which the last ones may be empty.
    init(of samples: UnsafePointer<Float>, count: Int, partFrames: Int, parts: UnsafeMutablePointer<PartLevel>) {
        let width = Vector.scalarCount
        var (peaks, squares) = (Vector.zero, Vector.zero)
        for number in 0..<SlotLengths.partsPerSlot {
            let first = number * partFrames
            let length = min(max(count - first, 0), partFrames)
            let start = samples + first
            let whole = length / width * width
            var (sums, rising, weights) = (Vector.zero, Vector.zero, Vector(0, 1, 2, 3, 4, 5, 6, 7))
            var (kinks, kinkSums) = (Vector.zero, Vector.zero)
            var flat = SIMDMask<Vector.MaskStorage>(repeating: false)
            var index = 0
            while index < whole {
                let bytes = UnsafeRawPointer(start + index)
                let now = bytes.loadUnaligned(as: Vector.self)
                let last = bytes.loadUnaligned(fromByteOffset: -4, as: Vector.self)
                let beforeLast = bytes.loadUnaligned(fromByteOffset: -8, as: Vector.self)
                let square = now * now
                peaks.replace(with: square, where: square .> peaks)
                squares += square
                sums += now
                rising += now * weights
                weights += Float(width)
                let kink = now - (last + last) + beforeLast
                let kinkSquare = kink * kink
                kinks.replace(with: kinkSquare, where: kinkSquare .> kinks)
                kinkSums += kinkSquare
                flat .|= (now .== last) .& (last .== beforeLast)
                index &+= width
            }
            var part = PartLevel(
                risingSum: rising.sum(), sum: sums.sum(), kink: kinks.highest, kinkSum: kinkSums.sum(),
                hasFlatRun: any(flat))
            for index in whole..<length {
                part.add(start + index, weight: Float(index))
                let square = start[index] * start[index]
                if square > peaks[0] { peaks[0] = square }
                squares[0] += square
            }
            part.risingSum /= Float(partFrames)
            sum += Double(part.sum)
            parts[number] = part
        }
        peak = peaks.highest.squareRoot()
        sumOfSquares = Double(squares.sum())
    }
}

extension PartLevel {
    /// Adds a sample that fills no vector.
    fileprivate mutating func add(_ sample: UnsafePointer<Float>, weight: Float) {
        let (now, last, beforeLast) = (sample[0], sample[-1], sample[-2])
        sum += now
        risingSum += now * weight
        let second = now - (last + last) + beforeLast
        kink = max(kink, second * second)
        kinkSum += second * second
        hasFlatRun = hasFlatRun || (now == last && last == beforeLast)
    }
}

/// How often a channel had which level, by blocks of about 50 ms: from there come the levels of the noise and of speech.
///
/// These are the statistical levels of acoustics: L90 is exceeded for 90 % of the time, and is taken as the noise floor, L10 for
/// 10 % of the time, and is taken as the level of speech (ISO 1996-1).
struct LevelStatistics {
    private static let slotsPerBlock = 5
    /// Bins of 0.5 dB, from -120 dBFS up to 0.
    private static let binsPerDecibel = 2.0
    private static let binCount = 241

    private var counts = [UInt32](repeating: 0, count: binCount)
    private var sumOfSquares = 0.0
    private var slotCount = 0

    /// Takes a slot.
    mutating func take(_ level: SlotLevel, frames: Int) {
        sumOfSquares += level.sumOfSquares / Double(max(frames, 1))
        slotCount += 1
        guard slotCount == Self.slotsPerBlock else { return }
        let decibels = 10 * log10(sumOfSquares / Double(Self.slotsPerBlock))
        (slotCount, sumOfSquares) = (0, 0)
        // Digital silence is neither noise nor speech.
        guard decibels > -120 else { return }
        let bin = Int((min(decibels, 0) + 120) * Self.binsPerDecibel)
        counts[bin] &+= 1
    }

    /// The level in dBFS that is exceeded for this part of the time with sound; nil if there was none.
    func level(exceededFor part: Double) -> Double? {
        let total = counts.reduce(0) { $0 + Int($1) }
        guard total > 0 else { return nil }
        var rest = Int(Double(total) * (1 - part))
        for (bin, count) in counts.enumerated() {
            rest -= Int(count)
            if rest < 0 { return (Double(bin) + 0.5) / Self.binsPerDecibel - 120 }
        }
        return 0
    }
}

/// Tells a constant that was added to a channel from slow sound.
struct SteadyOffset {
    /// -56 dBFS. An edit of a recording with less makes no click that is heard.
    private static let least = 0.0016
    private static let fewestBlocks = 3

    private var sum = 0.0
    private var sumOfSquares = 0.0
    private var count = 0

    /// Takes the mean of a second.
    mutating func take(mean: Double) {
        sum += mean
        sumOfSquares += mean * mean
        count += 1
    }

    /// The offset; 1 is full scale. Nil if there is none to speak of, or if the means vary by as much, as they do in wind.
    var value: Double? {
        guard count >= Self.fewestBlocks else { return nil }
        let mean = sum / Double(count)
        let variance = max(sumOfSquares / Double(count) - mean * mean, 0)
        return abs(mean) >= Self.least && variance.squareRoot() < abs(mean) / 2 ? mean : nil
    }
}
