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
    /// What is missing of a lane before one of its frames, in frames of the recording.
    struct Missing: Equatable {
        let lane: Int
        let frames: Int
        /// The place of that frame.
        let end: Int
        let cause: RecordingGap.Cause
    }

    /// Whether the lane delivers.
    enum Delivery: Equatable {
        /// It is open, and has not delivered yet.
        case awaited
        case delivering
        /// It delivers nothing, for this reason.
        case away(RecordingInterruption)
    }

    /// Where a block of the lane lies.
    typealias Output = (_ block: AudioBlock, _ position: Int) throws(ACCAudioRecorderError) -> Void

    /// One opening of the lane's input.
    private struct Opening: ~Copyable {
        let input: any CaptureInput
        var intake: Intake
        var decoder: FragmentDecoder
        let mixer: ChannelMixer?
        /// Nil as long as frames pass unchanged.
        var rate: LaneRate?

        var spec: SampleSpec { input.source.sampleSpec }
        var ring: CaptureRing { input.ring }
        var hasRate: Bool { rate != nil }
        var maximumFrames: Int { decoder.maximumFrames }
    }

    let number: Int
    /// The recording's rate, and the lane's channels in it.
    private let form: StreamFormat
    private let selectedChannels: [Int]
    private let quality: ResamplerQuality
    /// How many seconds later than it was captured it is placed, beside the reference.
    private(set) var delay: Double
    /// Whether its clock is the reference's, and the sink that it is the clock of, if that is known.
    private var sharesClock: Bool
    private var sink: UInt32?
    private var opening: Opening?
    private var carryover = Intake.Carryover()
    private(set) var delivery = Delivery.awaited
    /// The lane's arrivals; nil before it was opened.
    private(set) var arrivals: LaneArrivals?
    private(set) var clock = LaneClock()
    private var isReference = false
    /// The place of the reference's first frame, in frames, and the first place that the lane may have.
    private var origin = 0
    private var beginning = 0

    /// The place of its first frame, and the one after its last; nil before the first.
    private(set) var first: Int?
    private(set) var end: Int?
    /// By how much it was moved at most once it was placed, in seconds.
    private(set) var correction = 0.0
    /// Whether the next frame does not follow the last one, and why.
    private var isBroken = true
    private var cause: RecordingGap.Cause?
    /// The seconds of the lane's audio before the next frame, with what was missing.
    private var cursor = 0.0
    /// What was missing, until it is taken.
    private var missing: [Missing] = []
    /// When the frame at a place was captured, in CLOCK_MONOTONIC nanoseconds, as the intake last said; and how long the machine
    /// had slept by then.
    private(set) var captureTime: (position: Int, hostTime: UInt64)?
    private(set) var timeAsleep: Int64 = 0
    /// Why its input has ended, until that is told.
    private var inputEnd: CaptureEnd?
    private var isEndTold = false
    /// Whether its input was stopped, because the recording ends or another input follows.
    private(set) var isStopped = false
    /// Whether something was taken since `checkIdle` last looked, and when something was there, in CLOCK_MONOTONIC nanoseconds.
    private var hasTaken = false
    private var lastTaken: UInt64?

    /// A lane that lies farther than this from its place once that is known is moved there; its rate corrects less. In seconds.
    private static let largestMisplacement = 0.001

    /// - Parameters:
    ///   - form: The recording's rate and the lane's channels.
    ///   - selectedChannels: The channels of the input to record, counted from 1; empty for all.
    ///   - delay: How many seconds later than it was captured it is placed.
    init(
        number: Int, form: StreamFormat, selectedChannels: [Int] = [], quality: ResamplerQuality, delay: Double = 0,
        sharesClock: Bool = false
    ) {
        self.number = number
        self.form = form
        self.selectedChannels = selectedChannels
        self.quality = quality
        self.delay = delay
        self.sharesClock = sharesClock
    }

    var channelCount: Int { form.channelCount }

    /// Why it delivers nothing; nil if it does, or will soon.
    var absence: RecordingInterruption? { if case .away(let cause) = delivery { cause } else { nil } }

    /// Whether it has no input, or one that delivers nothing.
    var isQuiet: Bool { ring == nil || absence != nil }

    /// Whether it is quiet, and will be for a while.
    var isAway: Bool { isQuiet && !isExpected }

    private var isExpected: Bool {
        switch absence {
        case .applicationMoved: ring != nil
        case .applicationPaused, .suspended: opening?.input.isExpected ?? false
        default: false
        }
    }

    /// What was missing since the last call.
    func takeMissing() -> [Missing] {
        defer { missing.removeAll(keepingCapacity: true) }
        return missing
    }

    /// Why its input delivers nothing more, since the last call, though what it has delivered may wait; nil if it may.
    func takeEnd() -> CaptureEnd? {
        guard !isEndTold, let end = ring?.isClosed == true ? ring?.captureEnd : inputEnd else { return nil }
        isEndTold = true
        return end
    }
}

