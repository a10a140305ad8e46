/// Makes one stream of several lanes, in the format of its ring, which the engine records as if it came from one source.
///
/// It begins when the lanes are placed, or some seconds later without those that are not, with the first frame of whichever lane
/// was first; until then everything waits in the rings of the inputs. Then each lane delivers until all are equally far, or
/// those that are behind are late: see `Timeline`. A lane that delivers nothing is silent, and what was missing of it is told
/// when it goes on. While all are away, the stream is suspended.
///
/// The stamps of the stream are exact: its frames arrive as they were captured, by the reference's clock.
///
/// Used by one thread at a time.
final class LaneMixer {
    /// How long frames wait for lanes that are behind, in seconds: as long as the fragments of a busy machine are late.
    private static let holdBack = 0.5
    /// How long the beginning waits for a lane that has not delivered yet, and for those that are not placed yet, in seconds.
    private static let (longestAwaiting, longestPlacing) = (4.5, 7.5)
    /// By how much one lane may begin before another, in seconds: what a ring keeps at most. A faulty server may state any time.
    private static let longestLead = 600.0
    /// How much of a ring may be full before its items are decided at once. What does not fit waits with libpulse.
    private static let fullestRing = 0.95
    /// How long what has arrived stays in its ring while another lane is behind, in nanoseconds. Then it is taken, and the timeline
    /// holds it back.
    private static let longestHold: UInt64 = 2_000_000_000
    /// How often lanes are compared before the beginning, in nanoseconds.
    private static let comparisonInterval: UInt64 = 100_000_000

    var lanes: [Lane]
    let spec: SampleSpec
    var timeline: Timeline
    private let mixdown: Mixdown
    var writer: FragmentWriter
    /// The lanes that join and leave; nil if they are always the same.
    var group: Group?
    /// The lanes that were told to be silent, each with the number of frames that came too late when it returned.
    private var absent: [Int: Int] = [:]
    /// By how much lanes are placed later than others at most, in seconds.
    private let spread: Double
    /// How much room a call of `run` needs, in bytes.
    private let neededRoom: Int
    /// The samples of a block as integers, left-justified.
    private let words: UnsafeMutableBufferPointer<Int32>
    private var dither = Quantizer.Dither()
    /// Nil before the beginning.
    var reference: Lane?
    private var clock = RunningClock()
    /// When the first call of `run` was, and when the lanes were last compared before the beginning, by the clock.
    private var beginTime: UInt64?
    private var comparisonTime: UInt64 = 0
    /// The first place since the beginning, or since all lanes were away, and when it was captured; nil while they are.
    var start: (position: Int, hostTime: UInt64)?
    private var hasBegun = false
    var isSuspended = false
    /// When something was last written, by the clock.
    private var writeTime: UInt64 = 0
    /// Whether no lane gets another input.
    private(set) var isEnding = false
    /// Whether the stream's stop is reached.
    var isComplete = false

    /// Nil if the lanes do not fit the layout.
    ///
    /// - Parameters:
    ///   - lanes: None for a group, which they join later.
    ///   - gains: By what the samples of each lane are multiplied; empty for none.
    ///   - spec: The stream's: the recording's rate, the layout's channels, and a format that `SampleFormat.forMixing` returns.
    ///   - writer: Has the ring of the stream.
    init?(
        _ lanes: [Lane], _ layout: Mixdown.Layout, gains: [Float] = [], as spec: SampleSpec,
        writer: consuming FragmentWriter
    ) {
        let maximumFrames = FragmentDecoder.maximumSamples
        let channelCounts = lanes.map(\.channelCount)
        group = lanes.isEmpty ? Group() : nil
        guard
            let mixdown = Mixdown(
                layout, of: lanes.isEmpty ? [spec.channels] : channelCounts, gains: gains,
                maximumFrames: maximumFrames)
        else { return nil }
        self.lanes = lanes
        self.spec = spec
        self.mixdown = mixdown
        self.writer = writer
        words = .allocate(capacity: maximumFrames * spec.channels)
        words.initialize(repeating: 0)
        let delays = lanes.map(\.delay)
        spread = (delays.max() ?? 0) - (delays.min() ?? 0)
        timeline = Timeline(
            sampleRate: spec.rate, holdBack: Self.holdBack, spread: spread, maximumFrames: maximumFrames)
        for count in channelCounts {
            let lane = timeline.addLane(channelCount: count)
            timeline.set(.notAtAll, forLane: lane)
        }
        neededRoom = (Int((Self.holdBack + spread) * spec.sampleRate) + 2 * maximumFrames) * spec.bytesPerFrame
    }

