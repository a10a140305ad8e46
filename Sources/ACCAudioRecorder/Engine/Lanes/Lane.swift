/// One input of several: turns what it delivers into frames with a place on the recording's time.
///
/// A lane lives as long as the recording. Its input may end and be opened again, perhaps in another format, and the lane goes on
/// where it then is: what is missing of it is told, and is silence.
///
/// One lane is the reference: the recording's time is the length of its audio. Its frames pass unchanged, and so do those of a
/// lane on the same clock; others are resampled as their clock says.
///
/// Used by one thread at a time.
final class Lane {
    /// Gets a block of the lane, with the place of its first frame.
    typealias Receiver = (_ block: AudioBlock, _ position: Int) throws(ACCAudioRecorderError) -> Void

    let number: Int
    /// The recording's rate, and the lane's channels in it.
    private let form: StreamFormat
    var input: LaneInput
    var place: LanePlace
    var output: LaneOutput
    /// Where its converted channels are silent.
    var silence: Quantizer.DigitalSilence
    /// What is left to do with the next item: its frames after a gap.
    var pending: ArraySlice<Intake.Decision> = []
    /// Whether the place has followed the next item.
    private var isFollowed = true
    /// The losses that the latest item showed, each with its place.
    private var losses: [(decision: Intake.Decision, place: Int)] = []

    /// - Parameters:
    ///   - form: The recording's rate and the lane's channels.
    ///   - selectedChannels: The channels of the input to record, counted from 1; empty for all.
    ///   - delay: How many seconds later than it was captured it is placed.
    ///   - sharesClock: Whether its clock is the reference's.
    init(
        number: Int, form: StreamFormat, selectedChannels: [Int] = [], quality: ResamplerQuality, delay: Double = 0,
        sharesClock: Bool = false
    ) {
        self.number = number
        self.form = form
        input = LaneInput(form, selectedChannels: selectedChannels)
        place = LanePlace(sampleRate: form.sampleRate, delay: delay, sharesClock: sharesClock)
        output = LaneOutput(number: number, form: form, quality: quality)
        silence = Quantizer.DigitalSilence(channelCount: form.channelCount)
    }

    var channelCount: Int { form.channelCount }

    /// Continues with an input.
    ///
    /// - Parameters:
    ///   - captured: The rate of the input, and its selected channels.
    ///   - interruption: Why the lane had none before; nil for the first one.
    func open(_ input: any CaptureInput, as captured: StreamFormat, after interruption: RecordingInterruption? = nil) {
        let spec = input.source.sampleSpec
        self.input.open(input, as: captured, after: interruption)
        place.change(to: spec)
        output.open(sampleRate: spec.rate, blockFrames: self.input.maximumFrames)
        leave(by: interruption.map { .interruption($0) })
    }

    /// Makes the lane's audio the recording's time from its first frame on, or places it on that of another lane.
    ///
    /// - Parameters:
    ///   - origin: The place of the reference's first frame, in frames.
    ///   - delay: The reference's.
    ///   - earliest: When the first frame of any lane was captured, in seconds after that of the reference.
    ///   - clock: Nil for the reference.
    func begin(at origin: Int, after delay: Double, earliest: Double, by clock: LaneClock?) {
        place.begin(at: origin, after: delay, by: clock)
        output.punctualPlace = origin + Int((earliest + place.delay) * Double(form.sampleRate))
    }
}

// MARK: - Its parts, as others see them

extension Lane {
    /// The ring of its input; nil if none is open.
    var ring: CaptureRing? { input.ring }

    /// The format of its input; nil if none is open.
    var inputSpec: SampleSpec? { input.spec }

    /// Why it delivers nothing; nil if it does, or will soon.
    var absence: RecordingInterruption? { input.absence }

    /// Whether it has no input, or one that delivers nothing.
    var isQuiet: Bool { input.isQuiet }

    /// Whether it is quiet, and will be for a while.
    var isAway: Bool { input.isAway }

    /// Whether its input was stopped, because the recording ends or another input follows.
    var isStopped: Bool { input.isStopped }

    /// Whether something waits to be taken: an item, or the end of the input.
    var isReady: Bool { input.isReady }

    /// The stamps of all fragments that wait.
    var waitingStamps: [FragmentStamp] { input.waitingStamps }

    /// When the latest fragment that waits has arrived, in CLOCK_MONOTONIC nanoseconds.
    var latestArrival: UInt64? { input.latestArrival }

    /// The lane's arrivals; nil before it was opened.
    var arrivals: LaneArrivals? { place.arrivals }

