import Glibc
import Synchronization

/// Several inputs as one, which a recording captures like a source: a thread mixes what they deliver into one ring.
///
/// The ring stays open while inputs end and others take their place. What follows it, from pre-roll to the report, knows one
/// input only, and a recording with a single one has neither this thread nor its copy.
///
/// `@unchecked Sendable`: `mixer` and `noteTime` belong to the thread once that was started; everything else is constant or in a
/// mutex.
final class CombinedInput: CaptureInput, @unchecked Sendable {
    let source: AudioSource
    let ring: CaptureRing
    private let mixer: LaneMixer
    private let requests = Mutex(Requests())
    private let latestAlignments = Mutex<[LaneAlignment]>([])
    /// Wakes the thread. Rings of a group's inputs share it.
    let waker = ThreadWaker()
    /// When the alignments were last noted, in CLOCK_MONOTONIC nanoseconds. The thread's.
    private var noteTime: UInt64 = 0
    private let ended = Promise<CaptureEnd>()
    /// Called by the thread when the input of a lane has ended by itself.
    private let onEnd: @Sendable (_ lane: Int, CaptureEnd) -> Void

    /// What the thread is asked for.
    private struct Requests {
        var openings: [Opening] = []
        /// What joins a group; nil before it is known what does.
        var joining: [Joining]?
        /// Why a group ends that has no input, or all inputs end that one of them needs.
        var end: CaptureEnd?
        var inputs: [Int: any CaptureInput] = [:]
        var startTime: UInt64?
        var stop: CaptureStop?
    }

    private struct Opening {
        let lane: Int
        let input: any CaptureInput
        let captured: StreamFormat
        let interruption: RecordingInterruption?
    }

    private struct Joining {
        let input: any CaptureInput
        let quality: ResamplerQuality
    }

    /// How long the thread sleeps while something waits that cannot be taken yet, in microseconds.
    private static let pollInterval: UInt32 = 10_000
    /// How long it sleeps while no input is open, in nanoseconds.
    private static let longestSleep: UInt64 = 200_000_000
    /// How often the alignments are noted, in nanoseconds.
    private static let noteInterval: UInt64 = 100_000_000

    private init(
        _ source: AudioSource, _ ring: CaptureRing, _ mixer: LaneMixer,
        onEnd: @escaping @Sendable (_ lane: Int, CaptureEnd) -> Void
    ) {
        (self.source, self.ring, self.mixer, self.onEnd) = (source, ring, mixer, onEnd)
    }

    /// Begins to mix.
    ///
    /// - Parameters:
    ///   - source: Stands for all inputs; its format is the stream's.
    ///   - layout: Must fit the lanes.
    ///   - gains: By what the samples of each lane are multiplied; empty for none.
    ///   - onEnd: Called when the input of a lane has ended by itself.
    static func open(
        _ source: AudioSource, lanes: [Lane], _ layout: Mixdown.Layout, gains: [Float] = [],
        _ settings: CaptureSettings, start: CaptureStart,
        onEnd: @escaping @Sendable (_ lane: Int, CaptureEnd) -> Void
    ) throws(ACCAudioRecorderError) -> CombinedInput {
        let writer = try FragmentWriter(
            source.sampleSpec, fragmentFrames: settings.fragmentFrames, keptLength: settings.keptLength, start: start)
        let ring = writer.ring
        guard let mixer = LaneMixer(lanes, layout, gains: gains, as: source.sampleSpec, writer: writer) else {
            throw .audioFormatCreationFailed(
                .init(
                    .invalidFormat, "cannot record \(lanes.count) inputs together",
                    cause: "they have \(lanes.map { "\($0.channelCount)" }.joined(separator: ", ")) channels",
                    remedy: "Record at most 32 channels, or the same number of each input to mix them."))
        }
        let input = CombinedInput(source, ring, mixer, onEnd: onEnd)
        try DetachedThread.start("mix") { input.run() }
        return input
    }

    /// Continues a lane with an input.
    ///
    /// - Parameters:
    ///   - captured: The rate of the input, and its selected channels.
    ///   - interruption: Why the lane had none before; nil for the first one.
    /// - Returns: Whether it does; not if everything is being stopped, when nobody would stop this one.
    func open(
        lane: Int, _ input: any CaptureInput, as captured: StreamFormat,
        after interruption: RecordingInterruption? = nil
    ) -> Bool {
        defer { waker.wake() }
        return requests.withLock { requests in
            guard requests.stop == nil else { return false }
            requests.openings.append(
                .init(lane: lane, input: input, captured: captured, interruption: interruption))
            requests.inputs[lane] = input
            return true
        }
    }

    /// How the lanes lie beside the reference.
    var alignments: [LaneAlignment] { latestAlignments.withLock { $0 } }

    /// Begins to mix a group, which inputs join later.
    static func open(group source: AudioSource, _ settings: CaptureSettings) throws(ACCAudioRecorderError)
        -> CombinedInput
    {
        try open(source, lanes: [], .sum, settings, start: .atOnce) { _, _ in }
    }

    /// Adds inputs to a group, each until it ends.
    ///
    /// - Parameter quality: How an input of another clock is resampled.
    func join(_ inputs: [any CaptureInput], quality: ResamplerQuality) {
        requests.withLock { requests in
            requests.joining = (requests.joining ?? []) + inputs.map { Joining(input: $0, quality: quality) }
        }
        waker.wake()
    }

