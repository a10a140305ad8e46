import Synchronization

/// The inputs of a recording that has several: opens each, watches it, and opens it again when it has ended.
///
/// To the recording they are one source, which stays open as long as one of them may come back.
final class TrackSet: Sendable {
    /// One of the inputs.
    private struct Track: Sendable {
        let configuration: ACCAudioRecorder.Configuration
        /// What is recorded, or as it would be if it were there.
        var source: AudioSource
        /// Nil as long as it was not there.
        var found: FoundSource?
        /// Follows what the application plays, until the recording watches it.
        var following: Task<Void, Never>?
        var followed = FollowedSource()
        /// Opens it again.
        var reopening: Task<Void, Never>?
    }

    /// Who is told what happens to the inputs.
    private struct Audience: Sendable {
        let broadcast: RecordingBroadcast
        let warnings: RecordingWarnings
        let noteMute: @Sendable (_ isMuted: Bool, AudioSource) -> Void
        let interrupt: @Sendable (RecordingInterruption) -> Void
    }

    private struct State {
        var tracks: [Track]
        var audience: Audience?
        var input: CombinedInput?
        /// Waits for inputs to end.
        var task: Task<Void, Never>?

        /// That of an input that was there.
        var anyWatch: SourceWatch? { tracks.lazy.compactMap(\.followed.watch).first }
    }

    /// Stands for all inputs, in the format of their stream.
    let source: AudioSource
    private let layout: Mixdown.Layout
    private let forms: [StreamFormat]
    private let ownSteps: [ProcessingStep]
    private let gains: [Float]
    private let delays: [Double]
    private let quality: ResamplerQuality
    /// Whether all inputs end as soon as one does.
    private let requiresAll: Bool
    private let backend: any CaptureBackend
    private let state: Mutex<State>

    /// The shortest and the longest time between two attempts to open an input again.
    private static let interval = (shortest: Duration.milliseconds(100), longest: Duration.seconds(1))

    /// - Parameters:
    ///   - found: The inputs, in the order of the configuration; nil for those that are not there.
    ///   - known: The same inputs as the recording has had them so far: its files keep their rate and their channels.
    init(
        _ found: [FoundSource?], _ configuration: ACCAudioRecorder.Configuration, from backend: any CaptureBackend,
        continuing known: TrackSet? = nil
    ) {
        self.backend = backend
        quality = configuration.resamplerQuality
        requiresAll = configuration.interruptions.requiresAllInputs
        let settings = configuration.inputs.map { configuration.inputSettings[$0] ?? InputSettings() }
        gains = settings.map { Float(Decibels.amplitude(Float($0.gain))) }
        delays = settings.map(\.delay.seconds)
        let knownSources = known?.state.withLock { $0.tracks.map(\.source) }
        let tracks = configuration.inputs.indices.map { index in
            let input = configuration.inputs[index]
            let configuration = configuration.recording(input)
            return Track(
                configuration: configuration,
                source: found[index]?.source ?? knownSources?[index] ?? AudioSource(absent: input.name, configuration),
                found: found[index])
        }
        let captured = tracks.map { $0.found?.captured ?? $0.source.form }
        let rate = known?.forms[0].sampleRate ?? captured[0].sampleRate
        // The same channels for each, as far as they are asked for.
        let maps = zip(tracks, captured).map { track, captured in
            track.configuration.resolved(for: captured).form(from: captured).channelMap
        }
        var steps: [ProcessingStep] = []
        switch configuration.inputLayout {
        case .tracks:
            forms = known?.forms ?? maps.map { StreamFormat(sampleRate: rate, channelMap: $0) }
            layout = .stack
        case .mix:
            let widest = maps.max { $0.count < $1.count } ?? .standard(channelCount: 1)
            forms = known?.forms ?? maps.map { _ in StreamFormat(sampleRate: rate, channelMap: widest) }
            layout = .sum
            steps.append(.inputsAdded)
        }
        for (captured, form) in zip(captured, forms) where captured.channelCount != form.channelCount {
            steps.append(.mixed(from: captured.channelMap.channelCount, to: form.channelMap.channelCount))
        }
        if settings.contains(where: { $0.gain != 0 }) { steps.append(.inputsAmplified) }
        if tracks.contains(where: {
            !$0.source.sharesClock(with: tracks[0].source) || $0.source.sampleSpec.rate != rate
        }) {
            steps.append(.inputsResampled)
        }
        ownSteps = steps
        source = AudioSource(
            combining: tracks.map(\.source), named: configuration.inputs.map(\.name), forms, configuration.inputLayout,
            isExact: !steps.contains(.inputsAmplified))
        state = Mutex(State(tracks: tracks))
    }

    deinit {
        close()
    }