// MARK: - The input

extension Lane {
    /// The ring of its input; nil if none is open.
    var ring: CaptureRing? { opening?.input.ring }

    /// The format of its input; nil if none is open.
    var inputSpec: SampleSpec? { opening?.spec }

    /// How the lane lies beside the reference, and its clock beside others.
    var alignment: LaneAlignment {
        LaneAlignment(
            offset: first.map { Double($0) / Double(form.sampleRate) },
            uncertainty: isReference || !clock.isPlaced ? nil : clock.uncertainty,
            clockDrift: isReference ? nil : clock.ppm,
            systemDrift: arrivals.flatMap { $0.floorCount > 1 ? $0.drift * 1e6 : nil }, correction: correction)
    }

    /// The stamps of all fragments that wait.
    var waitingStamps: [FragmentStamp] {
        ring.map { ring in (0..<ring.count).compactMap { ring.item($0).stamp } } ?? []
    }

    /// When the latest fragment that waits has arrived, in CLOCK_MONOTONIC nanoseconds.
    var latestArrival: UInt64? {
        ring.flatMap { ring in ring.count > 0 ? ring.item(ring.count - 1).stamp?.arrivalTime : nil }
    }

    /// Continues with an input.
    ///
    /// - Parameters:
    ///   - captured: The rate of the input, and its selected channels.
    ///   - interruption: Why the lane had none before; nil for the first one.
    func open(
        _ input: any CaptureInput, as captured: StreamFormat, after interruption: RecordingInterruption? = nil
    ) throws(ACCAudioRecorderError) {
        let spec = input.source.sampleSpec
        let decoder = FragmentDecoder(spec, selectedChannels: selectedChannels)
        let maximumFrames = decoder.maximumFrames
        opening = Opening(
            input: input, intake: Intake(input, carryover: carryover, after: interruption), decoder: decoder,
            mixer: captured.channelCount == form.channelCount
                ? nil
                : ChannelMixer(from: captured.channelMap, to: form.channelMap, maximumFrames: maximumFrames))
        if arrivals == nil { arrivals = LaneArrivals(spec) }
        arrivals?.change(to: spec)
        leave(by: interruption.map { .interruption($0) })
        delivery = .awaited
        (isStopped, isEndTold, inputEnd) = (false, false, nil)
    }

    /// Makes the lane's audio the recording's time from its first frame on, or places it on that of another lane.
    ///
    /// - Parameters:
    ///   - origin: The place of the reference's first frame, in frames.
    ///   - delay: The reference's.
    ///   - clock: Nil for the reference.
    func begin(at origin: Int, after delay: Double, by clock: LaneClock?) {
        self.origin = origin
        self.delay -= delay
        isReference = clock == nil
        if let clock { self.clock = clock }
    }

    /// Whether frames pass without a conversion of their rate.
    var passesUnchanged: Bool { inputSpec?.sampleRate == form.sampleRate && (isReference || sharesClock) }
}

// MARK: - Its items

extension Lane {
    /// Whether something waits to be taken: an item, or the end of the input.
    var isReady: Bool { ring.map { $0.count > 0 || $0.isClosed } ?? false }

