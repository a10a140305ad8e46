import Synchronization

/// An input that captures one of the streams that an application plays.
///
/// It stays open until the application plays the stream no more. A stream that its program has paused delivers silence on
/// PulseAudio and nothing on PipeWire; neither is captured. PulseAudio ends the record stream of a playback stream that moves to
/// another sink, so it is opened again; PipeWire's follows.
///
/// The stream's events do not retain the input, so a task started by `open` does until it has ended.
///
/// `@unchecked Sendable`: all variables are used only under the main loop's lock, which its thread holds when it calls back.
final class PlaybackInput: CaptureInput, @unchecked Sendable {
    private enum State {
        /// Nothing has been captured since the record stream was opened, or since a pause.
        case waiting
        case delivering
        /// The program has paused it, its sink is suspended, or its record stream is lost.
        case quiet
    }

    let source: AudioSource
    let ring: CaptureRing
    private let connection: PulseConnection
    private let settings: CaptureSettings
    private let group: PlaybackGroup
    private var writer: FragmentWriter
    private var playback: ApplicationStream
    private let sink: Atomic<UInt32>
    private var state = State.waiting {
        didSet {
            guard state != oldValue else { return }
            expected.store(state == .waiting, ordering: .relaxed)
            // The other streams are held back for this one from now on, so that its first frames are not late.
            if state == .waiting { group.consumer.wake() }
        }
    }
    private let expected = Atomic<Bool>(true)
    /// Nil if it has ended, or its connection is not there yet.
    private var stream: PulseRecordStream?
    /// The connection of the record stream if it has one of its own; closed after the stream.
    private var context: PulseContext?
    /// Whether that is the one of the group's connection.
    private var usesSharedConnection = false
    /// Why it is quiet.
    private var cause = SuspensionCause.applicationPaused
    /// Why nothing is delivered, as the ring says; nil while something is.
    private var quietCause: SuspensionCause?
    /// Whether it has delivered since `quietCause` was last set.
    private var isDelivering = false
    /// Whether what it played before its pause may still arrive, or PipeWire has not begun to play it.
    private var isUnsettled = false
    /// When the server announced its latest pause, in CLOCK_MONOTONIC nanoseconds.
    private var pauseTime: UInt64 = 0
    /// Whether frames have arrived that were played after its pause, whose end the server has not announced yet.
    private var hasResumedUnannounced = false
    /// Whether something of its record stream was captured.
    private var hasCaptured = false
    /// Whether the record stream had ended before it was opened again.
    private var wasLost = false
    /// How many frames of silence were not captured before the first sound.
    private var silentFrames = 0
    /// The shortest time so far between the capture of a frame and its arrival, in nanoseconds.
    private var shortestLag: Int64?
    private let ended = Promise<CaptureEnd>()

    /// How long a record stream may still deliver what was played before its program paused it.
    private static let settlingTime = Duration.milliseconds(150)
    /// By how much the lag of a stream may vary, in nanoseconds.
    private static let lagTolerance: Int64 = 20_000_000

    private init(
        _ playback: ApplicationStream, of application: AudioSource, _ group: PlaybackGroup,
        _ settings: CaptureSettings, start: CaptureStart, connection: PulseConnection
    ) throws(ACCAudioRecorderError) {
        source = application
        self.playback = playback
        self.group = group
        self.settings = settings
        self.connection = connection
        sink = Atomic(playback.sinkIndex)
        writer = try FragmentWriter(
            application.sampleSpec, fragmentFrames: settings.fragmentFrames, start: start, consumer: group.consumer)
        ring = writer.ring
    }

    /// Opens the input; it captures nothing before its start.
    static func open(
        _ playback: ApplicationStream, of application: AudioSource, _ group: PlaybackGroup,
        _ settings: CaptureSettings, start: CaptureStart, connection: PulseConnection
    ) throws(ACCAudioRecorderError) -> PlaybackInput {
        let input = try PlaybackInput(
            playback, of: application, group, settings, start: start, connection: connection)
        Task.detached { _ = await input.ended.value }
        Task.detached { [weak input, closed = connection.closed] in
            await closed.value
            input?.end(.serverLost)
        }
        connection.mainLoop.locked {
            input.attach()
            input.update(to: playback)
        }
        return input
    }
}