    deinit {
        words.deallocate()
    }

    /// Delivers frames captured from this time on, in CLOCK_MONOTONIC nanoseconds.
    func begin(at hostTime: UInt64) { writer.startTime = hostTime }

    /// Lets the stream end with the frames captured until this time, in CLOCK_MONOTONIC nanoseconds, and everything be decided that
    /// has arrived.
    func end(at hostTime: UInt64) {
        writer.stopTime = hostTime
        isEnding = true
    }

    /// Whether it has begun to mix, and has not ended that.
    var isMixing: Bool { reference != nil }

    /// Whether everything was taken that the inputs deliver.
    var hasEnded: Bool { lanes.allSatisfy { $0.ring == nil } }

    /// Passes everything on, and closes the ring.
    func close(_ end: CaptureEnd) throws(ACCAudioRecorderError) {
        timeline.end()
        defer { writer.close(end) }
        try passOn()
    }

    /// Takes what the inputs have delivered, as far as there is room for it.
    ///
    /// - Parameters:
    ///   - now: In CLOCK_MONOTONIC nanoseconds.
    ///   - hasWaited: See `RunningClock`.
    /// - Returns: Whether something was taken.
    func run(at now: UInt64, hasWaited: Bool = false) throws(ACCAudioRecorderError) -> Bool {
        let runningTime = clock.time(at: now, hasWaited: hasWaited)
        var hasTaken = false
        if group != nil { hasTaken = try arrangeGroup() }
        if reference != nil || group == nil && begins(at: runningTime) {
            for lane in lanes { wait(for: lane) }
            while !isComplete, writer.hasRoom(for: neededRoom), let lane = nextLane(at: now, runningTime),
                try take(lane, at: now)
            {
                hasTaken = true
            }
            for lane in lanes { lane.checkIdle(at: runningTime) }
            if group == nil { try suspendIfAway() }
        }
        writer.flush()
        if hasTaken { writeTime = runningTime }
        // A source that delivers nothing for long counts as stalled, and this one still judges what it has.
        if !isSuspended, runningTime > writeTime + CaptureRing.idleTime / 2, group?.relayed == nil,
            lanes.contains(where: \.isReady)
        {
            writer.append(.resumed())
            writeTime = runningTime
        }
        return hasTaken
    }

    /// The lane that delivers next: of those with something the one that is the least far, so that none is late for another.
    ///
    /// - Returns: Nil if none has something, or it waits for another one.
    private func nextLane(at now: UInt64, _ runningTime: UInt64) -> Lane? {
        var next: (lane: Lane, position: Int)?
        for lane in lanes where lane.isReady {
            let position = position(of: lane)
            if position < next?.position ?? .max { next = (lane, position) }
        }
        guard let (lane, position) = next else { return nil }
        return waits(lane, at: position, now, runningTime) ? nil : lane
    }

    /// Whether a lane would be so far ahead with its next fragment that another one becomes late, which may be about to deliver what was
    /// captured at the same time.
    private func waits(_ lane: Lane, at position: Int, _ now: UInt64, _ runningTime: UInt64) -> Bool {
        guard position > .min, !isEnding, let ring = lane.ring, ring.count > 0, let stamp = ring.item(0).stamp,
            now < stamp.arrivalTime + Self.longestHold
        else { return false }
        let length = lane.inputSpec.map { Double(ring.slotBytes / $0.bytesPerFrame) / $0.sampleRate } ?? 0
        let earliest = position + Int((length - Self.holdBack) * spec.sampleRate)
        return lanes.contains { other in
            !other.isAway && !other.isReady && self.position(of: other) < earliest
                && !other.isDry(for: UInt64(Self.holdBack * 1e9), at: runningTime)
        }
    }