    /// Ends a group that has no input any more.
    func end(_ end: CaptureEnd) {
        requests.withLock { $0.end = end }
        waker.wake()
    }

    /// Ends all inputs for the reason of one of them, with what they have captured until now.
    func endAll(_ end: CaptureEnd) {
        requests.withLock { $0.end = end }
        let now = MonotonicClock.now()
        Task { await stop(.after(hostTime: now)) }
    }

    /// The input of a lane; nil if it had none yet.
    func input(ofLane lane: Int) -> (any CaptureInput)? { requests.withLock { $0.inputs[lane] } }
}

// MARK: - CaptureInput

extension CombinedInput {
    var isOpen: Bool { !ended.isFulfilled }

    var streamIndex: UInt32? { get async { nil } }

    func waitUntilOpen() async throws(ACCAudioRecorderError) {}

    func begin() {
        requests.withLock { $0.startTime = MonotonicClock.now() }
    }

    /// Begins to stop: an input that ends from now on has not ended by itself.
    func request(_ stop: CaptureStop) {
        requests.withLock { $0.stop = stop }
        waker.wake()
    }

    func stop(_ stop: CaptureStop) async {
        request(stop)
        let inputs = requests.withLock { $0.inputs.values.map { $0 } }
        await withTaskGroup { group in
            for input in inputs { group.addTask { await input.stop(stop) } }
        }
        _ = await ended.value
    }
}

// MARK: - The thread

extension CombinedInput {
    private func run() {
        let end: CaptureEnd
        do throws(ACCAudioRecorderError) {
            end = try mix()
        } catch {
            end = .failed(CaptureFailure(error.failure?.reason ?? .system, error.failure?.cause ?? "\(error)"))
        }
        ended.fulfil(end)
        // An input that was opened meanwhile has nobody who takes what it delivers.
        let inputs = requests.withLock { $0.inputs.values.map { $0 } }
        Task { for input in inputs { await input.stop(.now) } }
    }

    private func mix() throws(ACCAudioRecorderError) -> CaptureEnd {
        var hasWaited = false
        while true {
            let (openings, joining, startTime, stop, requestedEnd) = requests.withLock { requests in
                // A lane takes what its old input has left before it goes on with a new one.
                let isNext = { (opening: Opening) in self.mixer.lanes[opening.lane].ring == nil }
                defer {
                    requests.openings.removeAll(where: isNext)
                    requests.joining = requests.joining == nil ? nil : []
                    requests.startTime = nil
                }
                return (
                    requests.openings.filter(isNext), requests.joining, requests.startTime, requests.stop, requests.end
                )
            }
            for opening in openings {
                mixer.lanes[opening.lane].open(opening.input, as: opening.captured, after: opening.interruption)
            }
            for joining in joining ?? [] { mixer.join(joining.input, quality: joining.quality) }
            if joining != nil { mixer.group?.mayBeEmpty = true }
            if let startTime { mixer.begin(at: startTime) }
            switch stop {
            case .now:
                try mixer.close(.stopped)
                return .stopped
            case .after(let hostTime): mixer.end(at: hostTime)
            case nil: break
            }
            let now = MonotonicClock.now()
            let hasTaken = try mixer.run(at: now, hasWaited: hasWaited)
            if mixer.group == nil { tellOfLanes(at: now, isLast: stop != nil) }
            if mixer.isComplete || stop != nil && mixer.hasEnded {
                let end = requestedEnd ?? .stopped
                try mixer.close(end)
                return end
            }
            if mixer.hasEnded, let end = mixer.group?.failure ?? requestedEnd {
                try mixer.close(end)
                return end
            }
            hasWaited = wait(afterTaking: hasTaken)
        }
    }

    /// Passes on which inputs have ended, and notes how the lanes lie.
    private func tellOfLanes(at now: UInt64, isLast: Bool) {
        if isLast || now > noteTime + Self.noteInterval {
            noteTime = now
            let alignments = mixer.lanes.map(\.alignment)
            latestAlignments.withLock { $0 = alignments }
        }
        for lane in mixer.lanes { if let end = lane.takeEnd() { onEnd(lane.number, end) } }
    }

    /// Waits until an input delivers: the first one that does sets the pace. What is only relayed is collected for as long as
    /// whoever takes it does: wake-ups are most of a recorder's cost.
    ///
    /// - Returns: Whether it has waited in vain for as long as it may.
    private func wait(afterTaking hasTaken: Bool) -> Bool {
        let relayed = mixer.group?.relayed
        // Its end is told at once.
        if relayed?.isQuiet == true { return false }
        guard
            let lane = relayed ?? mixer.lanes.first(where: { !$0.isAway })
                ?? mixer.lanes.first(where: { $0.ring != nil }),
            let ring = lane.ring
        else {
            _ = waker.wait(until: MonotonicClock.now() + Self.longestSleep)
            return false
        }
        // What waits there is judged, or has no room, and nobody announces that a slot was freed: see `CaptureStop.drain`.
        if ring.count > 0 || ring.isClosed {
            if !hasTaken { usleep(Self.pollInterval) }
            return false
        }
        let result = ring.wait(for: relayed == nil ? 1 : self.ring.awaitedCount) {
            isAnyJoining
                || !mixer.isMixing
                    && mixer.lanes.contains { $0 !== lane && ($0.isReady || relayed != nil && !$0.isAway) }
        }
        return result == .idle
    }

    private var isAnyJoining: Bool { requests.withLock { $0.joining?.isEmpty == false } }
}