    /// Takes the next item.
    ///
    /// - Parameters:
    ///   - reference: The arrivals of the reference.
    ///   - isLast: Whether to decide now, because no fragment may follow soon that would tell more.
    ///   - output: Gets the blocks of the lane.
    /// - Returns: Whether there was one that could be decided.
    func takeNext(
        on reference: LaneArrivals, isLast: Bool, _ output: Output
    ) throws(ACCAudioRecorderError) -> Bool {
        guard let ring else { return false }
        guard ring.count > 0 else {
            guard ring.isClosed, ring.count == 0 else { return false }
            try close(output)
            return true
        }
        let item = ring.item(0)
        guard let decisions = decisions(on: item, in: ring, isLast: isLast || ring.isClosed) else { return false }
        hasTaken = true
        cursor = arrivals?.seconds ?? 0
        follow(item, decisions, on: reference)
        if case .resumed = item { delivery = .awaited }
        try ring.remove { (_, fragment) throws(ACCAudioRecorderError) in
            for decision in decisions {
                switch decision {
                case .record(let frames, let hostTime): try record(frames, of: fragment, hostTime, output)
                case .gap(_, .sleep): break
                case .partMissing(let frames, let end, _): skipPart(frames, endingAt: end)
                case .gap(let seconds, let cause): skip(seconds, cause)
                case .missing(let shortfall): skip(shortfall.seconds, .dropped)
                case .flow(.flowing): delivery = .delivering
                case .flow(.suspended(let cause)): leave(by: .interruption(cause), away: cause)
                case .flow(.stalled): leave(by: .interruption(.stalled), away: .stalled)
                }
            }
        }
        if absence != nil, opening?.hasRate == true {
            try finishRate(output)
            opening?.rate = nil
        }
        return true
    }

    /// Notices that nothing arrives.
    ///
    /// - Parameter now: In CLOCK_MONOTONIC nanoseconds.
    func checkIdle(at now: UInt64) {
        guard !isReady, !hasTaken, let last = lastTaken else {
            (lastTaken, hasTaken) = (now, false)
            return
        }
        guard now > last + CaptureRing.idleTime else { return }
        lastTaken = now
        if opening?.intake.idle() == .stalled { leave(by: .interruption(.stalled), away: .stalled) }
    }

    private func decisions(on item: CaptureItem, in ring: CaptureRing, isLast: Bool) -> [Intake.Decision]? {
        while true {
            let wanted = opening?.intake.lookahead ?? 1
            let upcoming = ring.stamps(atMost: wanted)
            guard upcoming.count == wanted || upcoming.count < ring.count || isLast else { return nil }
            if let decisions = opening?.intake.decide(item, upcoming: upcoming) { return decisions }
        }
    }

    /// Adds the item to the lane's arrivals, and lets its clock follow them.
    private func follow(_ item: CaptureItem, _ decisions: [Intake.Decision], on reference: LaneArrivals) {
        for decision in decisions {
            switch decision {
            case .gap(let seconds, let cause) where cause != .sleep: arrivals?.skip(seconds)
            case .missing(let shortfall): arrivals?.skip(shortfall.seconds)
            case .gap, .partMissing, .record, .flow: break
            }
        }
        if item == .suspended(.applicationMoved) { move() }
        guard let stamp = item.stamp else { return }
        timeAsleep = stamp.timeAsleep
        arrivals?.add(stamp, isLate: opening?.intake.isLate ?? false)
        guard !isReference, let arrivals else { return }
        let wasPlaced = clock.isPlaced
        clock.follow(arrivals, on: reference)
        guard !wasPlaced, clock.isPlaced else { return }
        opening?.rate?.adopt(drift: clock.drift)
        let misplacement = misplacement
        guard abs(misplacement) > Self.largestMisplacement else { return }
        correction = max(correction, abs(misplacement))
        isBroken = true
    }

    /// By how many seconds the lane's next frame lies too early.
    private var misplacement: Double {
        guard let end, !isBroken, let time = place(after: cursor) else { return 0 }
        let frames = passesUnchanged ? nil : opening?.rate?.misplacement
        return (frames ?? time - Double(end)) / Double(form.sampleRate)
    }

    /// The place of a frame; nil if it is not known.
    ///
    /// - Parameter seconds: The length of the lane's audio before it.
    private func place(after seconds: Double) -> Double? {
        (isReference ? seconds : clock.time(after: seconds)).map {
            ($0 + delay) * Double(form.sampleRate) + Double(origin)
        }
    }