    /// The watch of the first input, or of another one while that is not there.
    var firstWatch: SourceWatch? { state.withLock { $0.tracks[0].followed.watch ?? $0.anyWatch } }

    /// The channels that each input has in the recording, counted from 1.
    private var channels: [[Int]] {
        var first = 1
        return forms.map { form in
            defer { if layout == .stack { first += form.channelCount } }
            return Array(first..<first + form.channelCount)
        }
    }

    /// The channels of an input with this name; nil if there is none.
    func channels(ofInput name: String) -> TrackChannels? {
        let tracks = state.withLock { $0.tracks }
        guard let index = tracks.firstIndex(where: { $0.configuration.input.name == name }) else { return nil }
        return TrackChannels(numbers: channels[index], map: forms[index].channelMap)
    }

    /// What is known of the inputs.
    var inputs: [RecordedInput] {
        let (tracks, alignments) = state.withLock { ($0.tracks, $0.input?.alignments ?? []) }
        return tracks.indices.map { index in
            let alignment = alignments.indices.contains(index) ? alignments[index] : LaneAlignment()
            return RecordedInput(
                name: tracks[index].configuration.input.name, source: tracks[index].source,
                channels: channels[index], gain: gains[index], delay: .limited(seconds: delays[index]),
                offset: alignment.offset.map { .limited(seconds: $0) },
                uncertainty: alignment.uncertainty.map { .limited(seconds: $0) }, clockDrift: alignment.clockDrift,
                systemDrift: alignment.systemDrift, correction: .limited(seconds: alignment.correction))
        }
    }

    /// What is done to any of them before they are put together, by the server and here.
    var processingSteps: [ProcessingStep] {
        state.withLock { state in
            state.tracks.reduce(into: ownSteps) { steps, track in
                steps += track.followed.allProcessingSteps.filter { !steps.contains($0) }
            }
        }
    }

    /// Begins to open all inputs as one.
    func open(_ settings: CaptureSettings, start: CaptureStart) throws(ACCAudioRecorderError) -> CombinedInput {
        let tracks = state.withLock { $0.tracks }
        let lanes = forms.indices.map { number in
            Lane(
                number: number, form: forms[number],
                selectedChannels: tracks[number].configuration.channels.numbers, quality: quality,
                delay: delays[number], sharesClock: tracks[number].source.sharesClock(with: tracks[0].source))
        }
        let (ends, ended) = AsyncStream.makeStream(of: (lane: Int, end: CaptureEnd).self)
        let combined = try CombinedInput.open(source, lanes: lanes, layout, gains: gains, settings, start: start) {
            ended.yield(($0, $1))
        }
        var inputs: [(lane: Int, input: any CaptureInput, found: FoundSource)] = []
        do throws(ACCAudioRecorderError) {
            for (lane, track) in tracks.enumerated() {
                if let found = track.found { inputs.append((lane, try found.startOpening(.atOnce), found)) }
            }
        } catch {
            Task { [inputs] in
                await combined.stop(.now)
                for (_, input, _) in inputs { await input.stop(.now) }
            }
            throw error
        }
        // Nobody can have stopped it yet.
        for (lane, input, found) in inputs { _ = combined.open(lane: lane, input, as: found.captured) }
        let task = Task { [weak self] in
            for await (lane, end) in ends { self?.inputEnded(lane, end) }
        }
        state.withLock { ($0.input, $0.task) = (combined, task) }
        for (lane, input, found) in inputs where found.source.kind == .application {
            let following = Task { [weak self] in
                // Whoever cannot be asked now is asked again when the recording watches.
                let task = try? await ApplicationWatch.start(
                    found.source.name, found.choice, connection: found.connection, following: input)
                self?.state.withLock { $0.tracks[lane].following = task }
            }
            state.withLock { $0.tracks[lane].following = following }
        }
        for (lane, track) in tracks.enumerated() where track.found == nil { reopen(lane, after: .deviceLost) }
        return combined
    }

    /// Stops watching the inputs, and opens none any more.
    func close() {
        state.withLock { state in
            for index in state.tracks.indices {
                state.tracks[index].followed.stop()
                state.tracks[index].following?.cancel()
                state.tracks[index].reopening?.cancel()
            }
            state.task?.cancel()
            state.audience = nil
        }
    }
}

// MARK: - Watching

extension TrackSet {
    /// Watches all inputs for a recording.
    ///
    /// - Parameters:
    ///   - noteMute: Called whenever it is known whether the server mutes a source.
    ///   - interrupt: Called when a call begins that interrupts the recording.
    func watch(
        for broadcast: RecordingBroadcast, _ warnings: RecordingWarnings,
        noteMute: @escaping @Sendable (_ isMuted: Bool, AudioSource) -> Void,
        interrupt: @escaping @Sendable (RecordingInterruption) -> Void
    ) async throws(CaptureFailure) {
        let audience = Audience(broadcast: broadcast, warnings: warnings, noteMute: noteMute, interrupt: interrupt)
        state.withLock { $0.audience = audience }
        for (lane, track) in state.withLock({ $0.tracks }).enumerated() {
            if track.found == nil { warnings.send(.inputAbsent(track.configuration.input.name)) }
            try await watch(lane, for: audience)
        }
    }

