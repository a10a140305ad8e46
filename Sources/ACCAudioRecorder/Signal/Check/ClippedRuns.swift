/// Tells which runs of equal samples are clipped peaks.
///
/// A wave that is clipped arrives at its highest value with a slope and leaves it with one: the samples beside the run are
/// lower by more than the rounding of a smooth peak explains, which is one or two steps of the word length. A single sample
/// at full scale, or two, are a peak that just fits.
struct ClippedRuns {
    /// The most steps of the word length between the samples of a smooth peak, with a margin.
    private static let smoothSteps: Float = 4
    /// As many runs at the very highest value as chance does not make.
    private static let fewestFlattened = 3
    /// A plateau below is not looked for: -26 dBFS. The resolution of 16 bits makes plateaus of quiet peaks.
    private static let lowestPlateau: Float = 0.05
    /// How far values may differ that a change of gain has rounded.
    private static let tolerance: Float = 1.0001

    /// The highest magnitude at which a channel had runs.
    private struct Plateau {
        var level: Float = 0
        var count = 0
        var frames = 0..<0
    }

    private let clipThreshold: Float
    private let smoothStep: Float
    private var clipped: Episode
    /// One for each channel.
    private var plateaus: [Plateau]

    /// - Parameters:
    ///   - clipThreshold: The magnitude of full scale.
    ///   - bits: The word length of the samples.
    ///   - second: One second in frames.
    init(channelCount: Int, clipThreshold: Float, bits: Int, second: Int) {
        self.clipThreshold = clipThreshold
        smoothStep = Self.smoothSteps * Float(sign: .plus, exponent: 1 - bits, significand: 1)
        clipped = Episode(.clipped, patience: second)
        plateaus = Array(repeating: Plateau(), count: channelCount)
    }

    /// Examines a run.
    ///
    /// - Parameters:
    ///   - before: The sample before the run.
    ///   - after: The sample behind it.
    mutating func examine(
        _ run: FlatRun, channel: Int, before: Float, after: Float, list: inout FindingList
    ) {
        let magnitude = abs(run.value)
        let slope = run.value < 0 ? before + after - 2 * run.value : 2 * run.value - before - after
        let isPeak = run.value < 0 ? min(before, after) > run.value : max(before, after) < run.value
        guard magnitude >= Self.lowestPlateau, isPeak, slope > 2 * smoothStep else { return }
        if magnitude >= clipThreshold, magnitude <= 1 {
            clipped.add(run.frames, channel: channel, value: Double(run.frames.count), isSum: true, to: &list)
        } else {
            add(run, to: channel)
        }
    }

    private mutating func add(_ run: FlatRun, to index: Int) {
        let level = abs(run.value)
        if level > plateaus[index].level * Self.tolerance {
            plateaus[index] = Plateau(level: level, count: 1, frames: run.frames)
        } else if level * Self.tolerance >= plateaus[index].level {
            plateaus[index].count += 1
            plateaus[index].frames = plateaus[index].frames.lowerBound..<run.frames.upperBound
        }
    }

    /// Gives what is complete by a frame.
    mutating func close(before frame: Int, list: inout FindingList) {
        clipped.close(before: frame, to: &list)
    }

    /// Gives the rest.
    ///
    /// - Parameter levels: The levels of the channels over the whole signal.
    mutating func finish(levels: [SlotLevel], list: inout FindingList) {
        clipped.finish(to: &list)
        for (channel, plateau) in plateaus.enumerated()
        where plateau.count >= Self.fewestFlattened && plateau.level * Self.tolerance >= levels[channel].peak {
            list.add(
                SignalFinding(
                    .flattened, channels: [channel + 1], frames: plateau.frames, count: plateau.count,
                    value: Double(Decibels.fromAmplitude(Double(plateau.level)))))
        }
    }
}
