/// The input of a lane: the open one, which others may follow, and whether it delivers.
struct LaneInput: ~Copyable {
    /// Whether the lane delivers.
    enum Delivery: Equatable {
        /// It is open, and has not delivered yet.
        case awaited
        case delivering
        /// It delivers nothing, for this reason.
        case away(RecordingInterruption)
    }

    private struct Opening {
        let input: any CaptureInput
        var intake: Intake
        let maximumFrames: Int
    }

    /// Turns the bytes of an input into blocks with the lane's channels.
    private struct BlockDecoder: ~Copyable {
        private var fragments: FragmentDecoder
        private var mixer: ChannelMixer?

        init(_ spec: SampleSpec, selectedChannels: [Int], as captured: StreamFormat, to form: StreamFormat) {
            fragments = FragmentDecoder(spec, selectedChannels: selectedChannels)
            guard captured.channelCount != form.channelCount else { return }
            mixer = ChannelMixer(
                from: captured.channelMap, to: form.channelMap, maximumFrames: fragments.maximumFrames)
        }

        var maximumFrames: Int { fragments.maximumFrames }

        mutating func decode(_ frames: inout Range<Int>, of fragment: UnsafeRawBufferPointer) -> AudioBlock {
            let decoded = fragments.decode(&frames, of: fragment)
            return mixer?.mix(decoded) ?? decoded
        }
    }

    /// The recording's rate, and the lane's channels in it.
    private let form: StreamFormat
    private let selectedChannels: [Int]
    private var opening: Opening?
    private var decoder: BlockDecoder?
    private var carryover = Intake.Carryover()
    private var sink: UInt32?
    var delivery = Delivery.awaited
    private var end: CaptureEnd?
    private var isEndTold = false
    /// Whether it was stopped, because the recording ends or another input follows.
    private(set) var isStopped = false
    /// Whether something was taken since `isNewlyStalled` last looked, and when something was there, by the mixer's clock.
    private var hasTaken = false
    private var lastTaken: UInt64?

    /// - Parameters:
    ///   - form: The recording's rate and the lane's channels.
    ///   - selectedChannels: The channels to record, counted from 1; empty for all.
    init(_ form: StreamFormat, selectedChannels: [Int]) {
        self.form = form
        self.selectedChannels = selectedChannels
    }

    /// The ring; nil if no input is open.
    var ring: CaptureRing? { opening?.input.ring }

    /// The format; nil if no input is open.
    var spec: SampleSpec? { opening?.input.source.sampleSpec }

    /// The length of the longest block that `decode` returns, in frames.
    var maximumFrames: Int { opening?.maximumFrames ?? 0 }

    var isOnPipeWire: Bool { opening?.input.source.isOnPipeWire == true }

    /// Whether the latest fragment has waited somewhere, so that its arrival tells nothing.
    var isLate: Bool { opening?.intake.isLate ?? false }

    /// The sink that it is the clock of, as last known.
    mutating func latestSink() -> UInt32? {
        sink = opening?.input.sinkIndex ?? sink
        return sink
    }

    /// Continues with an input.
    ///
    /// - Parameters:
    ///   - captured: Its rate, and its selected channels.
    ///   - interruption: Why there was none before; nil for the first one.
    mutating func open(
        _ input: any CaptureInput, as captured: StreamFormat, after interruption: RecordingInterruption?
    ) {
        let decoder = BlockDecoder(input.source.sampleSpec, selectedChannels: selectedChannels, as: captured, to: form)
        opening = Opening(
            input: input, intake: Intake(input, carryover: carryover, after: interruption),
            maximumFrames: decoder.maximumFrames)
        self.decoder = consume decoder
        delivery = .awaited
        (isStopped, isEndTold, end) = (false, false, nil)
    }

    /// Ends, after everything was taken.
    mutating func close() {
        guard let input = opening?.input else { return }
        carryover = opening?.intake.nextCarryover ?? carryover
        opening = nil
        decoder = nil
        end = input.ring.captureEnd
        isStopped = end == .stopped
        delivery = .away(RecordingInterruption(input.ring.captureEnd) ?? .suspended)
    }

    /// Ends an input that is over without having delivered a frame.
    mutating func closeIfEmpty() {
        // In this order: what is written before the ring closes is there once it is closed.
        guard let ring, ring.isClosed, waitingStamps.isEmpty else { return }
        while ring.count > 0 { ring.remove { _, _ in } }
        close()
    }

    /// Why the input delivers nothing more, since the last call, though what it has delivered may wait; nil if it may.
    mutating func takeEnd() -> CaptureEnd? {
        guard !isEndTold, let end = ring?.isClosed == true ? ring?.captureEnd : end else { return nil }
        isEndTold = true
        return end
    }