    private func position(of lane: Lane) -> Int { group == nil ? lane.nextPosition : lane.end ?? .min }

    private func take(_ lane: Lane, at now: UInt64) throws(ACCAudioRecorderError) -> Bool {
        guard let reference, let arrivals = reference.arrivals else { return false }
        if group != nil { lane.compareClock(with: reference) }
        let isTaken = try lane.takeNext(on: arrivals, isLast: isEnding || !mayWait(for: lane, at: now)) {
            (block, position) throws(ACCAudioRecorderError) in
            if start == nil { try resume(at: group?.end ?? position, with: lane) }
            let late = lateFrames(of: block, lane, at: position)
            guard late < block.frameCount else { return }
            // Before the frames that it precedes.
            tellReturn(of: lane, at: position, late: late)
            if block.isConverted, let bits = spec.format.integerBits, bits < 32 {
                addDither(to: block, of: lane, bits: bits)
            }
            let rest = block.part(from: late, frames: block.frameCount - late)
            timeline.push(rest, lane: lane.number, at: position + late)
            try passOn()
        }
        for other in lanes where other !== lane { other.confirmLosses(of: lane) }
        wait(for: lane)
        try passOn()
        for gap in timeline.takeGaps() {
            tell(.init(lane: gap.lane, frames: gap.frames, end: gap.position + gap.frames, cause: .streamMissing))
        }
        return isTaken
    }

    /// Lets frames wait for a lane that has just been opened, or may return, so that its first ones are not late.
    private func wait(for lane: Lane) {
        let returns = lane.ring != nil && group == nil
        timeline.set(lane.isAway ? (returns ? .forItsReturn : .notAtAll) : .forIt, forLane: lane.number)
    }

    /// Whether fragments may follow that tell whether audio is missing, before a ring is full.
    private func mayWait(for lane: Lane, at now: UInt64) -> Bool {
        guard let latest = lane.latestArrival, now < latest + CaptureRing.idleTime else { return false }
        return lanes.allSatisfy { $0.ring?.fullness ?? 0 < Self.fullestRing }
    }

    private func tell(_ missing: LaneOutput.Missing) {
        if group != nil, !missing.cause.isLossOfStream { return }
        let loss =
            group == nil
            ? InputLoss(input: missing.lane, cause: missing.cause) : InputLoss(input: 0, cause: .streamMissing)
        writer.append(
            .partMissing(frames: missing.frames, end: missing.end - timeline.passedOn, tag: loss.tag))
    }

    /// Tells which lanes are silent from somewhere in these frames on, before they are passed on, so that this is known however
    /// it ends.
    private func tellAbsences(in frames: Range<Int>) {
        guard group == nil else { return }
        for lane in lanes where lane.isQuiet && !lane.isStopped && absent[lane.number] == nil {
            guard lane.end ?? 0 < frames.upperBound else { continue }
            absent[lane.number] = 0
            let loss = InputLoss(input: lane.number, cause: .interruption(lane.absence ?? .deviceLost), isOpen: true)
            writer.append(.partMissing(frames: 0, end: (lane.end ?? 0) - frames.lowerBound, tag: loss.tag))
        }
    }

    /// Tells what was missing of a lane before a place, from which on it delivers.
    ///
    /// - Parameter late: The number of frames from there on that are missing as well.
    private func tellReturn(of lane: Lane, at position: Int, late: Int) {
        var missing = lane.takeMissing()
        let last = missing.popLast()
        for missing in missing { tell(missing) }
        let lateBefore = absent.removeValue(forKey: lane.number)
        guard lateBefore != nil || last != nil else { return }
        let allLate = late + (lateBefore ?? 0)
        tell(
            LaneOutput.Missing(
                lane: lane.number, frames: (last?.frames ?? 0) + allLate,
                end: (last.map { $0.end + allLate } ?? position + late), cause: last?.cause ?? .streamMissing))
    }

