import Synchronization

/// An input that captures what an application plays: one record stream for each of its playback streams, mixed.
///
/// It is told which playback streams these are, and stays open while there are none. A stream that its program has paused
/// delivers silence on PulseAudio and nothing on PipeWire; neither is captured. PulseAudio ends the record stream of a
/// playback stream that moves to another sink, so it is opened again; PipeWire's follows.
///
/// The streams' events do not retain the input, so a task started by `open` does until it has ended.
///
/// `@unchecked Sendable`: all variables are used only under the main loop's lock, which its thread holds when it calls
/// back.
final class ApplicationInput: CaptureInput, @unchecked Sendable {
    let source: AudioSource
    let ring: CaptureRing
    private let connection: PulseConnection
    private let settings: CaptureSettings
    private var writer: FragmentWriter
    private var mixer: StreamMixer
    private var lanes: [Lane] = []
    /// Why nothing is delivered, as the ring says; nil while something is.
    private var quietCause: SuspensionCause?
    /// Whether a lane has delivered since `quietCause` was last set.
    private var isDelivering = false
    /// Whether the first sound has come; until then, silence is not captured.
    private var hasSounded: Bool
    /// How many frames of silence were not captured for that reason.
    private var silentFrames = 0
    private let ended = Promise<CaptureEnd>()

    /// How long a record stream may still deliver what was played before its program paused it.
    private static let settlingTime = Duration.milliseconds(150)

    /// A playback stream and the record stream that captures it.
    private final class Lane {
        enum State {
            /// Nothing has been captured since the record stream was opened, or since a pause.
            case waiting
            case delivering
            /// The program has paused it, or its sink is suspended.
            case quiet
        }

        var playback: ApplicationStream
        let number: Int
        var state = State.waiting
        /// Nil if it has ended, or its connection is not there yet.
        var stream: PulseRecordStream?
        /// The connection of the record stream if it has one of its own; closed after the stream.
        var context: PulseContext?
        /// Why it is quiet.
        var quietCause = SuspensionCause.applicationPaused
        /// Whether what it played before its pause may still arrive, or PipeWire has not begun to play it.
        var isUnsettled = false
        /// When the server announced its latest pause, in CLOCK_MONOTONIC nanoseconds.
        var pauseTime: UInt64 = 0
        /// Whether frames have arrived that were played after its pause, whose end the server has not announced yet.
        var hasResumedUnannounced = false
        /// Whether something of its record stream was captured.
        var hasCaptured = false
        /// Whether the record stream had ended before it was opened again.
        var wasLost = false
        /// The shortest time so far between the capture of a frame and its arrival, in nanoseconds.
        private var lag: Int64?

        init(_ playback: ApplicationStream, number: Int) {
            self.playback = playback
            self.number = number
        }

        /// The stamp with a plausible time: on PipeWire the stated latency grows as long as a stream delivers nothing, and
        /// takes a while to recover.
        func corrected(_ stamp: FragmentStamp, byteCount: Int, _ source: AudioSource) -> FragmentStamp {
            guard source.isOnPipeWire else { return stamp }
            let spec = source.sampleSpec
            let length = Int64(byteCount / spec.bytesPerFrame) * 1_000_000_000 / Int64(spec.sampleRate)
            let arrival = Int64(stamp.arrivalTime) - length
            let stated = arrival - Int64(stamp.hostTime)
            let shortest = min(lag ?? stated, stated)
            lag = shortest
            var stamp = stamp
            stamp.hostTime = UInt64(max(arrival - min(stated, shortest + ApplicationInput.lagTolerance), 0))
            return stamp
        }
    }

    /// By how much the lag of a stream may vary, in nanoseconds.
    private static let lagTolerance: Int64 = 20_000_000

    private init(
        source: AudioSource, settings: CaptureSettings, start: CaptureStart, connection: PulseConnection
    ) throws(ACCAudioRecorderError) {
        self.source = source
        self.settings = settings
        self.connection = connection
        writer = try FragmentWriter(
            source.sampleSpec, fragmentFrames: settings.fragmentFrames, keptLength: settings.keptLength, start: start)
        ring = writer.ring
        mixer = StreamMixer(source.sampleSpec)
        hasSounded = if case .after = start { true } else { false }
    }