// MARK: - CaptureInput

extension PlaybackInput {
    var isOpen: Bool { !ended.isFulfilled }

    var streamIndex: UInt32? {
        get async { connection.mainLoop.locked { stream?.index } }
    }

    var sinkIndex: UInt32? {
        let index = sink.load(ordering: .relaxed)
        return index == .max ? nil : index
    }

    var isExpected: Bool { expected.load(ordering: .relaxed) }

    func waitUntilOpen() async throws(ACCAudioRecorderError) {}

    func begin() {
        connection.mainLoop.locked { writer.startTime = MonotonicClock.now() }
    }

    func capture(_ playing: [ApplicationStream]) {
        connection.mainLoop.locked {
            guard !ended.isFulfilled else { return }
            guard let playback = playing.first(where: { $0.index == self.playback.index }) else {
                readAvailable()
                return finish(.stopped)
            }
            if stream == nil { attach() }
            update(to: playback)
        }
    }

    func stop(_ stop: CaptureStop) async {
        connection.mainLoop.locked {
            guard !ended.isFulfilled else { return }
            switch stop {
            case .after(let hostTime):
                writer.stopTime = hostTime
                readAvailable()
                if state != .delivering { finish(.stopped) }
            case .now: finish(.stopped)
            }
        }
        let rest = Task {
            try await CaptureStop.drain { connection.mainLoop.locked { drain() } }
        }
        _ = await ended.value
        rest.cancel()
    }

    /// Moves what has arrived into the ring, and ends the input when all of it is there.
    ///
    /// - Returns: Whether the input has ended.
    private func drain() -> Bool {
        readAvailable()
        if stream?.queuedBytes ?? 0 == 0 { finish(.stopped) }
        return ended.isFulfilled
    }
}

// MARK: - The record stream

extension PlaybackInput {
    /// Opens the record stream.
    ///
    /// PipeWire delivers nothing of a stream while a fragment of another one waits to be sent over the same connection.
    /// Where each of its cycles completes a fragment, the other streams would be delivered seconds later, so each stream
    /// but the first has a connection of its own there, if there can be one.
    private func attach() {
        guard context == nil else { return }
        state = .waiting
        (hasCaptured, hasResumedUnannounced) = (false, false)
        if source.isOnPipeWire, !usesSharedConnection { usesSharedConnection = group.claimConnection() }
        if source.isOnPipeWire, !usesSharedConnection {
            context = try? PulseContext(to: connection.serverName, on: connection.mainLoop) { [unowned self] in
                openStream(through: $0.isReady ? $0 : nil)
            }
        }
        if context == nil { openStream() }
    }

    /// If this fails, the next change at the server leads to another attempt: the playback stream has probably moved or
    /// ended.
    private func openStream(through context: PulseContext? = nil) {
        stream = try? PulseRecordStream(
            of: .playback(playback.index), as: source, fragmentBytes: ring.slotBytes,
            properties: settings.streamProperties, on: connection, through: context
        ) { [unowned self] in handle($0) }
        if stream == nil || context == nil { self.context = nil }
        if stream == nil { releaseConnection() }
    }

    private func detach() {
        stream?.close()
        (stream, context) = (nil, nil)
        releaseConnection()
    }

    private func releaseConnection() {
        if usesSharedConnection { group.releaseConnection() }
        usesSharedConnection = false
    }

    private func handle(_ event: PulseRecordStream.Event) {
        switch event {
        case .opened, .moved: break
        case .readable: readAvailable()
        case .suspensionChanged: suspensionChanged()
        case .failed(let failure):
            if failure.reason == .noServer { return finish(.serverLost) }
            // Whoever watches the application hears of the same, and says whether it has moved or ended.
            readAvailable()
            detach()
            wasLost = true
            silence(.applicationMoved)
        }
    }

    private func suspensionChanged() {
        guard let stream else { return }
        readAvailable()
        if stream.isSuspended {
            silence(.suspended)
        } else if state == .quiet, !playback.isPaused {
            state = .waiting
        }
        reportQuiet()
    }
}

// MARK: - Pauses