    /// Begins again with the next item, as at first.
    mutating func restart() {
        restartIntake()
        (lastTaken, hasTaken) = (nil, false)
    }

    /// Forgets when fragments arrived.
    mutating func restartIntake() {
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

// MARK: - Whether it delivers

extension LaneInput {
    /// Why it delivers nothing; nil if it does, or will soon.
    var absence: RecordingInterruption? { if case .away(let cause) = delivery { cause } else { nil } }

    /// Whether none is open, or one that delivers nothing.
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

    /// Whether something waits to be taken: an item, or the end.
    var isReady: Bool { ring.map { $0.count > 0 || $0.isClosed } ?? false }

    /// Whether nothing has arrived for so long that it counts as stalled from now on.
    ///
    /// - Parameter time: By the mixer's clock.
    mutating func isNewlyStalled(at time: UInt64) -> Bool {
        guard !isReady, !hasTaken, let last = lastTaken else {
            (lastTaken, hasTaken) = (time, false)
            return false
        }
        guard time > last + CaptureRing.idleTime else { return false }
        lastTaken = time
        return opening?.intake.idle() == .stalled
    }

    /// Whether nothing has arrived for a time in nanoseconds.
    func isDry(for length: UInt64, at time: UInt64) -> Bool {
        !isReady && lastTaken.map { time > $0 + length } ?? false
    }
}

// MARK: - What is mixed

extension LaneInput {
    /// The stamps of all fragments that wait.
    var waitingStamps: [FragmentStamp] {
        ring.map { ring in (0..<ring.count).compactMap { ring.item($0).stamp } } ?? []
    }

    /// When the latest fragment that waits has arrived, in CLOCK_MONOTONIC nanoseconds.
    var latestArrival: UInt64? {
        ring.flatMap { ring in ring.count > 0 ? ring.item(ring.count - 1).stamp?.arrivalTime : nil }
    }

    /// What to do with the next item.
    ///
    /// - Parameter isLast: Whether to decide now, because no fragment may follow soon that would tell more.
    /// - Returns: Nil if it cannot be decided yet.
    mutating func decisions(on item: CaptureItem, in ring: CaptureRing, isLast: Bool) -> [Intake.Decision]? {
        while true {
            let wanted = opening?.intake.lookahead ?? 1
            let upcoming = ring.stamps(atMost: wanted)
            guard upcoming.count == wanted || upcoming.count < ring.count || isLast else { return nil }
            guard let decisions = opening?.intake.decide(item, upcoming: upcoming) else { continue }
            hasTaken = true
            return decisions
        }
    }

    /// Takes for confirmed what an input of the same clock lacks, if it shows here as well.
    ///
    /// - Parameter offset: How many seconds later than the next frame that loss is.
    mutating func confirm(_ decision: Intake.Decision, at offset: Double) {
        let stamps = waitingStamps
        opening?.intake.confirm(decision, at: offset, upcoming: stamps[...])
    }

    /// Counts what is missing before the next fragment as known; negative if it was less than what is known.
    mutating func skip(_ seconds: Double) { opening?.intake.skip(seconds) }

    /// What is missing at the end.
    mutating func shortfallAtEnd() -> LossAccount.Shortfall? { opening?.intake.close() }

    /// Decodes the first of these frames of a fragment, in the lane's channels, and removes them from the range.
    ///
    /// - Returns: The block, valid until the next call; nil if no input is open.
    mutating func decode(_ frames: inout Range<Int>, of fragment: UnsafeRawBufferPointer) -> AudioBlock? {
        decoder?.decode(&frames, of: fragment)
    }
}

// MARK: - What is not mixed

extension LaneInput {
    /// Takes what happened before the next fragment.
    mutating func takeEvents() {
        while let ring, !endIfClosed(), ring.count > 0 {
            note(ring.item(0))
            switch ring.item(0) {
            // What is missing before the first fragment is told with that.
            case .fragment, .resumed, .partMissing: return
            case .suspended, .hole, .exhausted: ring.remove { _, _ in }
            }
        }
    }

    /// Notes what an item says of the delivery.
    mutating func note(_ item: CaptureItem) {
        switch item {
        case .fragment: delivery = .delivering
        case .suspended(let cause): delivery = .away(RecordingInterruption(cause))
        case .resumed: delivery = .awaited
        case .hole, .partMissing, .exhausted: break
        }
    }

    /// Ends if all items were taken.
    ///
    /// - Returns: Whether it has.
    mutating func endIfClosed() -> Bool {
        // In this order: what is written before the ring closes is there once it is closed.
        guard let ring, ring.count == 0, ring.isClosed, ring.count == 0 else { return false }
        end = ring.captureEnd
        opening = nil
        decoder = nil
        delivery = .away(.suspended)
        return true
    }
}