    /// Opens the input; it captures nothing before `capture` is called.
    ///
    /// - Parameter source: The application, with the format to capture it in.
    static func open(
        _ source: AudioSource, _ settings: CaptureSettings, start: CaptureStart, connection: PulseConnection
    ) throws(ACCAudioRecorderError) -> ApplicationInput {
        let input = try ApplicationInput(source: source, settings: settings, start: start, connection: connection)
        Task.detached { _ = await input.ended.value }
        Task.detached { [weak input, closed = connection.queries.closed] in
            await closed.value
            input?.end(.serverLost)
        }
        return input
    }
}

// MARK: - CaptureInput

extension ApplicationInput {
    var isOpen: Bool { !ended.isFulfilled }

    var streamIndex: UInt32? {
        get async { connection.mainLoop.locked { lanes.lazy.compactMap { $0.stream?.index }.first } }
    }

    func waitUntilOpen() async throws(ACCAudioRecorderError) {}

    func begin() {
        connection.mainLoop.locked {
            writer.startTime = MonotonicClock.now()
            hasSounded = false
        }
    }

    func capture(_ playing: [ApplicationStream]) {
        connection.mainLoop.locked {
            for lane in lanes where !playing.contains(where: { $0.index == lane.playback.index }) { remove(lane) }
            // The last stream has ended before another one begins.
            if lanes.isEmpty, quietCause != nil { reportQuiet() }
            for playback in playing {
                // What is read from a lane may reach the stop.
                guard !ended.isFulfilled else { return }
                let lane = lanes.first { $0.playback.index == playback.index } ?? add(playback)
                if lane.stream == nil { attach(lane) }
                update(lane, to: playback)
            }
            reportQuiet()
        }
    }