extension PlaybackInput {
    private func update(to playback: ApplicationStream) {
        let wasPaused = self.playback.isPaused
        self.playback = playback
        sink.store(playback.sinkIndex, ordering: .relaxed)
        let isNewlyPaused = playback.isPaused && (state == .waiting || hasResumedUnannounced || !wasPaused)
        if playback.isPaused, state == .waiting { silence(.applicationPaused) }
        if isNewlyPaused {
            isUnsettled = true
            (pauseTime, hasResumedUnannounced) = (MonotonicClock.now(), false)
            stream?.queryPausePosition()
            Task { [self, pauseTime] in
                // What was played before the pause may arrive after the announcement; nothing tells that all has come.
                try? await Task.sleep(for: Self.settlingTime)
                connection.mainLoop.locked { settle(since: pauseTime) }
            }
        } else if wasPaused, !playback.isPaused {
            stream?.cancelPauseQuery()
            if !hasResumedUnannounced { interruptForPause() }
            hasResumedUnannounced = false
        }
        reportQuiet()
    }

    /// What is delivered next was played after a pause.
    private func interruptForPause() {
        isUnsettled = false
        silence(.applicationPaused)
        if isDelivering { reportQuiet() }
        state = .waiting
    }

    /// Ends the delivery if the pause that began then still lasts.
    private func settle(since pauseTime: UInt64) {
        guard self.pauseTime == pauseTime, playback.isPaused, !hasResumedUnannounced else { return }
        isUnsettled = false
        silence(.applicationPaused)
        reportQuiet()
    }

    private func silence(_ cause: SuspensionCause) {
        (state, self.cause) = (.quiet, cause)
    }

    /// Says that nothing is delivered any more, and why.
    private func reportQuiet() {
        guard !ended.isFulfilled, state != .delivering, !isUnsettled else { return }
        if state == .quiet {
            report(cause)
        } else if isDelivering {
            report(wasLost ? .applicationMoved : .applicationAbsent)
        }
        wasLost = false
    }

    private func report(_ cause: SuspensionCause) {
        guard cause != quietCause else { return }
        writer.append(.suspended(cause))
        quietCause = cause
        isDelivering = false
    }
}

// MARK: - What is captured

extension PlaybackInput {
    private func readAvailable() {
        while let block = stream?.nextBlock() {
            // Libpulse keeps what does not fit into the ring.
            let byteCount = block.bytes?.count ?? 0
            let mayDrop = stream?.isQueueFull == true && !writer.isStopping
            guard writer.hasRoom(for: byteCount) || mayDrop else { return }
            let stamp = corrected(block.stamp, byteCount: block.bytes?.count ?? block.holeBytes)
            let isComplete = block.bytes.map { capture($0, stamp) } ?? false
            // Between two pauses, nothing is missing.
            if block.bytes == nil, state == .delivering { writer.skip(byteCount: block.holeBytes, at: stamp.hostTime) }
            stream?.dropBlock()
            if isComplete { return finish(.stopped) }
        }
    }

    /// The stamp with a plausible time: on PipeWire the stated latency grows as long as a stream delivers nothing, and
    /// takes a while to recover. And what a stream plays arrives a fragment earlier than it does from the monitor of its sink,
    /// which the server does not state (measured with fragments of 1,024 and 2,048 frames, PipeWire 0.3.65).
    private func corrected(_ stamp: FragmentStamp, byteCount: Int) -> FragmentStamp {
        guard source.isOnPipeWire else { return stamp }
        let length = Int64(source.sampleSpec.nanoseconds(byteCount / source.sampleSpec.bytesPerFrame))
        let arrival = Int64(stamp.arrivalTime) - length
        let stated = arrival - Int64(stamp.hostTime)
        let shortest = min(shortestLag ?? stated, stated)
        shortestLag = shortest
        var stamp = stamp
        let fragment = Int64(source.sampleSpec.nanoseconds(ring.slotBytes / source.sampleSpec.bytesPerFrame))
        stamp.hostTime = UInt64(max(arrival - min(stated, shortest + Self.lagTolerance) + fragment, 0))
        stamp.sourceLatency = stamp.sourceLatency.map { $0 - fragment }
        return stamp
    }

