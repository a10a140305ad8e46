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
    let source: AudioSource
    private let playbackIndex: UInt32
    private let connection: PulseConnection
    private let stream: PlaybackRecordStream
    private let capture: PlaybackCapture
    private let sink: Atomic<UInt32>
    /// When the stream was announced, in CLOCK_MONOTONIC nanoseconds; nil once something of it has arrived.
    private var announceTime: UInt64?
    private let ended = Promise<CaptureEnd>()

    /// How long a record stream may still deliver what was played before its program paused it.
    private static let settlingTime = Duration.milliseconds(150)

    private init(
        _ playback: ApplicationStream, of application: AudioSource, _ group: PlaybackGroup,
        _ settings: CaptureSettings, start: CaptureStart, connection: PulseConnection
    ) throws(ACCAudioRecorderError) {
        source = application
        playbackIndex = playback.index
        self.connection = connection
        announceTime = MonotonicClock.now()
        sink = Atomic(playback.sinkIndex)
        capture = try PlaybackCapture(
            playback, as: application.sampleSpec, group, fragmentFrames: settings.fragmentFrames, start: start)
        stream = PlaybackRecordStream(
            of: playback, as: application, fragmentBytes: capture.ring.slotBytes, settings, group, on: connection)
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
    var ring: CaptureRing { capture.ring }

    var isOpen: Bool { !ended.isFulfilled }

    var streamIndex: UInt32? {
        get async { connection.mainLoop.locked { stream.index } }
    }

    var sinkIndex: UInt32? {
        let index = sink.load(ordering: .relaxed)
        return index == .max ? nil : index
    }

    var isExpected: Bool { capture.isExpected }

    func waitUntilOpen() async throws(ACCAudioRecorderError) {}

    func begin() {
        connection.mainLoop.locked { capture.writer.startTime = MonotonicClock.now() }
    }

    func capture(_ playing: [ApplicationStream]) {
        connection.mainLoop.locked {
            guard !ended.isFulfilled else { return }
            guard let playback = playing.first(where: { $0.index == playbackIndex }) else {
                readAvailable()
                return finish(.stopped)
            }
            attach()
            update(to: playback)
        }
    }

    func stop(_ stop: CaptureStop) async {
        connection.mainLoop.locked {
            guard !ended.isFulfilled else { return }
            switch stop {
            case .after(let hostTime):
                capture.writer.stopTime = hostTime
                readAvailable()
                if capture.pauses.state != .delivering { finish(.stopped) }
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
        if stream.queuedBytes == 0 { finish(.stopped) }
        return ended.isFulfilled
    }

    private func end(_ end: CaptureEnd) {
        connection.mainLoop.locked { finish(end) }
    }

    /// Closes the stream and the ring; everything that was delivered is in the ring.
    private func finish(_ end: CaptureEnd) {
        guard !ended.isFulfilled else { return }
        stream.detach()
        capture.close(end)
        ended.fulfil(end)
    }
}

// MARK: - What the server announces

extension PlaybackInput {
    private func attach() {
        guard stream.isDetached else { return }
        capture.pauses.attach()
        stream.attach { [unowned self] in handle($0) }
    }

    private func handle(_ event: PulseRecordStream.Event) {
        switch event {
        case .opened, .moved: break
        case .readable: readAvailable()
        case .suspensionChanged:
            readAvailable()
            capture.pauses.announce(isSuspended: stream.isSuspended)
            capture.reportQuiet()
        case .failed(let failure):
            if failure.reason == .noServer { return finish(.serverLost) }
            // Whoever watches the application hears of the same, and says whether it has moved or ended.
            readAvailable()
            stream.detach()
            capture.pauses.detach()
        }
    }

    private func update(to playback: ApplicationStream) {
        sink.store(playback.sinkIndex, ordering: .relaxed)
        switch capture.pauses.announce(isPaused: playback.isPaused) {
        case .paused:
            capture.pauses.beginPause(at: MonotonicClock.now())
            stream.queryPausePosition()
            Task { [self, pauseTime = capture.pauses.pauseTime] in
                // What was played before the pause may arrive after the announcement; nothing tells that all has come.
                try? await Task.sleep(for: Self.settlingTime)
                connection.mainLoop.locked { if capture.pauses.settle(since: pauseTime) { capture.reportQuiet() } }
            }
        case .resumed:
            stream.cancelPauseQuery()
            if capture.pauses.endPause() { capture.interruptForPause() }
        case nil: break
        }
        capture.reportQuiet()
    }

    private func readAvailable() {
        while let block = stream.nextBlock() {
            // Libpulse keeps what does not fit into the ring.
            let byteCount = block.bytes?.count ?? 0
            let mayDrop = stream.isQueueFull && !capture.writer.isStopping
            guard capture.writer.hasRoom(for: byteCount) || mayDrop else { return }
            if let announceTime = announceTime.take() {
                let length = source.sampleSpec.nanoseconds(byteCount / source.sampleSpec.bytesPerFrame)
                capture.noteBeginning(
                    at: block.stamp.arrivalTime - min(length, block.stamp.arrivalTime), announcedAt: announceTime,
                    lead: stream.leadAtOpening)
            }
            var isComplete = false
            if let bytes = block.bytes {
                isComplete = capture.capture(bytes, block.stamp) { stream.nextPause(within: byteCount) }
            } else {
                capture.skip(byteCount: block.holeBytes, at: block.stamp.hostTime)
            }
            stream.dropBlock()
            if isComplete { return finish(.stopped) }
        }
    }
}
