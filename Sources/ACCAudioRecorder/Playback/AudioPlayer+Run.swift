extension AudioPlayer {
    /// A playback from its beginning to its end, on its own thread, which reads the file and feeds the server.
    struct Run: ~Copyable {
        private let player: AudioPlayer
        private let observe: @Sendable (AudioPlayer.Event) -> Void
        private let levelInterval: Double?
        private let connection: PulseConnection
        private var sinks: [Sink]
        private var file: File
        private var stream: Stream
        private let rate: Double
        private var sinkName: String?
        private var isPaused = false
        private var isSuspended = false
        /// The first frame of the audio that was last written without interruption.
        private var base = 0
        /// The frames of the file that were left out or played again, which the server does not count.
        private var shift = 0
        /// The frame after the last one written.
        private var written = 0
        /// The frame that is heard now.
        private var heard = 0
        private var isAtEnd = false
        private var isTruncated = false
        private var underrunCount = 0
        private var underflowCount = 0
        /// How often the server must have told the position before it is known.
        private var awaitedTiming = 0
        /// The levels of audio that was written but not heard yet, each with the number of the frame after it.
        private var levels: [(end: Int, channels: [ChannelLevel])] = []
        private var clippedCount = 0
        private var lastTold = 0
        /// When the server last took audio or played some, in CLOCK_MONOTONIC nanoseconds.
        private var lastSign = MonotonicClock.now()

        /// How long the server may neither take nor play audio until it is asked whether it still answers; also how long it
        /// has to open a stream. In nanoseconds.
        private static let deadline: UInt64 = 5_000_000_000
        /// How often to look at the stream without being woken, in seconds.
        private static let pollInterval = 0.25
        /// An underflow that the server reports earlier after a start, a pause or a move belongs to that, in seconds.
        private static let shortestRun = 0.1

        /// Opens the stream.
        init(
            of file: consuming File, by player: AudioPlayer, levelInterval: Double?,
            observe: @escaping @Sendable (AudioPlayer.Event) -> Void
        ) throws(ACCAudioRecorderError) {
            let server = try Self.findServer(for: player)
            let stream = try server.stream(for: file, of: player)
            rate = file.spec.sampleRate
            (connection, sinks) = (server.connection, server.sinks)
            self.stream = stream
            self.file = file
            (self.player, self.levelInterval, self.observe) = (player, levelInterval, observe)
        }

        /// Plays to the end, or until it is stopped.
        ///
        /// - Parameter start: Where to begin, in seconds.
        mutating func run(from start: Double) throws(ACCAudioRecorderError) -> AudioPlayer.Report {
            if let count = file.frameCount, start * rate >= Double(count) {
                throw .audioFormatCreationFailed(
                    .init(
                        .invalidFormat, "cannot play '\(player.path)' from \(start) s",
                        cause: "it is \((Double(count) / rate * 1_000).rounded() / 1_000) s long",
                        remedy: "Begin earlier.")
                )
            }
            guard try waitUntilOpen() else { return report }
            sinkName = stream.sinkName
            observe(
                .started(
                    file.spec, length: file.frameCount.map { .frames($0, at: rate) }, channelMap: file.channelMap,
                    markers: file.markers.all, sink: description(of: sinkName)))
            if start > 0 { move(to: .start(.seconds(start))) }
            while true {
                let requests = player.takeRequests()
                if requests.isStopped { return report }
                if let place = requests.place { move(to: place) }
                if requests.isPaused != isPaused { pause(requests.isPaused) }
                followPosition()
                feed()
                followSink()
                if isAtEnd, stream.isDrained { return finish() }
                try checkServer()
                waitForNews()
            }
        }

        private var report: AudioPlayer.Report {
            AudioPlayer.Report(
                end: .frames(heard, at: rate), isTruncated: isTruncated, omission: file.omission,
                underrunCount: underrunCount)
        }
    }
}

// MARK: - The steps

