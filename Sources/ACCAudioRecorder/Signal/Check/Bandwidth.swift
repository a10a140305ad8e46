import Glibc

/// Finds up to which frequency a channel has sound, and a source that delivers less than its rate promises.
///
/// A speech codec of 8 or 16 kHz has a wall at 4 or 8 kHz: just below there is sound, and above there is nothing, up to half the
/// sample rate. Natural spectra fall slowly, a voice's by 12 dB an octave, and a microphone's noise does not fall at all. So the
/// wall is sought in what is least in each band, which is that noise between the harmonics of tones.
struct Bandwidth {
    /// The width of a band in hertz.
    private static let bandWidth = 250.0
    /// Walls are sought here, in hertz: those of telephones (3.4 kHz), and of codecs at 8 and 16 kHz.
    private static let walls = 3_000.0...8_250.0
    /// How high a wall is, in dB, between the middle of the octave below it and whatever is above. That is half an octave or more,
    /// over which spectra that fall by 36 dB an octave are 20 dB lower.
    private static let leastWall = 26.0
    /// How far the octave below a wall may lie beneath the loudest band, in dB. Speech falls by 50 dB; around a tone alone, there is
    /// nothing but what a spectrum makes of it.
    private static let largestFall = 70.0
    /// What is above begins here, as a part of the wall's frequency: resamplers have slopes.
    private static let slope = 1.15
    /// Walls are below this part of half the sample rate. Above it are those of resamplers, also of this program's: the usual one
    /// begins to fall at 0.9 of it, and noise has a wall where the octave that ends there is compared with what is above.
    private static let highestWall = 0.7
    /// Fewer spectra tell nothing.
    private static let fewestSpectra = 8
    /// Spectra without a band of this power have no sound: -70 dBFS.
    private static let lowestPower: Float = 1e-7
    /// What lies above the bandwidth has less than this part of the power: -60 dB.
    private static let rest: Float = 1e-6

    private let sampleRate: Int
    private let bandCount: Int
    private let binsPerBand: Double
    /// The sum of the powers in each band, one channel after another.
    private var powers: [Float]
    /// The sum of the least power in each band, likewise.
    private var floors: [Float]
    private var spectrumCounts: [Int]

    /// - Parameter sampleRate: In hertz.
    init(sampleRate: Int, channelCount: Int) {
        self.sampleRate = sampleRate
        bandCount = max(Int(Double(sampleRate) / 2 / Self.bandWidth), 1)
        binsPerBand = Double(SlotLengths.spectrumSamples) * Self.bandWidth / Double(sampleRate)
        powers = Array(repeating: 0, count: bandCount * channelCount)
        floors = powers
        spectrumCounts = Array(repeating: 0, count: channelCount)
    }

    /// Adds the spectrum of a channel, if that has sound.
    mutating func add(_ spectrum: borrowing PowerSpectrum, channel: Int) {
        // Without what lies below 100 Hz, where offsets, wind and hum are.
        let first = max(Int(100 * Double(spectrum.length) / Double(sampleRate)), 1)
        var highest: Float = 0
        for bin in first..<spectrum.powers.count { highest = max(highest, spectrum.powers[bin]) }
        guard highest >= Self.lowestPower else { return }
        spectrumCounts[channel] += 1
        for band in 0..<bandCount {
            let start = max(Int(Double(band) * binsPerBand), first)
            let end = min(max(Int(Double(band + 1) * binsPerBand), start + 1), spectrum.powers.count)
            var (sum, least) = (Float(0), Float.infinity)
            for bin in start..<max(end, start) {
                sum += spectrum.powers[bin]
                least = min(least, spectrum.powers[bin])
            }
            powers[channel * bandCount + band] += sum
            floors[channel * bandCount + band] += least
        }
    }

    /// The frequency in hertz up to which a channel has all but a millionth of its power; nil if that is not known yet.
    func highestFrequency(of channel: Int) -> Double? {
        guard spectrumCounts[channel] >= Self.fewestSpectra else { return nil }
        let bands = powers[channel * bandCount..<(channel + 1) * bandCount]
        let least = bands.reduce(0, +) * Self.rest
        var sum: Float = 0
        for (index, power) in bands.reversed().enumerated() {
            sum += power
            if sum > least { return Double(bandCount - index) * Self.bandWidth }
        }
        return nil
    }

    /// Where a channel has a wall, in hertz; nil if it has none, or that is not known yet.
    func wall(of channel: Int) -> Double? {
        guard spectrumCounts[channel] >= Self.fewestSpectra else { return nil }
        let levels = floors[channel * bandCount..<(channel + 1) * bandCount].map { 10 * log10(Double(max($0, 1e-20))) }
        let loudest = powers[channel * bandCount..<(channel + 1) * bandCount].max() ?? 0
        let lowest = 10 * log10(Double(max(loudest, 1e-20))) - Self.largestFall
        let half = Double(sampleRate) / 2
        for band in 1..<bandCount {
            let frequency = Double(band + 1) * Self.bandWidth
            let above = Int((frequency * Self.slope / Self.bandWidth).rounded(.up)) + 1
            guard Self.walls.contains(frequency), frequency <= Self.highestWall * half, above < bandCount else {
                continue
            }
            let below = levels[band / 2..<band].sorted()[(band - band / 2) / 2]
            if below >= lowest, below - (levels[above...].max() ?? below) >= Self.leastWall { return frequency }
        }
        return nil
    }
}
