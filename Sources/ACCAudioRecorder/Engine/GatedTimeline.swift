/// Holds back the intake's decisions until a noise gate knows which frames are recorded, and leaves out the others.
struct GatedTimeline {
    /// What to do next.
    enum Decision: Equatable {
        /// Record these frames of the fragment at this position of the ring; the first was captured at this time, in
        /// CLOCK_MONOTONIC nanoseconds.
        case record(Range<Int>, position: Int, hostTime: UInt64)
        /// Record a gap in the source.
        case gap(seconds: Double, RecordingGap.Cause)
        /// Report that one of several streams lacks this many frames before the next frame.
        case partMissing(frames: Int, tag: Int = 0)
        /// A pause begins: nothing is recorded until `begin`.
        case pause
        /// A passage begins, after this many frames were left out. Its sound begins with the frame of this number, counted
        /// from the next one to be recorded, which was captured at this time.
        case begin(leftOut: Int, onset: Int, hostTime: UInt64)
        /// The recording ends here.
        case end
    }

    /// Frames that one of several streams lacks.
    struct MissingPart: Equatable {
        let frames: Int
        var tag = 0
    }

    /// What is not decided yet.
    private enum Held {
        case frames(Range<Int>, position: Int, hostTime: UInt64)
        case gap(seconds: Double, RecordingGap.Cause)
    }

    private var gate: NoiseGate
    private let sampleRate: Double
    private var held: ArraySlice<Held> = []
    private var decisions: ArraySlice<Decision> = []
    /// The numbers of frames that a stream lacks, each with the number of the frame after them, in ascending order.
    private var missingParts: [(part: MissingPart, end: Int)] = []
    /// The number of the first frame that is held, and of the next one to come.
    private var firstHeld = 0
    private var nextFrame = 0
    /// When the next frame was captured, if it directly follows the previous one.
    private var nextTime: UInt64 = 0
    /// Whether frames are being recorded.
    private var isOpen: Bool
    /// The number of frames left out since the last one recorded.
    private var leftOut = 0
    private var hasEnded = false

    /// - Parameters:
    ///   - isOpen: Whether frames are being recorded, which the next ones continue.
    init(_ gate: NoiseGate, sampleRate: Int, isOpen: Bool) {
        self.gate = gate
        self.isOpen = isOpen
        self.sampleRate = Double(sampleRate)
    }

    /// Appends a gap in the source.
    mutating func append(gap seconds: Double, _ cause: RecordingGap.Cause) {
        held.append(.gap(seconds: seconds, cause))
    }

    /// Appends that one of several streams lacks frames.
    ///
    /// - Parameter end: Its next frame, counted from the next one to come.
    mutating func append(_ part: MissingPart, end: Int) {
        let end = nextFrame + end
        missingParts.insert((part, end), at: missingParts.firstIndex { $0.end > end } ?? missingParts.endIndex)
    }

    /// Appends frames of the fragment at this position of the ring. Those of the gate's passage are recorded at once.
    ///
    /// - Parameter hostTime: When the first was captured; nil if they directly follow the previous ones.
    mutating func append(_ frames: Range<Int>, position: Int, hostTime: UInt64?) {
        guard !frames.isEmpty else { return }
        let time = hostTime ?? nextTime
        held.append(.frames(frames, position: position, hostTime: time))
        nextFrame += frames.count
        nextTime = time + nanoseconds(frames.count)
    }

    /// Takes the level of the next window. Its frames were appended before.
    mutating func process(_ window: WindowMeter.Window) {
        gate.process(window)
        settle(measured: window.frames.upperBound)
    }

    /// The next decision; nil if more audio is needed.
    mutating func next() -> Decision? {
        if decisions.isEmpty { settle(measured: 0) }
        return decisions.popFirst()
    }

    /// What the next segment continues with.
    var carryover: NoiseGate.Carryover { .init(isOpen: isOpen, noise: gate.noise, hasSounded: gate.hasSounded) }

    /// At the end of a segment, the missing parts of streams that begin before the first undecided frame.
    var unfinishedParts: [MissingPart] {
        missingParts.filter { $0.end - $0.part.frames < firstHeld }.map(\.part)
    }

    /// Leaves out what is still held, at the end of a segment.
    ///
    /// - Returns: The number of frames left out since the last one recorded.
    mutating func finish() -> Int {
        defer { leftOut = 0 }
        // What follows the end of the recording is not left out of it.
        let end = min(gate.end ?? nextFrame, nextFrame)
        return leftOut + max(end - firstHeld, 0)
    }