    /// How many of the first frames of a lane that returns come too late, so that they were missing as well: all of the block, if
    /// it is dropped. One that stays late is placed again by the timeline.
    private func lateFrames(of block: AudioBlock, _ lane: Lane, at position: Int) -> Int {
        guard let before = absent[lane.number] else { return 0 }
        let late = timeline.lateFrames(of: block.frameCount, lane: lane.number, at: position)
        guard late == block.frameCount else { return late }
        guard Double(before) < Self.holdBack * spec.sampleRate else { return 0 }
        absent[lane.number] = before + late
        return late
    }
}

// MARK: - The beginning, and times without any lane

extension LaneMixer {
    /// Begins if the lanes are placed, or need too long for that.
    ///
    /// - Parameter now: By the clock.
    private func begins(at now: UInt64) -> Bool {
        let begin = beginTime ?? now
        beginTime = begin
        guard now >= comparisonTime + Self.comparisonInterval || isEnding else { return false }
        comparisonTime = now
        // Otherwise it would wait for the beginning, which may never come, and what is opened instead would wait for it.
        for lane in lanes { lane.input.closeIfEmpty() }
        let passed = Double(now - min(begin, now)) * 1e-9
        let stamps = lanes.map(\.waitingStamps)
        guard let first = stamps.firstIndex(where: { !$0.isEmpty }) else {
            if passed > Self.longestAwaiting, !isSuspended { suspend(.suspended) }
            return false
        }
        let isFull = lanes.contains { $0.ring?.fullness ?? 0 > Self.fullestRing }
        let isLast = isEnding || isFull || passed > Self.longestPlacing
        let isComplete = zip(lanes, stamps).allSatisfy { $0.ring == nil || !$1.isEmpty }
        guard isComplete || passed > Self.longestAwaiting || isLast else { return false }
        var clocks = placed(stamps, on: first)
        guard isLast || stamps.indices.allSatisfy({ $0 == first || stamps[$0].isEmpty || clocks[$0].isPlaced }) else {
            return false
        }
        for lane in clocks.indices { clocks[lane].rewind() }
        // The recording begins with the lane that began first.
        let delay = lanes[first].delay
        let times = stamps.indices.map { $0 == first ? 0 : clocks[$0].time(after: 0) ?? 0 }
        let earliest = zip(times, lanes).reduce(0) { min($0, $1.0 + $1.1.delay - delay) }
        let origin = Int((min(-earliest, Self.longestLead) * spec.sampleRate).rounded(.up))
        for lane in lanes {
            lane.begin(
                at: origin, after: delay, earliest: max(times.min() ?? 0, -Self.longestLead),
                by: lane.number == first ? nil : clocks[lane.number])
        }
        reference = lanes[first]
        return true
    }

    /// The clocks of the lanes after these fragments.
    private func placed(_ stamps: [[FragmentStamp]], on first: Int) -> [LaneClock] {
        var clocks = lanes.map { _ in LaneClock() }
        var arrivals = lanes.map { LaneArrivals($0.inputSpec ?? spec) }
        let all = stamps.enumerated().flatMap { lane, stamps in
            stamps.indices.map { (lane: lane, stamps: stamps[$0...]) }
        }
        for (lane, stamps) in all.sorted(by: { $0.stamps.first!.arrivalTime < $1.stamps.first!.arrivalTime }) {
            arrivals[lane].add(stamps.first!, isLate: false, as: arrivals[lane].judge(stamps, isLast: false))
            if lane != first { clocks[lane].follow(arrivals[lane], on: arrivals[first]) }
        }
        return clocks
    }

    private func suspendIfAway() throws(ACCAudioRecorderError) {
        // Where an input was stopped, the end, or another input, follows.
        guard !isSuspended, !isEnding, !lanes.contains(where: { $0.isReady || !$0.isAway || $0.isStopped }) else {
            return
        }
        for lane in lanes { timeline.set(.notAtAll, forLane: lane.number) }
        try passOn()
        suspend(lanes.lazy.compactMap(\.absence).first.flatMap { SuspensionCause($0) } ?? .suspended)
    }