extension AudioPlayer.Run {
    /// Waits until the stream is open; false if the playback was stopped before.
    private mutating func waitUntilOpen() throws(ACCAudioRecorderError) -> Bool {
        let deadline = MonotonicClock.now() + Self.deadline
        do throws(CaptureFailure) {
            while try !stream.isOpen {
                if player.takeRequests().isStopped { return false }
                if !player.signals.waker.wait(until: deadline) { throw CaptureFailure(.timedOut, "Timeout") }
            }
        } catch {
            let what = "cannot play '\(player.path)'"
            guard error.reason == .noSuchSource else { throw .audioEngineStartFailed(.init(what, error)) }
            throw .audioEngineStartFailed(
                .init(
                    .noSuchSource, what, cause: "the server has no sink",
                    remedy: "Connect an output device, or load a sink."))
        }
        return true
    }

    /// Sends as much as the server wants.
    private mutating func feed() {
        while !isAtEnd, stream.writableFrames >= file.partFrames {
            let (bytes, channels) = file.next()
            guard !bytes.isEmpty else { return end() }
            stream.write(bytes)
            written += bytes.count / file.spec.bytesPerFrame
            if levelInterval != nil { levels.append((written, channels)) }
            lastSign = MonotonicClock.now()
        }
    }

    /// Has everything written played.
    private mutating func end() {
        isAtEnd = true
        isTruncated = file.frameCount.map { written < $0 } ?? false
        stream.drain()
    }

    private mutating func finish() -> AudioPlayer.Report {
        heard = written
        tellLevels()
        return report
    }

    private mutating func pause(_ isPaused: Bool) {
        self.isPaused = isPaused
        stream.pause(isPaused)
        base = heard
        lastSign = MonotonicClock.now()
    }

    private mutating func move(to place: AudioPlayer.Place) {
        var marker: String?
        let target: Int
        switch place {
        case .here(let distance): target = heard + frames(in: distance)
        case .start(let offset): target = frames(in: offset)
        case .end(let distance): target = (file.frameCount ?? heard) - frames(in: distance)
        case .marker(let count):
            guard let found = file.markers.marker(count, from: time(of: heard)) else { return observe(.noMarker) }
            target = frames(in: found.offset)
            marker = found.label
        }
        let frame = min(max(target, 0), file.frameCount ?? .max)
        guard file.seek(to: frame) else { return observe(.cannotMove) }
        stream.flush()
        shift += frame - heard
        (base, written, heard, lastTold) = (frame, frame, frame, frame)
        levels = []
        isAtEnd = false
        lastSign = MonotonicClock.now()
        observe(.moved(to: time(of: frame), marker: marker))
    }

    /// Limited to what a file can have.
    private func frames(in duration: Duration) -> Int {
        Int(min(max((duration.seconds * rate).rounded(), -0x1p62), 0x1p61))
    }

    private func time(of frame: Int) -> Duration { .frames(frame, at: rate) }

    /// Updates what is heard, and tells its levels and whether the server has run out of audio.
    private mutating func followPosition() {
        let count = stream.underflowCount
        if count != underflowCount {
            underflowCount = count
            recordUnderflow(at: stream.underflowFrame.map { $0 + shift } ?? written)
        }
        if !isPaused, stream.timingCount >= awaitedTiming, let ahead = stream.framesAhead {
            let frame = min(max(written - ahead, heard), written)
            if frame > heard { lastSign = MonotonicClock.now() }
            heard = frame
        }
        if let levelInterval, Double(heard - lastTold) >= levelInterval * rate { tellLevels() }
    }

    /// Records that the server has run out of audio, perhaps before more was written, unless it was meant to. libpulse,
    /// which interpolates what is heard from the time, believes in more until the server tells.
    private mutating func recordUnderflow(at frame: Int) {
        guard !isAtEnd, !isPaused, Double(frame - base) >= Self.shortestRun * rate else { return }
        heard = min(max(frame, heard), written)
        base = heard
        underrunCount += 1
        awaitedTiming = stream.timingCount + 1
        stream.updateTiming()
        observe(.underrun(at: time(of: heard)))
    }