    func stop(_ stop: CaptureStop) async {
        connection.mainLoop.locked {
            switch stop {
            case .after(let hostTime):
                writer.stopTime = hostTime
                if mixer.endDelay(to: &writer) { return finish(.stopped) }
                for lane in lanes { readAvailable(lane) }
                if !lanes.contains(where: { $0.state == .delivering }) { finish(.stopped) }
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
        for lane in lanes { readAvailable(lane) }
        if lanes.allSatisfy({ $0.stream?.queuedBytes ?? 0 == 0 }) { finish(.stopped) }
        return ended.isFulfilled
    }
}

// MARK: - Lanes

extension ApplicationInput {
    private func add(_ playback: ApplicationStream) -> Lane {
        let lane = Lane(playback, number: mixer.addLane())
        lanes.append(lane)
        return lane
    }

    private func remove(_ lane: Lane) {
        readAvailable(lane)
        detach(lane)
        lanes.removeAll { $0 === lane }
        mixer.removeLane(lane.number)
    }

    /// Opens the record stream of a lane.
    ///
    /// PipeWire delivers nothing of a stream while a fragment of another one waits to be sent over the same connection.
    /// Where each of its cycles completes a fragment, the other streams would be delivered seconds later, so each stream
    /// but the first has a connection of its own there, if there can be one.
    private func attach(_ lane: Lane) {
        guard lane.context == nil else { return }
        lane.state = .waiting
        (lane.hasCaptured, lane.hasResumedUnannounced) = (false, false)
        if source.isOnPipeWire, lanes.contains(where: { $0 !== lane && $0.stream != nil && $0.context == nil }) {
            lane.context = try? PulseContext(to: connection.serverName, on: connection.mainLoop) {
                [unowned self, unowned lane] in
                openStream(of: lane, through: $0.isReady ? $0 : nil)
            }
        }
        if lane.context == nil { openStream(of: lane) }
    }

    /// If this fails, the next change at the server leads to another attempt: the playback stream has probably moved or
    /// ended.
    private func openStream(of lane: Lane, through context: PulseContext? = nil) {
        lane.stream = try? PulseRecordStream(
            of: .playback(lane.playback.index), as: source, fragmentBytes: ring.slotBytes,
            properties: settings.streamProperties, on: connection, through: context
        ) { [unowned self, unowned lane] in handle($0, of: lane) }
        if lane.stream == nil || context == nil { lane.context = nil }
    }

    private func detach(_ lane: Lane) {
        lane.stream?.close()
        (lane.stream, lane.context) = (nil, nil)
    }

    private func update(_ lane: Lane, to playback: ApplicationStream) {
        let wasPaused = lane.playback.isPaused
        lane.playback = playback
        let isNewlyPaused = playback.isPaused && (lane.state == .waiting || lane.hasResumedUnannounced || !wasPaused)
        if playback.isPaused, lane.state == .waiting { silence(lane, .applicationPaused) }
        if isNewlyPaused {
            lane.isUnsettled = true
            (lane.pauseTime, lane.hasResumedUnannounced) = (MonotonicClock.now(), false)
            lane.stream?.queryPausePosition()
            Task { [self, number = lane.number, pauseTime = lane.pauseTime] in
                // What was played before the pause may arrive after the announcement; nothing tells that all has come.
                try? await Task.sleep(for: Self.settlingTime)
                connection.mainLoop.locked { settle(number, since: pauseTime) }
            }
        } else if wasPaused, !playback.isPaused {
            lane.stream?.cancelPauseQuery()
            if !lane.hasResumedUnannounced { interruptForPause(lane) }
            lane.hasResumedUnannounced = false
        }
    }

    /// What a lane delivers next was played after a pause.
    private func interruptForPause(_ lane: Lane) {
        lane.isUnsettled = false
        silence(lane, .applicationPaused)
        if isDelivering { reportQuiet() }
        lane.state = .waiting
    }

    /// Ends the delivery of a lane if the pause that began then still lasts.
    private func settle(_ number: Int, since pauseTime: UInt64) {
        guard let lane = lanes.first(where: { $0.number == number }), lane.pauseTime == pauseTime,
            lane.playback.isPaused, !lane.hasResumedUnannounced
        else { return }
        lane.isUnsettled = false
        silence(lane, .applicationPaused)
        reportQuiet()
    }

    private func silence(_ lane: Lane, _ cause: SuspensionCause) {
        lane.state = .quiet
        lane.quietCause = cause
        mixer.interruptLane(lane.number)
    }

    private func handle(_ event: PulseRecordStream.Event, of lane: Lane) {
        switch event {
        case .opened, .moved: break
        case .readable: readAvailable(lane)
        case .suspensionChanged: suspensionChanged(lane)
        case .failed(let failure):
            if failure.reason == .noServer { return finish(.serverLost) }
            // Whoever watches the application hears of the same, and says whether it has moved or ended.
            readAvailable(lane)
            detach(lane)
            lane.wasLost = true
            (lane.state, lane.quietCause) = (.quiet, .applicationMoved)
            mixer.loseLane(lane.number)
        }
    }

    private func suspensionChanged(_ lane: Lane) {
        guard let stream = lane.stream else { return }
        readAvailable(lane)
        if stream.isSuspended {
            silence(lane, .suspended)
        } else if lane.state == .quiet, !lane.playback.isPaused {
            lane.state = .waiting
        }
        reportQuiet()
    }
}

// MARK: - What is captured

extension ApplicationInput {
    private func readAvailable(_ lane: Lane) {
        while let stream = lane.stream, let block = stream.nextBlock() {
            // Libpulse keeps what does not fit into the ring.
            let byteCount = block.bytes?.count ?? 0
            let mayDrop = stream.isQueueFull && !writer.isStopping
            guard writer.hasRoom(for: mixer.heldBytes + byteCount) || mayDrop else { return }
            let stamp = lane.corrected(block.stamp, byteCount: block.bytes?.count ?? block.holeBytes, source)
            let isComplete =
                block.bytes.map { capture($0, stamp, of: lane) }
                ?? mixer.skip(
                    block.holeBytes / source.sampleSpec.bytesPerFrame, at: stamp.hostTime, lane: lane.number,
                    to: &writer)
            stream.dropBlock()
            if isComplete { return finish(.stopped) }
        }
    }

    /// - Returns: Whether the stop is reached.
    private func capture(_ bytes: UnsafeRawBufferPointer, _ stamp: FragmentStamp, of lane: Lane) -> Bool {
        // Before the start.
        guard writer.startTime != .max else { return false }
        let spec = source.sampleSpec
        var (position, stamp) = (0, stamp)
        var isFirst = true
        while let pause = lane.stream?.nextPause(within: bytes.count) {
            // Beside other streams, what was played before the pause could only be mixed into what they play now.
            guard !lanes.contains(where: { $0 !== lane && $0.state == .delivering }) else { continue }
            // What follows was played after the pause, whose end may not be announced yet.
            (lane.hasResumedUnannounced, lane.isUnsettled) = (lane.playback.isPaused, false)
            let isEarlier = isFirst && quietCause != nil && lane.hasCaptured
            isFirst = false
            let frames = (pause - position) / spec.bytesPerFrame
            let length = spec.nanoseconds(frames)
            var partStamp = stamp
            partStamp.hostTime = min(stamp.hostTime, max(lane.pauseTime, length) - length)
            let part = UnsafeRawBufferPointer(rebasing: bytes[position..<pause])
            if append(part, partStamp, isEarlier: isEarlier, of: lane) { return true }
            if !isEarlier { interruptForPause(lane) }
            if ended.isFulfilled { return true }
            (position, stamp) = (pause, stamp.later(by: frames, in: spec))
        }
        return append(UnsafeRawBufferPointer(rebasing: bytes[position...]), stamp, of: lane)
    }

    /// - Parameter isEarlier: Whether the bytes were played before the pause that was reported.
    /// - Returns: Whether the stop is reached.
    private func append(
        _ bytes: UnsafeRawBufferPointer, _ stamp: FragmentStamp, isEarlier: Bool = false, of lane: Lane
    ) -> Bool {
        let sounding = soundingPart(of: bytes, lane)
        guard !sounding.isEmpty else {
            recordSilence(bytes)
            return false
        }
        lane.state = .delivering
        lane.wasLost = false
        lane.hasCaptured = true
        let bytesPerFrame = source.sampleSpec.bytesPerFrame
        if quietCause != nil {
            quietCause = nil
            writer.append(.resumed(earlierFrames: isEarlier ? sounding.count / bytesPerFrame : 0))
        }
        hasSounded = true
        isDelivering = true
        let offset = sounding.startIndex / bytesPerFrame
        return mixer.write(
            UnsafeRawBufferPointer(rebasing: sounding), stamp.later(by: offset, in: source.sampleSpec),
            lane: lane.number, to: &writer)
    }

    /// What is captured of the bytes: all, except for silence before the first sound and while the stream is paused.
    private func soundingPart(of bytes: UnsafeRawBufferPointer, _ lane: Lane) -> Slice<UnsafeRawBufferPointer> {
        let isPaused = (lane.playback.isPaused || lane.state == .quiet) && !lane.hasResumedUnannounced
        guard isPaused || !hasSounded, let first = bytes.firstIndex(where: { $0 != 0 }) else {
            return isPaused || !hasSounded ? bytes[..<0] : bytes[...]
        }
        let bytesPerFrame = source.sampleSpec.bytesPerFrame
        let last = isPaused ? bytes.lastIndex { $0 != 0 } ?? first : bytes.count - 1
        return bytes[first / bytesPerFrame * bytesPerFrame..<(last / bytesPerFrame + 1) * bytesPerFrame]
    }

    /// Says that the recording waits if the application plays, but only silence.
    private func recordSilence(_ bytes: UnsafeRawBufferPointer) {
        guard !hasSounded, quietCause == nil else { return }
        silentFrames += bytes.count / source.sampleSpec.bytesPerFrame
        if silentFrames > source.sampleSpec.sampleRate / 2 { report(.applicationAbsent) }
    }

    /// Says that nothing is delivered any more, and why.
    private func reportQuiet() {
        guard !ended.isFulfilled, !lanes.contains(where: { $0.state == .delivering || $0.isUnsettled }) else { return }
        if lanes.isEmpty {
            report(.applicationAbsent)
        } else if let lane = lanes.first, lanes.allSatisfy({ $0.state == .quiet }) {
            report(lane.quietCause)
        } else if isDelivering {
            report(lanes.contains(where: \.wasLost) ? .applicationMoved : .applicationAbsent)
        }
        for lane in lanes { lane.wasLost = false }
    }

    private func report(_ cause: SuspensionCause) {
        guard cause != quietCause else { return }
        if mixer.flush(to: &writer) { return finish(.stopped) }
        writer.append(.suspended(cause))
        quietCause = cause
        isDelivering = false
    }

    private func end(_ end: CaptureEnd) {
        connection.mainLoop.locked { finish(end) }
    }

    /// Closes the streams and the ring; everything they delivered is in the ring.
    private func finish(_ end: CaptureEnd) {
        guard !ended.isFulfilled else { return }
        for lane in lanes { detach(lane) }
        lanes = []
        _ = mixer.flush(to: &writer)
        writer.close(end)
        ended.fulfil(end)
    }
}