    func suspend(_ cause: SuspensionCause) {
        writer.append(.suspended(cause))
        isSuspended = true
        start = nil
    }

    private func resume(at position: Int, with lane: Lane) throws(ACCAudioRecorderError) {
        if isSuspended { writer.append(.resumed()) }
        isSuspended = false
        group?.quietCause = nil
        // The first one that is taken need not be the first one of the stream.
        let first = hasBegun ? position : 0
        hasBegun = true
        timeline.skip(to: first)
        start = (first, hostTime(at: first, by: lane))
    }
}

// MARK: - The stream

extension LaneMixer {
    func passOn() throws(ACCAudioRecorderError) {
        while let frames = timeline.pop() {
            guard !isComplete else { continue }
            tellAbsences(in: frames.position..<frames.position + frames.count)
            write(mixdown.mix(frames.lanes), at: frames.position)
        }
    }

    private func write(_ block: AudioBlock, at position: Int) {
        guard let start,
            let lane = reference?.isAway == false
                ? reference : lanes.first(where: { !$0.isAway && $0.captureTime != nil }) ?? reference
        else { return }
        let end = position + block.frameCount - start.position
        let bytes = encoded(block.samples)
        let outcome = writer.write(
            bytes,
            FragmentStamp(
                hostTime: hostTime(at: position, by: lane), arrivalTime: start.hostTime + spec.nanoseconds(end),
                timeAsleep: lane.timeAsleep))
        isComplete = outcome.isComplete
        if !isComplete, outcome.byteCount < bytes.count { writer.drop(byteCount: bytes.count - outcome.byteCount) }
    }

    /// Prepares samples that a lane has converted for being rounded to a word length. Digital silence stays that.
    private func addDither(to block: AudioBlock, of lane: Lane, bits: Int) {
        // The memory belongs to the lane's converters, so it may be changed.
        let samples = UnsafeMutableBufferPointer(mutating: block.samples)
        Self.add(&dither, to: samples, bits: bits, &lane.silence)
    }

    /// Has both by reference, because Swift checks each access to a property of a class, which costs more than the dither itself.
    private static func add(
        _ dither: inout Quantizer.Dither, to samples: UnsafeMutableBufferPointer<Float>, bits: Int,
        _ silence: inout Quantizer.DigitalSilence
    ) {
        let step = Float(sign: .plus, exponent: 1 - bits, significand: 1)
        let channelCount = silence.channelCount
        for start in stride(from: 0, to: samples.count, by: channelCount) {
            for channel in 0..<channelCount {
                let noise = Float(dither.next()) * step
                if !silence.continues(with: samples[start + channel], on: channel) {
                    samples[start + channel] += noise
                }
            }
        }
    }

    /// The samples as the stream stores them.
    private func encoded(_ samples: UnsafeBufferPointer<Float>) -> UnsafeRawBufferPointer {
        guard let bits = spec.format.integerBits else { return UnsafeRawBufferPointer(samples) }
        let words = UnsafeMutableBufferPointer(rebasing: words[..<samples.count])
        Quantizer.quantize(samples, bits: bits, into: words)
        // In place: each sample lies before the word that it is taken from, or in it.
        let bytes = UnsafeMutableRawBufferPointer(words)
        switch spec.format {
        case .s16LE:
            words.withMemoryRebound(to: Int16.self) { for index in samples.indices { $0[index] = $0[2 * index + 1] } }
        case .s24LE: for index in 0..<3 * samples.count { bytes[index] = bytes[index / 3 * 4 + 1 + index % 3] }
        case .s24In32LE: for index in words.indices { words[index] >>= 8 }
        default: break
        }
        return UnsafeRawBufferPointer(rebasing: bytes[..<(samples.count * spec.format.bytesPerSample)])
    }

    /// When a frame was captured, in CLOCK_MONOTONIC nanoseconds, by the time of a lane.
    private func hostTime(at position: Int, by lane: Lane) -> UInt64 {
        guard let time = lane.captureTime else { return 0 }
        let seconds = Double(position - time.position) / spec.sampleRate
        return UInt64(max(Double(time.hostTime) + seconds * 1e9, 0))
    }
}