    private mutating func tellLevels() {
        let count = levels.prefix { $0.end <= heard }.count
        guard count > 0 else { return }
        var channels = levels[0].channels
        for part in levels[1..<count] {
            for index in channels.indices { channels[index].add(part.channels[index]) }
        }
        levels.removeFirst(count)
        lastTold = heard
        clippedCount += channels.reduce(0) { $0 + $1.clippedCount }
        observe(
            .heard(
                RecordingLevels(
                    channels: channels, totalClippedCount: clippedCount, timestamp: Double(heard) / rate,
                    frame: heard)))
    }

    private mutating func followSink() {
        if stream.isSuspended != isSuspended {
            isSuspended.toggle()
            observe(.suspended(isSuspended))
        }
        // A stream that was closed has no sink.
        guard let name = stream.sinkName, name != sinkName else { return }
        sinkName = name
        // A failure is noticed as that of the stream.
        sinks = (try? connection.waitForSinks()) ?? sinks
        observe(.sinkChanged(description(of: name)))
    }

    private func description(of sinkName: String?) -> String {
        sinks.first { $0.name == sinkName }?.description ?? sinkName ?? "?"
    }

    private func waitForNews() {
        let interval = isPaused ? 1 : min(levelInterval ?? Self.pollInterval, Self.pollInterval)
        _ = player.signals.waker.wait(until: MonotonicClock.now() + UInt64(interval * 1e9))
    }
}

// MARK: - The server

extension AudioPlayer.Run {
    private struct Server {
        let connection: PulseConnection
        let sinks: [AudioPlayer.Sink]

        func stream(
            for file: borrowing AudioPlayer.File, of player: AudioPlayer
        ) throws(ACCAudioRecorderError) -> AudioPlayer.Stream {
            let requested = player.sinkName
            let name =
                if let requested { try AudioPlayer.Sink.name(for: requested, among: sinks) } else { String?.none }
            do throws(CaptureFailure) {
                return try AudioPlayer.Stream(
                    connection: connection, name: player.path, sinkName: name, spec: file.spec,
                    channelMap: file.channelMap, signals: player.signals)
            } catch {
                throw .audioEngineStartFailed(.init("cannot play '\(player.path)'", error))
            }
        }
    }

    private static func findServer(for player: AudioPlayer) throws(ACCAudioRecorderError) -> Server {
        do throws(CaptureFailure) {
            let connection = try PulseConnection.waitForConnection(to: player.serverName)
            return Server(connection: connection, sinks: try connection.waitForSinks())
        } catch {
            throw .audioEngineStartFailed(.init("cannot play '\(player.path)'", error.reaching(player.serverName)))
        }
    }

    /// Throws if the stream was closed, or the server does not answer any more.
    private mutating func checkServer() throws(ACCAudioRecorderError) {
        do throws(CaptureFailure) {
            _ = try stream.isOpen
            guard MonotonicClock.now() - lastSign > Self.deadline else { return }
            _ = try connection.waitForSinks()
            lastSign = MonotonicClock.now()
        } catch {
            throw .captureFailed(breakOff(error))
        }
    }

    private func breakOff(_ failure: CaptureFailure) -> ACCAudioRecorderError.Failure {
        let what = "playing '\(player.path)' ended early"
        switch failure.reason {
        case .streamKilled:
            let isPresent = (try? connection.waitForSinks())?.contains { $0.name == sinkName } ?? true
            guard !isPresent else {
                return .init(
                    .streamKilled, what, cause: "somebody ended the stream at the server", remedy: "Play it again.")
            }
            return .init(
                .deviceLost, what, cause: "the sink '\(sinkName ?? "?")' is gone",
                remedy: "Plug it in again, or play on another one.")
        case .timedOut:
            return .init(
                .noServer, what, cause: "the sound server does not answer",
                remedy: "Check whether it is overloaded or stopped, and play it again.")
        default:
            return .init(failure.reason, what, cause: failure.message, remedy: failure.remedy)
        }
    }
}