    private func skip(_ seconds: Double, _ cause: RecordingGap.Cause) {
        cursor += seconds
        isBroken = true
        self.cause = cause
    }

    /// Notes that one of the streams that the input mixes lacks frames of the input, up to this many after its next one.
    private func skipPart(_ frames: Int, endingAt end: Int) {
        guard let rate = inputSpec.map({ Double($0.sampleRate) }), let place = place(after: cursor + Double(end) / rate)
        else { return }
        let length = Double(frames) * Double(form.sampleRate) / rate
        missing.append(
            Missing(lane: number, frames: Int(length.rounded()), end: Int(place.rounded()), cause: .streamMissing))
    }

    /// Breaks the lane off, because its input delivers nothing any more.
    private func leave(by cause: RecordingGap.Cause?, away: RecordingInterruption? = nil) {
        if let away { delivery = .away(away) }
        isBroken = true
        self.cause = cause ?? self.cause
        // The recording's time goes on at the reference's last rate.
        guard !isReference else { return }
        arrivals?.interrupt()
        clock.interrupt()
    }

    /// Leaves for another sink, whose clock is another one.
    private func move() {
        leave(by: .interruption(.applicationMoved), away: .applicationMoved)
        // The clock tells how much is missing. Of the reference, the intake does.
        if !isReference { restartIntake() }
    }

    private func close(_ output: Output) throws(ACCAudioRecorderError) {
        guard let input = opening?.input else { return }
        if let shortfall = opening?.intake.close() {
            arrivals?.skip(shortfall.seconds)
            skip(shortfall.seconds, .dropped)
        }
        try finishRate(output)
        carryover = opening?.intake.nextCarryover ?? carryover
        opening = nil
        inputEnd = input.ring.captureEnd
        isStopped = inputEnd == .stopped
        delivery = .away(RecordingInterruption(input.ring.captureEnd) ?? .suspended)
    }
}

// MARK: - Joining others that run

extension Lane {
    /// Begins again with the next item, as at first.
    ///
    /// - Parameters:
    ///   - beginning: The first place that it may have. The reference begins there.
    ///   - origin: The place of the reference's first frame, in frames.
    func join(at beginning: Int, origin: Int, asReference isReference: Bool) {
        forgetTimes()
        (self.beginning, self.origin, self.isReference) = (beginning, origin, isReference)
        (end, cause) = (nil, nil)
    }

    private func forgetTimes() {
        restartIntake()
        opening?.rate = nil
        (arrivals, clock) = (inputSpec.map { LaneArrivals($0) }, LaneClock())
        (isBroken, captureTime) = (true, nil)
        (lastTaken, hasTaken) = (nil, false)
    }

    /// Carries the recording's time on in place of a lane that is away, whose clock it shares.
    ///
    /// - Returns: Whether it can.
    func takeOver(from old: Lane) -> Bool {
        guard sharesClock, !isQuiet, !isBroken, let end, let oldArrivals = old.arrivals else { return false }
        arrivals = oldArrivals
        arrivals?.skip(Double(end - origin) / Double(form.sampleRate) - oldArrivals.seconds)
        (isReference, old.isReference) = (true, false)
        old.forgetTimes()
        return true
    }

    /// Compares its clock with the reference's: that of a sink to which both play.
    func compareClock(with reference: Lane) {
        for lane in [self, reference] { lane.sink = lane.opening?.input.sinkIndex ?? lane.sink }
        let shares = sink != nil && sink == reference.sink
        // PulseAudio breaks a stream that moves, what it has delivered before may still wait.
        guard shares != sharesClock, !isReference, isBroken || opening?.input.source.isOnPipeWire == true else {
            return
        }
        (sharesClock, isBroken) = (shares, true)
    }

    /// Takes what happened before the next fragment, of a lane that is not mixed.
    func takeEvents() {
        while let ring {
            guard ring.count > 0 else {
                if ring.isClosed, ring.count == 0 { end(ring) }
                return
            }
            note(ring.item(0))
            switch ring.item(0) {
            case .fragment, .resumed: return
            case .suspended, .hole, .partMissing, .exhausted: ring.remove { _, _ in }
            }
        }
    }

