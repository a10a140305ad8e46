/// Decides by the levels of consecutive windows of a source which of its frames are recorded.
///
/// Frames are counted from the first that was measured. The gate knows one passage at a time: the frames of a sound, with
/// the pre-roll before and the hold time after it. Its end moves on as long as the source sounds.
struct SoundGate: Sendable {
    /// What one segment of a recording passes on to the next, whose source may have another rate.
    struct Carryover: Sendable {
        /// Whether frames are being recorded.
        var isOpen: Bool
        var noise: NoiseFloor?
    }

    /// The frames that are recorded; empty before the first sound. All before it are known, and none after it.
    private(set) var passage = 0..<0
    /// The frame with which its sound began, or at which the recording was started.
    private(set) var onset = 0
    /// Whether the source was silent for so long that the recording ends with the passage.
    private(set) var isOver = false

    /// The frame before which the recording ends; nil as long as it does not.
    var end: Int? { isOver ? soundEnd + silenceLimit : nil }

    private let policy: SoundPolicy
    /// How far the closing level is below the opening level, in dB.
    private let hysteresis: Double
    /// The policy's lengths in frames.
    let preRoll: Int
    private let hold: Int
    private let silenceLimit: Int
    private let windowsPerSecond: Double
    private(set) var noise: NoiseFloor?
    /// The frame after the last that sounded.
    private var soundEnd = 0

    /// Creates a gate that is closed, or open from its first frame on if the segment before was.
    init(_ policy: SoundPolicy, sampleRate: Int, continuing earlier: Carryover? = nil) {
        func frames(_ seconds: Double) -> Int { Int(min((seconds * Double(sampleRate)).rounded(), 0x1p53)) }
        self.policy = policy
        hysteresis = policy.openingLevel - (policy.closingLevel ?? policy.openingLevel - 6)
        preRoll = frames(policy.preRoll)
        silenceLimit = policy.silenceLimit.map(frames) ?? .max
        // Where pauses are recorded, the only passage ends with the recording.
        hold = min(policy.pauses == .keep ? .max : frames(policy.hold), silenceLimit)
        windowsPerSecond = Double(sampleRate) / Double(WindowMeter.windowFrames(atRate: sampleRate))
        if policy.levelAboveNoise != nil { noise = earlier?.noise ?? NoiseFloor() }
        if earlier?.isOpen == true { open(at: 0) }
    }

    /// Opens the gate with the first frame, as if a sound began at this one: the recording was started there.
    mutating func open(at frame: Int) {
        extend(from: 0, soundEnd: frame)
        onset = frame
    }

    /// Takes the level of the next window.
    mutating func process(_ window: WindowMeter.Window) {
        guard !isOver else { return }
        noise?.process(window.level, windowsPerSecond: windowsPerSecond)
        let isOpen = passage.contains(window.frames.lowerBound)
        if window.level >= (isOpen ? closingLevel : openingLevel) {
            if isOpen {
                extend(from: passage.lowerBound, soundEnd: window.frames.upperBound)
            } else {
                onset = window.frames.lowerBound
                extend(
                    from: max(onset - preRoll, passage.upperBound), soundEnd: window.frames.upperBound)
            }
        }
        isOver = window.frames.upperBound - soundEnd >= silenceLimit
    }

    /// The levels in dBFS.
    private var openingLevel: Double {
        guard let noise, let distance = policy.levelAboveNoise else { return policy.openingLevel }
        return max(policy.openingLevel, noise.level + distance)
    }
    private var closingLevel: Double {
        guard let noise, let distance = policy.levelAboveNoise else { return openingLevel - hysteresis }
        // Noise alone keeps no gate open.
        return max(openingLevel - hysteresis, noise.level + distance / 2)
    }

    private mutating func extend(from start: Int, soundEnd: Int) {
        // The recording may have been started later than in this window.
        self.soundEnd = max(self.soundEnd, soundEnd)
        let (end, isEndless) = self.soundEnd.addingReportingOverflow(hold)
        passage = start..<(isEndless ? .max : end)
    }
}

/// The level of a source's noise: it follows falling levels within a fraction of a second, and rising ones slowly.
struct NoiseFloor: Sendable {
    /// In dBFS; -120 before the first window that is not digital silence.
    private(set) var level = Double(Decibels.floor)
    /// The power over some windows, so that a single quiet one does not count; nil before the first.
    private var power: Double?

    /// By how much the level rises in a second, in dB.
    private static let rise = 0.25
    /// The weight of a window.
    private static let weight = 0.1

    /// Takes the level of the next window. Digital silence is no noise: some sources begin with it.
    mutating func process(_ window: Double, windowsPerSecond: Double) {
        guard window > Double(Decibels.floor) else { return }
        let amplitude = Decibels.amplitude(Float(window))
        guard let before = power else {
            (power, level) = (amplitude * amplitude, window)
            return
        }
        let smooth = before + (amplitude * amplitude - before) * Self.weight
        power = smooth
        level = min(level + Self.rise / windowsPerSecond, Double(Decibels.fromAmplitude(smooth.squareRoot())))
    }
}