    /// - Returns: Whether the stop is reached.
    private func capture(_ bytes: UnsafeRawBufferPointer, _ stamp: FragmentStamp) -> Bool {
        // Before the start.
        guard writer.startTime != .max else { return false }
        let spec = source.sampleSpec
        var (position, stamp) = (0, stamp)
        var isFirst = true
        while let pause = stream?.nextPause(within: bytes.count) {
            // What follows was played after the pause, whose end may not be announced yet.
            (hasResumedUnannounced, isUnsettled) = (playback.isPaused, false)
            let isEarlier = isFirst && quietCause != nil && hasCaptured
            isFirst = false
            let frames = (pause - position) / spec.bytesPerFrame
            let length = spec.nanoseconds(frames)
            var partStamp = stamp
            partStamp.hostTime = min(stamp.hostTime, max(pauseTime, length) - length)
            let part = UnsafeRawBufferPointer(rebasing: bytes[position..<pause])
            if append(part, partStamp, isEarlier: isEarlier) { return true }
            if !isEarlier { interruptForPause() }
            (position, stamp) = (pause, stamp.later(by: frames, in: spec))
        }
        return append(UnsafeRawBufferPointer(rebasing: bytes[position...]), stamp)
    }

    /// - Parameter isEarlier: Whether the bytes were played before the pause that was reported.
    /// - Returns: Whether the stop is reached.
    private func append(
        _ bytes: UnsafeRawBufferPointer, _ stamp: FragmentStamp, isEarlier: Bool = false
    ) -> Bool {
        let sounding = soundingPart(of: bytes)
        guard !sounding.isEmpty else {
            recordSilence(bytes)
            return false
        }
        state = .delivering
        wasLost = false
        hasCaptured = true
        let bytesPerFrame = source.sampleSpec.bytesPerFrame
        if quietCause != nil {
            quietCause = nil
            writer.append(.resumed(earlierFrames: isEarlier ? sounding.count / bytesPerFrame : 0))
        }
        group.hasSounded = true
        isDelivering = true
        let outcome = writer.write(
            UnsafeRawBufferPointer(rebasing: sounding),
            stamp.later(by: sounding.startIndex / bytesPerFrame, in: source.sampleSpec))
        if !outcome.isComplete, outcome.byteCount < sounding.count {
            writer.drop(byteCount: sounding.count - outcome.byteCount)
        }
        return outcome.isComplete
    }

    /// What is captured of the bytes: all, except for silence before the first sound and while the stream is paused.
    private func soundingPart(of bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        let isPaused = (playback.isPaused || state == .quiet) && !hasResumedUnannounced
        let isCaptured = group.hasSounded && !isPaused
        guard !isCaptured, let first = bytes.firstIndex(where: { $0 != 0 }) else {
            return isCaptured ? bytes[...] : bytes[..<0]
        }
        let bytesPerFrame = source.sampleSpec.bytesPerFrame
        let last = isPaused ? bytes.lastIndex { $0 != 0 } ?? first : bytes.count - 1
        return bytes[first / bytesPerFrame * bytesPerFrame..<(last / bytesPerFrame + 1) * bytesPerFrame]
    }

    /// Says that the recording waits if the application plays, but only silence.
    private func recordSilence(_ bytes: UnsafeRawBufferPointer) {
        guard !group.hasSounded, quietCause == nil else { return }
        silentFrames += bytes.count / source.sampleSpec.bytesPerFrame
        if silentFrames > source.sampleSpec.sampleRate / 2 { report(.applicationAbsent) }
    }

    private func end(_ end: CaptureEnd) {
        connection.mainLoop.locked { finish(end) }
    }

    /// Closes the stream and the ring; everything that was delivered is in the ring.
    private func finish(_ end: CaptureEnd) {
        guard !ended.isFulfilled else { return }
        detach()
        writer.close(end)
        ended.fulfil(end)
    }
}

extension FragmentStamp {
    /// The stamp of the same fragment without its first frames.
    fileprivate func later(by frames: Int, in spec: SampleSpec) -> FragmentStamp {
        var stamp = self
        stamp.hostTime += spec.nanoseconds(frames)
        return stamp
    }
}