    /// Decides what can be decided.
    ///
    /// - Parameter frame: The number of frames whose levels are known.
    private mutating func settle(measured frame: Int) {
        while let next = held.first {
            while let part = missingParts.first, part.end <= firstHeld {
                missingParts.removeFirst()
                decisions.append(.partMissing(frames: part.part.frames, tag: part.part.tag))
            }
            guard case .frames(let frames, let position, let hostTime) = next else {
                guard case .gap(let seconds, let cause) = next else { return }
                // A gap belongs to the frames before it.
                held.removeFirst()
                decisions.append(.gap(seconds: seconds, cause))
                continue
            }
            let passage = gate.passage
            let isRecorded = passage.contains(firstHeld)
            let end =
                isRecorded
                ? passage.upperBound : firstHeld < passage.lowerBound ? passage.lowerBound : frame - gate.preRoll
            let untilPartEnds = missingParts.first.map { $0.end - firstHeld } ?? .max
            let count = min(end - firstHeld, frames.count, untilPartEnds)
            if gate.isOver, firstHeld >= passage.upperBound {
                if !hasEnded { decisions.append(.end) }
                hasEnded = true
                return
            }
            guard count > 0 else { return }
            if isRecorded {
                open(at: firstHeld, hostTime)
                decisions.append(.record(frames.prefix(count), position: position, hostTime: hostTime))
            } else {
                close()
                leftOut += count
            }
            firstHeld += count
            if count == frames.count {
                held.removeFirst()
            } else {
                held[held.startIndex] = .frames(
                    frames.dropFirst(count), position: position, hostTime: hostTime + nanoseconds(count))
            }
        }
    }

    private mutating func open(at frame: Int, _ hostTime: UInt64) {
        guard !isOpen else { return }
        isOpen = true
        decisions.append(.begin(leftOut: leftOut, onset: gate.onset - frame, hostTime: hostTime))
        leftOut = 0
    }

    private mutating func close() {
        guard isOpen else { return }
        isOpen = false
        decisions.append(.pause)
    }

    private func nanoseconds(_ frames: Int) -> UInt64 {
        UInt64(Double(frames) * 1e9 / sampleRate)
    }
}

extension GatedTimeline {
    /// A gated timeline with the meter of its levels.
    struct Measured: ~Copyable {
        private var timeline: GatedTimeline
        private var meter: WindowMeter

        /// - Parameters:
        ///   - spec: The source's sample spec.
        ///   - selectedChannels: The channels to measure, counted from 1; empty for all.
        init(
            _ gate: NoiseGate, _ channels: SoundActivation.Channels, of spec: SampleSpec, selectedChannels: [Int],
            isOpen: Bool
        ) {
            timeline = GatedTimeline(gate, sampleRate: spec.rate, isOpen: isOpen)
            meter = WindowMeter(spec, selectedChannels: selectedChannels, channels: channels)
        }

        /// Appends a gap in the source.
        mutating func append(gap seconds: Double, _ cause: RecordingGap.Cause) {
            timeline.append(gap: seconds, cause)
        }

        /// Appends that one of several streams lacks frames.
        ///
        /// - Parameter end: Its next frame, counted from the next one to come.
        mutating func append(_ part: MissingPart, end: Int) {
            timeline.append(part, end: end)
        }

        /// Appends and measures frames of the fragment at this position of the ring.
        ///
        /// - Parameter hostTime: When the first was captured; nil if they directly follow the previous ones.
        mutating func append(
            _ frames: Range<Int>, of fragment: UnsafeRawBufferPointer, position: Int, hostTime: UInt64?
        ) {
            timeline.append(frames, position: position, hostTime: hostTime)
            for window in meter.measure(frames, of: fragment) { timeline.process(window) }
        }

        /// The next decision; nil if more audio is needed.
        mutating func next() -> Decision? { timeline.next() }

        /// What the next segment continues with.
        var carryover: NoiseGate.Carryover { timeline.carryover }

        /// At the end of a segment, the missing parts of streams that begin before the first undecided frame.
        var unfinishedParts: [MissingPart] { timeline.unfinishedParts }

        /// Leaves out what is still held, and returns the number of frames left out since the last one recorded.
        mutating func finish() -> Int { timeline.finish() }
    }
}
