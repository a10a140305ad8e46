import Glibc

/// Finds hum of the mains: 50 or 60 Hz and multiples, all the time.
///
/// The signal is taken down to 1,200 Hz, of which a spectrum resolves 0.3 Hz. The mains keep their frequency to 0.4 %; the tones of
/// the scale next to their multiples are at least 2 % away.
struct Hum {
    /// The mains' frequencies, in hertz.
    private static let mains = [50.0, 60.0]
    private static let multiples = 6
    /// Hum has the mains' frequency or its double, whatever else it has.
    private static let lowestMultiples = 2
    /// How far the frequency may be off, as a part of it.
    private static let deviation = 0.004
    /// The power of a line over the mean around it: 8 dB. In noise, one of a hundred lines is that high, but not the same one most
    /// of the time.
    private static let leastRatio: Float = 6.3
    /// How many of the spectra must have the line.
    private static let leastPart = 0.75
    /// 7 seconds.
    private static let fewestSpectra = 3
    /// Less is not heard beside anything else: -70 dBFS.
    private static let lowestLevel = -70.0
    /// Lines below, -90 dBFS, are what rounding makes around a tone that nothing is beside.
    private static let lowestLine: Float = 1e-9
    /// Spectra without this much power, -100 dBFS, are of silence.
    private static let lowestPower: Float = 1e-10

    /// What was seen of one line.
    private struct Line {
        var count = 0
        var power = 0.0
    }

    private struct Channel {
        var samples = [Float](repeating: 0, count: SlotLengths.spectrumSamples)
        var count = 0
        var risingSum: Float = 0
        var spectrumCount = 0
        var lines = [Line](repeating: Line(), count: mains.count * multiples)
    }

    /// The rate of the samples in hertz.
    private let rate: Double
    private let partFrames: Int
    private var channels: [Channel]

    /// - Parameter sampleRate: In hertz.
    init(sampleRate: Int, channelCount: Int, partFrames: Int) {
        self.partFrames = partFrames
        rate = Double(sampleRate) / Double(partFrames)
        channels = Array(repeating: Channel(), count: channelCount)
    }

    /// Takes the parts of a slot of a channel.
    mutating func take(_ parts: ArraySlice<PartLevel>, channel: Int, spectrum: borrowing PowerSpectrum) {
        for part in parts {
            // A triangle over two parts keeps off what would fold down here.
            let sum = channels[channel].risingSum + part.sum - part.risingSum
            channels[channel].risingSum = part.risingSum
            channels[channel].samples[channels[channel].count] = sum / Float(partFrames)
            channels[channel].count += 1
            if channels[channel].count == spectrum.length { analyse(channel, spectrum) }
        }
    }

    private mutating func analyse(_ channel: Int, _ spectrum: borrowing PowerSpectrum) {
        channels[channel].samples.withUnsafeBufferPointer { spectrum.analyse($0.baseAddress!) }
        let half = spectrum.length / 2
        channels[channel].samples.withUnsafeMutableBufferPointer { samples in
            for index in 0..<half { samples[index] = samples[half + index] }
        }
        channels[channel].count = half
        var total: Float = 0
        for bin in 8..<spectrum.powers.count { total += spectrum.powers[bin] }
        guard total >= Self.lowestPower else { return }
        channels[channel].spectrumCount += 1
        for (index, frequency) in Self.frequencies.enumerated() {
            guard let power = line(at: frequency, spectrum) else { continue }
            channels[channel].lines[index].count += 1
            channels[channel].lines[index].power += Double(power)
        }
    }

    /// All multiples of the mains' frequencies.
    private static let frequencies = mains.flatMap { main in (1...multiples).map { main * Double($0) } }

    /// The power of the line at a frequency; nil if there is none.
    private func line(at frequency: Double, _ spectrum: borrowing PowerSpectrum) -> Float? {
        let binsPerHertz = Double(spectrum.length) / rate
        let bin = { (frequency: Double) in Int((frequency * binsPerHertz).rounded()) }
        let near = bin(frequency * (1 - Self.deviation)) - 1...bin(frequency * (1 + Self.deviation)) + 1
        let around = bin(frequency - 6)...bin(frequency + 6)
        guard around.lowerBound > 0, around.upperBound < spectrum.powers.count else { return nil }
        var (highest, sum, count): (Float, Float, Float) = (0, 0, 0)
        for bin in around {
            let power = spectrum.powers[bin]
            if near.contains(bin) {
                highest = max(highest, power)
            } else if bin < near.lowerBound - 2 || bin > near.upperBound + 2 {
                sum += power
                count += 1
            }
        }
        return highest >= Self.lowestLine && highest > Self.leastRatio * sum / max(count, 1) ? highest : nil
    }

    /// The hum of a channel: its frequency in hertz and its level in dBFS; nil if there is none, or that is not known yet.
    func hum(of channel: Int) -> (frequency: Double, level: Double)? {
        let seen = channels[channel]
        guard seen.spectrumCount >= Self.fewestSpectra else { return nil }
        let found = Self.mains.indices.map { index -> (frequency: Double, power: Double) in
            let lines = seen.lines[index * Self.multiples..<(index + 1) * Self.multiples]
            let isSteady = { (line: Line) in Double(line.count) >= Self.leastPart * Double(seen.spectrumCount) }
            // A tone far above, such as one of 1 kHz, folds down to one of the higher multiples alone.
            guard lines.prefix(Self.lowestMultiples).contains(where: isSteady) else { return (Self.mains[index], 0) }
            let power = lines.filter(isSteady).reduce(0) { $0 + $1.power / Double($1.count) }
            return (Self.mains[index], power)
        }
        guard let strongest = found.max(by: { $0.power < $1.power }), strongest.power > 0 else { return nil }
        let level = 10 * log10(strongest.power)
        return level >= Self.lowestLevel ? (strongest.frequency, level) : nil
    }
}
