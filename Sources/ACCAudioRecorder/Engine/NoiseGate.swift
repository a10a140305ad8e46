/// Decides by the levels of consecutive windows of a source which of its frames are recorded.
///
/// Frames are counted from the first that was measured. The gate knows one passage at a time: the frames of a sound, with
/// the pre-roll before and the hold time after it. Its end moves on as long as the source sounds.
struct NoiseGate: Sendable {
    /// The state that one segment of a recording passes on to the next. The next source may have another rate.
    struct Carryover: Sendable {
        /// Whether frames are being recorded.
        var isOpen: Bool
        var noise: NoiseFloor?
        /// Whether the source has sounded.
        var hasSounded = false
    }

    /// The frames that are recorded; empty before the first sound. All before it are known, and none after it.
    private(set) var passage = 0..<0
    /// The first frame of its sound, or the frame at which the recording was started.
    private(set) var onset = 0
    /// Whether the source was silent for so long that the recording ends with the passage.
    private(set) var isOver = false

    /// The frame before which the recording ends; nil as long as it does not.
    var end: Int? { isOver ? soundEnd + silenceLimit : nil }

    private let activation: SoundActivation
    /// How far the closing level is below the opening level, in dB.
    private let hysteresis: Double
    /// The activation's lengths in frames.
    let preRoll: Int
    private let hold: Int
    private let silenceLimit: Int
    private let windowsPerSecond: Double
    /// Whether the source has sounded since the recording was started.
    private(set) var hasSounded: Bool
    private(set) var noise: NoiseFloor?
    /// The frame after the last that sounded.
    private var soundEnd = 0
    /// The frame after the last that was as loud as the source began.
    private var beginningEnd = 0

    /// Creates a gate that is closed, or open from its first frame on if the segment before was.
    init(_ activation: SoundActivation, sampleRate: Int, continuing earlier: Carryover? = nil) {
        func frames(_ time: Duration) -> Int { Int(min((time.seconds * Double(sampleRate)).rounded(), 0x1p53)) }
        self.activation = activation
        hysteresis = activation.openingLevel - (activation.closingLevel ?? activation.openingLevel - 6)
        preRoll = frames(activation.preRoll)
        silenceLimit = activation.silenceLimit.map(frames) ?? .max
        // Where pauses are recorded, the only passage ends with the recording.
        hold = min(activation.pauses == .keep ? .max : frames(activation.hold), silenceLimit)
        windowsPerSecond = Double(sampleRate) / Double(WindowMeter.windowFrames(atRate: sampleRate))
        hasSounded = earlier?.hasSounded ?? false
        if activation.levelAboveNoise != nil { noise = earlier?.noise ?? NoiseFloor() }
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
        if window.level >= openingLevel { hasSounded = true }
        if !hasSounded, let first = noise?.first {
            if window.level >= first - hysteresis { beginningEnd = window.frames.upperBound }
            // What the source began with was a sound if it proves to be above the noise.
            hasSounded = first >= openingLevel
            if hasSounded, isOpen { extend(from: passage.lowerBound, soundEnd: beginningEnd) }
        }
        if window.level >= (isOpen ? closingLevel : openingLevel) {
            if isOpen {
                extend(from: passage.lowerBound, soundEnd: window.frames.upperBound)
            } else {
                onset = window.frames.lowerBound
                extend(
                    from: max(onset - preRoll, passage.upperBound), soundEnd: window.frames.upperBound)
            }
        }
        isOver = !awaitsSound && window.frames.upperBound - soundEnd >= silenceLimit
    }

    /// Whether the silence does not count yet.
    private var awaitsSound: Bool { activation.limitAwaitsSound && !hasSounded }

    /// The levels in dBFS.
    private var openingLevel: Double {
        guard let noise, let distance = activation.levelAboveNoise else { return activation.openingLevel }
        return max(activation.openingLevel, noise.level + distance)
    }
    private var closingLevel: Double {
        guard let noise, let distance = activation.levelAboveNoise else { return openingLevel - hysteresis }
        // Noise alone keeps no gate open.
        return max(openingLevel - hysteresis, noise.level + distance / 2)
    }

    private mutating func extend(from start: Int, soundEnd: Int) {
        // The recording may have been started later than in this window.
        self.soundEnd = max(self.soundEnd, soundEnd)
        // Where pauses are recorded, so is the silence before the first sound.
        let hold = awaitsSound && activation.pauses == .keep ? .max : hold
        let (end, isEndless) = self.soundEnd.addingReportingOverflow(hold)
        passage = start..<(isEndless ? .max : end)
    }
}