    private func watch(_ lane: Int, for audience: Audience) async throws(CaptureFailure) {
        let (track, input) = state.withLock { ($0.tracks[lane], $0.input?.input(ofLane: lane)) }
        guard let found = track.found else { return }
        var configuration = track.configuration
        // A call interrupts all of the recording, so one watch is enough.
        if lane > 0 { configuration.interruptions.onCall = .ignore }
        let (watch, watching) = try await SourceWatch.start(
            on: found.source, playing: track.followed.watch?.choice ?? found.choice,
            knowing: track.followed.watch?.knownCalls, of: configuration, connection: found.connection,
            broadcast: audience.broadcast, warnings: audience.warnings, noteMute: audience.noteMute
        ) { [weak self] cause in
            if cause == .call { audience.interrupt(cause) } else { self?.reopen(lane, after: cause) }
        }
        state.withLock { state in
            state.tracks[lane].following?.cancel()
            state.tracks[lane].followed.follow(by: watch, watching)
        }
        if let input { await watch.follow(input) }
    }
}

// MARK: - Opening inputs again

extension TrackSet {
    private func inputEnded(_ lane: Int, _ end: CaptureEnd) {
        if requiresAll, end != .stopped {
            let (watch, input) = state.withLock { ($0.tracks[lane].followed.watch, $0.input) }
            if RecordingInterruption(end) == .deviceLost { watch?.reportLoss() }
            input?.endAll(end)
            return
        }
        switch end {
        case .stopped: break
        case .failed: reopen(lane, after: .deviceLost)
        case .sourceRemoved, .killed, .moved, .serverLost:
            if let cause = RecordingInterruption(end) { reopen(lane, after: cause) }
        }
    }

    /// Opens an input again as soon as that is possible.
    private func reopen(_ lane: Int, after cause: RecordingInterruption) {
        let task = Task { [weak self] in
            let clock = RecorderClock()
            var delay = Self.interval.shortest
            while !Task.isCancelled {
                // Before asking, so that no change is missed.
                let change = self?.nextChange(of: lane) ?? Promise()
                guard await self?.tryToReopen(lane, after: cause) == true else { return }
                try? await clock.sleep(until: clock.now + Self.interval.shortest)
                await clock.wait(for: change, until: clock.now + delay)
                delay = min(delay * 2, Self.interval.longest)
            }
        }
        state.withLock { state in
            state.tracks[lane].reopening?.cancel()
            state.tracks[lane].reopening = task
            if cause == .deviceLost { state.tracks[lane].followed.watch?.reportLoss() }
        }
    }

    private func nextChange(of lane: Int) -> Promise<Void>? {
        // Any watch hears of all changes at the server.
        state.withLock { $0.tracks[lane].followed.watch ?? $0.anyWatch }?.nextChange
    }

    /// - Returns: Whether to try again.
    private func tryToReopen(_ lane: Int, after cause: RecordingInterruption) async -> Bool {
        let (track, combined, other) = state.withLock { ($0.tracks[lane], $0.input, $0.anyWatch) }
        guard let combined, combined.isOpen else { return false }
        let recovery = Recovery(
            configuration: track.configuration, backend: backend, source: track.source, watch: track.followed.watch)
        switch track.found == nil
            ? await recovery.firstDecision(over: other?.connection)
            : await recovery.decision(after: cause, isSettled: true)
        {
        case .wait, .hold: return true
        case .end: return false
        case .found(var found):
            // What the old input still has comes first; the new one delivers meanwhile.
            found.isTrack = true
            guard let input = try? await found.open(.atOnce, keeping: 0, orLess: true) else { return true }
            let old = combined.input(ofLane: lane)
            guard !Task.isCancelled, combined.open(lane: lane, input, as: found.captured, after: cause) else {
                await input.stop(.now)
                return false
            }
            await old?.stop(.after(hostTime: backend.now()))
            let audience = state.withLock { [found] state in
                (state.tracks[lane].found, state.tracks[lane].source) = (found, found.source)
                return state.audience
            }
            if track.found == nil { audience?.broadcast.events.send(.deviceReturned(found.source)) }
            track.followed.watch?.reportReturn(of: found.source)
            // Without a watch it is recorded all the same.
            if let audience { try? await watch(lane, for: audience) }
            return false
        }
    }
}