    /// When the frame at a place was captured, in CLOCK_MONOTONIC nanoseconds; and how long the machine had slept by then.
    var captureTime: (position: Int, hostTime: UInt64)? { place.captureTime }
    var timeAsleep: Int64 { place.timeAsleep }

    /// How the lane lies beside the reference, and its clock beside others.
    var alignment: LaneAlignment { place.alignment(from: output.first) }

    /// Whether its clock is the reference's, or it is that.
    var followsReference: Bool { place.isReference || place.sharesClock }

    /// Whether frames pass without a conversion of their rate.
    var passesUnchanged: Bool {
        inputSpec?.rate == form.sampleRate && followsReference
    }

    /// How many seconds later than it was captured it is placed.
    var delay: Double { place.delay }

    /// The place of its first frame, and the one after its last; nil before the first.
    var first: Int? { output.first }
    var end: Int? { output.end }

    /// Where its next frame will lie, as far as it is known.
    var nextPosition: Int {
        let place = pending.isEmpty ? place.upcoming : place.place()
        let expected = output.isBroken ? place.map { Int($0.rounded()) } : nil
        return expected ?? output.end ?? .min
    }

    /// What was missing since the last call.
    func takeMissing() -> [LaneOutput.Missing] { output.takeMissing() }

    /// Why its input delivers nothing more, since the last call, though what it has delivered may wait; nil if it may.
    func takeEnd() -> CaptureEnd? { input.takeEnd() }
}

// MARK: - Its items

extension Lane {
    /// Takes the next item, or its part up to a gap: what follows a gap may lie so far ahead that the other lanes come first.
    ///
    /// - Parameters:
    ///   - reference: The arrivals of the reference.
    ///   - isLast: Whether to decide now, because no fragment may follow soon that would tell more.
    /// - Returns: Whether there was one that could be decided.
    func takeNext(
        on reference: LaneArrivals, isLast: Bool, _ receive: Receiver
    ) throws(ACCAudioRecorderError) -> Bool {
        guard let ring else { return false }
        guard ring.count > 0 else {
            guard ring.isClosed, ring.count == 0 else { return false }
            try close(receive)
            return true
        }
        losses.removeAll(keepingCapacity: true)
        if pending.isEmpty {
            let item = ring.item(0)
            guard let decisions = input.decisions(on: item, in: ring, isLast: isLast || ring.isClosed) else {
                return false
            }
            pending = decisions[...]
            place.begin(decisions)
            isFollowed = item.stamp == nil
            if item == .suspended(.applicationMoved) { move() }
            if case .resumed = item { input.delivery = .awaited }
        }
        guard follow(in: ring, on: reference, isLast: isLast) else { return false }
        try carryOut(on: ring.bytes(at: ring.position), receive)
        if pending.isEmpty {
            ring.remove { _, _ in }
            // So that the intake reuses their memory.
            pending = []
        }
        if absence != nil, output.isConverted { try endConversion(receive) }
        return true
    }

    /// Lets the place follow the next fragment, unless it has.
    ///
    /// - Returns: Whether the fragments that wait tell where it lies.
    private func follow(in ring: CaptureRing, on reference: LaneArrivals, isLast: Bool) -> Bool {
        guard !isFollowed else { return true }
        guard let arrivals = place.arrivals, let stamp = ring.item(0).stamp else { return true }
        var judgement = arrivals.judge(ring.stamps(atMost: 1), isLast: false)
        if judgement == .undecided {
            let stamps = ring.stamps(atMost: ring.count)
            judgement = arrivals.judge(stamps, isLast: isLast || ring.isClosed || stamps.count < ring.count)
        }
        guard judgement != .undecided else { return false }
        isFollowed = true
        let correction = place.follow(stamp, isLate: input.isLate, as: judgement, on: reference)
        // Its own step only: when the reference's arrivals step, others are moved that lack nothing.
        if !place.isReference, let step = place.arrivals?.step, step != 0 { input.skip(step) }
        if let correction { correctPlace(correction) }
        return true
    }

    /// Does what is pending, up to the first frames after a gap.
    private func carryOut(
        on fragment: UnsafeRawBufferPointer, _ receive: Receiver
    ) throws(ACCAudioRecorderError) {
        var hasSkipped = false
        while let decision = pending.first {
            if case .record = decision, hasSkipped { break }
            switch decision {
            case .record(let frames, let hostTime): try record(frames, of: fragment, hostTime, receive)
            case .gap(_, .sleep): break
            case .partMissing(let frames, let end, _): skipPart(frames, endingAt: end)
            case .gap(let seconds, let cause):
                losses.append((decision, nextPosition))
                skip(seconds, cause)
                hasSkipped = true
            case .missing(let shortfall):
                losses.append((decision, nextPosition))
                skip(shortfall.seconds, .dropped)
                hasSkipped = true
            case .flow(.flowing): input.delivery = .delivering
            case .flow(.suspended(let cause)): leave(by: .interruption(cause), away: cause)
            case .flow(.stalled): leave(by: .interruption(.stalled), away: .stalled)
            }
            pending.removeFirst()
        }
        // What the filter still holds lies before the gap.
        if hasSkipped { try finish(receive) }
    }