/// The level of a source's noise: it follows falling levels within a fraction of a second, and rising ones slowly.
struct NoiseFloor: Sendable {
    /// In dBFS; -120 before the first window that counts.
    private(set) var level = Double(Decibels.floor)
    /// The level after the first half second: noise, unless the source proves to be quieter. Nil before.
    private(set) var first: Double?
    /// The power over some windows, so that a single quiet one does not count; nil before the first.
    private var power: Double?
    /// How long the source has been digitally silent, and how long it was heard before `first` is known, in seconds.
    private var silence = 0.0
    private var heard = 0.0

    /// By how much the level rises in a second, in dB.
    private static let rise = 0.25
    /// The weight of a window.
    private static let weight = 0.1
    /// How long digital silence lasts before it counts, in seconds: many sources begin with a little of it.
    private static let ignoredSilence = 0.5
    /// How long the source is heard until `first` is known, in seconds.
    private static let firstLength = 0.5

    /// Takes the level of the next window.
    mutating func process(_ window: Double, windowsPerSecond: Double) {
        guard window > Double(Decibels.floor) else {
            silence += 1 / windowsPerSecond
            if silence >= Self.ignoredSilence { (power, level) = (0, Double(Decibels.floor)) }
            return
        }
        silence = 0
        follow(window, windowsPerSecond: windowsPerSecond)
        heard += 1 / windowsPerSecond
        if first == nil, heard >= Self.firstLength { first = level }
    }

    /// Follows the level of a window that is not digitally silent.
    private mutating func follow(_ window: Double, windowsPerSecond: Double) {
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

/// Measures the level of a source in consecutive windows of 10 ms, for a noise gate.
struct WindowMeter: ~Copyable {
    /// The level of a window.
    struct Window: Equatable {
        /// Its frames, counted from the first that was measured.
        let frames: Range<Int>
        /// Its level in dBFS, at least -120.
        let level: Double
    }

    private let windowFrames: Int
    private let channelCount: Int
    private let channels: SoundActivation.Channels
    private var decoder: FragmentDecoder
    private var meter: LevelMeter
    /// The number of frames measured before the current window, and of those in it.
    private var framesBefore = 0
    private var framesInWindow = 0

    /// - Parameters:
    ///   - spec: The source's sample spec.
    ///   - selectedChannels: The channels to measure, counted from 1; empty for all.
    ///   - channels: How the level of a window is computed from those of its channels.
    init(_ spec: SampleSpec, selectedChannels: [Int], channels: SoundActivation.Channels) {
        windowFrames = Self.windowFrames(atRate: spec.rate)
        channelCount = selectedChannels.isEmpty ? spec.channels : selectedChannels.count
        self.channels = channels
        decoder = FragmentDecoder(spec, selectedChannels: selectedChannels)
        meter = LevelMeter(channelCount: channelCount, clipThreshold: .infinity)
    }

    /// The length of a window in frames.
    static func windowFrames(atRate sampleRate: Int) -> Int { max(sampleRate / 100, 1) }

    /// Measures frames of a fragment, and returns the windows that they complete.
    mutating func measure(_ frames: Range<Int>, of fragment: UnsafeRawBufferPointer) -> [Window] {
        var windows: [Window] = []
        var rest = frames
        while !rest.isEmpty {
            let block = decoder.decode(&rest, of: fragment)
            var first = 0
            while first < block.frameCount {
                let part = block.part(from: first, frames: windowFrames - framesInWindow)
                meter.measure(part)
                first += part.frameCount
                framesInWindow += part.frameCount
                if framesInWindow == windowFrames { windows.append(endWindow()) }
            }
        }
        return windows
    }

    private mutating func endWindow() -> Window {
        let levels = (0..<channelCount).map { meter.level(of: $0) }
        let level: Float
        switch channels {
        case .any: level = levels.map(\.rmsDecibels).max() ?? Decibels.floor
        case .all: level = levels.reduce(into: ChannelLevel()) { $0.add($1) }.rmsDecibels
        }
        defer {
            framesBefore += windowFrames
            framesInWindow = 0
            meter.reset()
        }
        return Window(frames: framesBefore..<framesBefore + windowFrames, level: Double(level))
    }
}
