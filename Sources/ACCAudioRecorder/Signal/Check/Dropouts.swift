/// Tells which runs of equal samples are audio that was lost, and were filled with zeros or with the last sample.
///
/// Sound is right before and right after such a run. A signal that is silent when nothing sounds, such as that of a speech
/// synthesiser or behind a gate, has pauses of zeros, before or behind most of which sound fades. What a microphone hears has
/// none. So abrupt runs of zeros are dropouts where they are more than twice as many as pauses.
struct Dropouts {
    /// How long before and after a run the level is measured: 5 ms.
    private static let context = 0.005
    /// The length of the shortest run: 0.5 ms.
    private static let shortest = 0.0005
    /// Whether sound fades is told by this much beside the run: eight samples at 48 kHz.
    private static let edge = 1.0 / 6_000
    /// The lowest level of sound beside a run: -60 dBFS. With less, what is missing is not heard.
    private static let lowestLevel: Float = 0.001
    /// The least that the highest sample beside the run may be, as a part of the level around. A wave of 150 Hz that is cut where it
    /// is zero has that, but the sound of a synthesiser that begins after a pause, and was resampled, has a tenth.
    private static let fade: Float = 0.2
    /// A held sample is followed by a step of at least this many times the usual difference between samples, unless it is held
    /// for 2 ms.
    private static let heldStep: Float = 4
    private static let longHold = 0.002
    /// The lowest value that is taken as a held sample. Less is a zero with an offset.
    private static let leastHeld: Float = 0.0003

    /// The level beside a run: the root mean square of 5 ms, and the highest sample next to it.
    private struct Level {
        var around: Float = 0
        var edge: Float = 0
        /// The last sample before the run.
        var last: Float = 0

        var isSound: Bool { around >= Dropouts.lowestLevel && edge >= Dropouts.fade * around }
    }

    /// A run that may be a dropout.
    private struct Candidate {
        var run: FlatRun
        let before: Level
    }

    private let contextFrames: Int
    private let edgeFrames: Int
    private let longHoldFrames: Int
    /// The length of the shortest dropout in frames.
    private let fewestFrames: Int
    private let mostFrames: Int
    private var dropouts: Episode
    /// The level before the run that is open on a channel, and the frame where that begins.
    private var before: [(start: Int, level: Level)]
    private var candidates: [Candidate?]
    /// How many runs of zeros were abrupt on both sides, and how many were not, on each channel.
    private var abruptCounts: [Int]
    private var pauseCounts: [Int]

    /// - Parameters:
    ///   - second: One second in frames.
    ///   - mostFrames: The length from which on a run is silence.
    init(channelCount: Int, second: Int, mostFrames: Int) {
        contextFrames = max(Int(Double(second) * Self.context), 8)
        edgeFrames = max(Int(Double(second) * Self.edge), 3)
        longHoldFrames = Int(Double(second) * Self.longHold)
        fewestFrames = max(Int(Double(second) * Self.shortest), 12)
        self.mostFrames = mostFrames
        dropouts = Episode(.dropout, patience: second)
        before = Array(repeating: (-1, Level()), count: channelCount)
        candidates = Array(repeating: nil, count: channelCount)
        abruptCounts = Array(repeating: 0, count: channelCount)
        pauseCounts = abruptCounts
    }

    /// Notes the level before a run as long as that can be read.
    ///
    /// - Parameters:
    ///   - start: Where the run begins.
    ///   - index: The same as an index of the samples.
    mutating func noteStart(_ start: Int, channel: Int, samples: UnsafePointer<Float>, index: Int, history: Int) {
        guard before[channel].start != start else { return }
        let room = index + history
        let level =
            room < contextFrames || start < contextFrames
            ? Level()
            : Level(
                around: Self.level(samples + (index - contextFrames), contextFrames),
                edge: Self.peak(samples + (index - edgeFrames), edgeFrames), last: samples[index - 1])
        before[channel] = (start, level)
    }

    /// Takes a run that has ended, whose start was noted.
    mutating func take(_ run: FlatRun, channel: Int) {
        guard before[channel].start == run.frames.lowerBound, run.frames.count >= fewestFrames,
            run.frames.count < mostFrames
        else { return }
        candidates[channel] = Candidate(run: run, before: before[channel].level)
    }

    /// Decides about the run that has ended on a channel, once 5 ms behind it are known.
    ///
    /// - Parameter start: The frame of the first sample.
    mutating func decide(
        channel: Int, samples: UnsafePointer<Float>, from start: Int, count: Int, history: Int, list: inout FindingList
    ) {
        guard let candidate = candidates[channel] else { return }
        let index = candidate.run.frames.upperBound - start
        guard index + contextFrames <= count else { return }
        candidates[channel] = nil
        guard index - 2 >= -history else { return }
        let after = Level(
            around: Self.level(samples + index, contextFrames), edge: Self.peak(samples + index, edgeFrames))
        let isLost =
            abs(candidate.run.value) < Self.leastHeld
            ? isAbrupt(candidate.before, after, channel: channel)
            : candidate.before.around >= Self.lowestLevel && after.around >= Self.lowestLevel
                && isHeld(candidate, samples + index)
        guard isLost else { return }
        dropouts.add(
            candidate.run.frames, channel: channel, value: Double(candidate.run.frames.count), isSum: true, to: &list)
    }

    /// Forgets the signal before, which does not continue.
    mutating func restart() {
        for channel in candidates.indices {
            candidates[channel] = nil
            before[channel].start = -1
        }
    }

    /// Gives what is complete by a frame.
    mutating func close(before frame: Int, list: inout FindingList) { dropouts.close(before: frame, to: &list) }

    /// Gives the rest.
    mutating func finish(list: inout FindingList) { dropouts.finish(to: &list) }

    /// Whether a run of zeros between two levels is lost audio rather than a pause.
    private mutating func isAbrupt(_ before: Level, _ after: Level, channel: Int) -> Bool {
        guard before.isSound, after.isSound else {
            pauseCounts[channel] += 1
            return false
        }
        abruptCounts[channel] += 1
        return abruptCounts[channel] > 2 * pauseCounts[channel]
    }

    /// Whether a run is a sample that was held rather than a peak that was clipped, which arrives and leaves on the same side, and is
    /// shorter than 5 ms.
    ///
    /// - Parameter behind: The samples behind the run.
    private func isHeld(_ candidate: Candidate, _ behind: UnsafePointer<Float>) -> Bool {
        let (value, before, after) = (candidate.run.value, candidate.before.last, behind[0])
        let isPeak = value < 0 ? min(before, after) > value : max(before, after) < value
        guard !isPeak || candidate.run.frames.count >= contextFrames else { return false }
        if candidate.run.frames.count >= longHoldFrames { return true }
        var sum: Float = 0
        for index in 1..<contextFrames {
            let difference = behind[index] - behind[index - 1]
            sum += difference * difference
        }
        return abs(after - value) > Self.heldStep * (sum / Float(contextFrames)).squareRoot()
    }

    private static func peak(_ samples: UnsafePointer<Float>, _ count: Int) -> Float {
        (0..<count).reduce(0) { max($0, abs(samples[$1])) }
    }

    private static func level(_ samples: UnsafePointer<Float>, _ count: Int) -> Float {
        var sum: Float = 0
        for index in 0..<count { sum += samples[index] * samples[index] }
        return (sum / Float(max(count, 1))).squareRoot()
    }
}