    /// Notices that nothing arrives.
    ///
    /// - Parameter time: By the mixer's clock.
    func checkIdle(at time: UInt64) {
        if input.isNewlyStalled(at: time) { leave(by: .interruption(.stalled), away: .stalled) }
    }

    /// Whether nothing has arrived for a time in nanoseconds, by the mixer's clock.
    func isDry(for length: UInt64, at time: UInt64) -> Bool { input.isDry(for: length, at: time) }

    /// Takes for confirmed what another lane of the same clock has found to be missing in its latest item, if it shows here as
    /// well: where a clock has jumped, all its lanes lack as much.
    func confirmLosses(of other: Lane) {
        guard followsReference, other.followsReference else { return }
        for loss in other.losses {
            let frames = max(loss.place - nextPosition, 0)
            input.confirm(loss.decision, at: Double(frames) / Double(form.sampleRate))
        }
    }

    /// Moves the next frames to their place, once that is known, if they are far from it.
    private func correctPlace(_ correction: LanePlace.Correction) {
        output.adopt(drift: place.drift)
        let misplacement = output.misplacement(of: place.place(), drift: passesUnchanged ? nil : place.drift)
        guard place.isMove(by: misplacement) else { return }
        // Nobody has found the loss before the step. A lane that was estimated to have returned too early was away for longer.
        output.breakOff(correction == .stepped ? .dropped : .interruption(.stalled))
    }

    private func skip(_ seconds: Double, _ cause: RecordingGap.Cause) {
        place.advance(by: seconds)
        output.breakOff(cause)
    }

    /// Notes that one of the streams that the input mixes lacks frames of the input, up to this many after its next one.
    private func skipPart(_ frames: Int, endingAt end: Int) {
        guard let spec = inputSpec else { return }
        if output.isBroken, end == 0 { return output.lack(frames, before: nil) }
        if let end = place.place(after: Double(end) / spec.sampleRate) { output.lack(frames, before: end) }
    }

    /// Breaks the lane off, because its input delivers nothing any more.
    private func leave(by cause: RecordingGap.Cause?, away: RecordingInterruption? = nil) {
        if let away { input.delivery = .away(away) }
        output.breakOff(cause)
        place.interrupt()
    }

    /// Leaves for another sink, whose clock is another one.
    private func move() {
        leave(by: .interruption(.applicationMoved), away: .applicationMoved)
        // The clock tells how much is missing. Of the reference, the intake does.
        if !place.isReference { input.restartIntake() }
    }

    private func close(_ receive: Receiver) throws(ACCAudioRecorderError) {
        if let shortfall = input.shortfallAtEnd() {
            place.skipLast(shortfall.seconds)
            output.breakOff(.dropped)
        }
        try endConversion(receive)
        input.close()
    }
}

// MARK: - Its frames

extension Lane {
    private func record(
        _ frames: Range<Int>, of fragment: UnsafeRawBufferPointer, _ hostTime: UInt64?, _ receive: Receiver
    ) throws(ACCAudioRecorderError) {
        if let hostTime { place.note(hostTime: hostTime) }
        var rest = frames
        while !rest.isEmpty, let block = input.decode(&rest, of: fragment) {
            let seconds = Double(block.frameCount) / (inputSpec?.sampleRate ?? 1)
            defer { place.advance(by: seconds) }
            guard let start = place.place(), let end = place.place(after: seconds) else { continue }
            if passesUnchanged {
                output.pass(block, at: start)
            } else {
                if output.isBroken { try finish(receive) }
                try output.convert(block, from: start, to: end, drift: place.drift)
            }
            try deliver(receive)
        }
    }

    private func endConversion(_ receive: Receiver) throws(ACCAudioRecorderError) {
        try finish(receive)
        output.endConversion()
    }

    private func finish(_ receive: Receiver) throws(ACCAudioRecorderError) {
        output.finish()
        try deliver(receive)
    }

    private func deliver(_ receive: Receiver) throws(ACCAudioRecorderError) {
        while let placed = try output.next() { try receive(placed.block, placed.position) }
    }
}