    /// Takes the next item as it is, of a lane that is not mixed.
    ///
    /// - Returns: Whether there was one, or the end.
    func relay(_ body: (CaptureItem, UnsafeRawBufferPointer) -> Void) -> Bool {
        guard let ring else { return false }
        guard ring.count > 0 else {
            guard ring.isClosed, ring.count == 0 else { return false }
            end(ring)
            return true
        }
        ring.remove { item, bytes in
            note(item)
            body(item, bytes)
        }
        return true
    }

    private func note(_ item: CaptureItem) {
        switch item {
        case .fragment: delivery = .delivering
        case .suspended(let cause): delivery = .away(RecordingInterruption(cause))
        case .resumed: delivery = .awaited
        case .hole, .partMissing, .exhausted: break
        }
    }

    private func end(_ ring: CaptureRing) {
        inputEnd = ring.captureEnd
        opening = nil
        delivery = .away(.suspended)
    }

    private func restartIntake() {
        guard let input = opening?.input else { return }
        opening?.intake = Intake(input)
    }
}

extension Intake {
    fileprivate init(
        _ input: any CaptureInput, carryover: Carryover = Carryover(), after interruption: RecordingInterruption? = nil
    ) {
        self.init(
            input.source, fragmentFrames: input.ring.slotBytes / input.source.sampleSpec.bytesPerFrame,
            carryover: carryover, after: interruption)
    }
}

// MARK: - Its frames

extension Lane {
    private func record(
        _ frames: Range<Int>, of fragment: UnsafeRawBufferPointer, _ hostTime: UInt64?, _ output: Output
    ) throws(ACCAudioRecorderError) {
        if let hostTime, let place = place(after: cursor) {
            captureTime = (Int((place - delay * Double(form.sampleRate)).rounded()), hostTime)
        }
        var rest = frames
        while !rest.isEmpty, let decoded = opening?.decoder.decode(&rest, of: fragment) {
            let block = opening?.mixer?.mix(decoded) ?? decoded
            let next = cursor + Double(block.frameCount) / Double(opening?.spec.sampleRate ?? 1)
            defer { cursor = next }
            guard let start = place(after: cursor), let end = place(after: next) else { continue }
            if passesUnchanged {
                try pass(block, at: isBroken ? Int(start.rounded()) : self.end ?? 0, output)
            } else {
                try convert(block, from: start, to: end, output)
            }
            isBroken = false
        }
    }

    private func convert(
        _ block: AudioBlock, from start: Double, to end: Double, _ output: Output
    ) throws(ACCAudioRecorderError) {
        let rate = Double(form.sampleRate)
        if opening?.hasRate == false { try openRate() }
        if isBroken {
            try finishRate(output)
            opening?.rate?.start(at: start / rate, drift: drift)
        }
        opening?.rate?.append(block, until: end / rate, drift: drift)
        try passConverted(output)
    }

    private func openRate() throws(ACCAudioRecorderError) {
        guard let spec = inputSpec, let blockFrames = opening?.maximumFrames else { return }
        isBroken = true
        opening?.rate = try LaneRate(
            from: spec.sampleRate, to: form.sampleRate, channelCount: form.channelCount, quality: quality,
            blockFrames: blockFrames)
    }

    private var drift: Double { isReference ? 0 : clock.drift }

    private func finishRate(_ output: Output) throws(ACCAudioRecorderError) {
        opening?.rate?.finish()
        try passConverted(output)
    }

    private func passConverted(_ output: Output) throws(ACCAudioRecorderError) {
        while let placed = try opening?.rate?.next() { try pass(placed.block, at: placed.position, output) }
    }

    /// Passes a block on, but for what lies before the recording or where the lane has been already.
    private func pass(_ block: AudioBlock, at position: Int, _ output: Output) throws(ACCAudioRecorderError) {
        let first = max(end ?? beginning, beginning)
        let late = max(first - position, 0)
        guard late < block.frameCount else { return }
        let position = position + late
        if position > first, let cause {
            missing.append(Missing(lane: number, frames: position - first, end: position, cause: cause))
            self.cause = nil
        }
        let part = block.part(from: late, frames: block.frameCount - late)
        self.first = self.first ?? position
        end = position + part.frameCount
        try output(part, position)
    }
}
