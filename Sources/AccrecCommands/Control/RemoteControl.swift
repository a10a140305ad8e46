import ACCAudioRecorder
import FoundationEssentials
import Glibc

/// Carries out what `accrec ctl` asks of a recording, in any number of clients.
actor RemoteControl {
    private let recorder: ACCAudioRecorder
    private let recording: RecordingModel
    private let outputs: [RecordingOutput]
    private let isStrict: Bool
    private let execQueue: ExecQueue?
    private var records: EventRecord.Series
    /// Receives messages for the user.
    private let tell: @Sendable (String) -> Void
    /// Starts a recording that waits, or says why not; nil if it cannot wait.
    private let start: (@Sendable () async -> String?)?
    private let finish: @Sendable () async -> Void
    /// How the takes of a recorder are ended that is armed again after each; nil for a recording alone.
    private let takes: Takes?
    /// Nil before the recording and after it, and if it cannot have a socket.
    private var server: ControlServer?
    /// The clients that get events as they come.
    private var followers: [ControlServer.Client] = []
    /// The clients that wait for the report, and for that of the current take.
    private var awaitingEnd: [ControlServer.Client] = []
    private var awaitingTake: [ControlServer.Client] = []
    private var taps: [ControlServer.Client: Tap] = [:]
    /// What a request to end the recording is answered once it has ended; nil until then.
    private var lastAnswer: ControlAnswer?
    private var isSaving = false
    /// Whether a take has begun whose report is still to come.
    private var hasTake = false

    /// Ends the current take; the recorder is armed again.
    struct Takes: Sendable {
        /// Whether there is one that nobody has ended yet.
        let isActive: @Sendable () async -> Bool
        let finish: @Sendable () async -> Void
        /// Removes its current files, or all.
        let discard: @Sendable (_ isAll: Bool) async -> Void
    }

    /// - Parameters:
    ///   - isStrict: Whether missing frames and clipped samples are a failure, in the report.
    ///   - execQueue: Runs programs for complete files; nil if none are run.
    ///   - tell: Receives messages for the user.
    ///   - finish: Ends the recording as the user's key does.
    ///   - start: Starts a recording that waits, or says why not; nil if it cannot wait.
    ///   - takes: Ends takes; nil for a recording alone.
    init(
        _ recorder: ACCAudioRecorder, _ recording: RecordingModel, outputs: [RecordingOutput], isStrict: Bool,
        execQueue: ExecQueue? = nil, tell: @escaping @Sendable (String) -> Void,
        start: (@Sendable () async -> String?)? = nil, takes: Takes? = nil, finish: @escaping @Sendable () async -> Void
    ) {
        (self.recorder, self.recording, self.outputs, self.isStrict) = (recorder, recording, outputs, isStrict)
        self.execQueue = execQueue
        records = EventRecord.Series(isStrict: isStrict)
        (self.tell, self.start, self.takes, self.finish) = (tell, start, takes, finish)
    }

    /// Serves requests until the recording has ended, if that has not begun yet.
    func begin() {
        guard server == nil, lastAnswer == nil else { return }
        do {
            server = try ControlServer.begin { [weak self] client, line in
                Task { await self?.receive(line, from: client) }
            }
        } catch {
            tell("'accrec ctl' cannot reach this recording: \(error). Check XDG_RUNTIME_DIR")
        }
    }

    /// Passes an event on to the clients that follow.
    ///
    /// - Parameter frame: The length of the recording in frames.
    func publish(_ event: RecordingEvent, frame: Int) {
        let records = records.records(of: event, frame: frame)
        guard let server, !followers.isEmpty else { return }
        for var record in records {
            record.time = .now
            guard let line = try? JSONText.line(record) else { continue }
            followers = followers.filter { server.send(line.utf8, to: $0, isMore: true) }
        }
    }

    /// Numbers the events of the take that begins.
    func beginTake(_ number: Int) {
        records = EventRecord.Series(isStrict: isStrict, take: number)
        hasTake = true
    }

    /// Answers the clients that wait for the end of the take, and ends their samples.
    func endTake(_ report: RecordingReport?) {
        let answer = ControlAnswer(ok: true, report: report.map { ReportRecord($0, isStrict: isStrict) })
        for client in awaitingTake { send(answer, to: client) }
        for client in taps.keys { server?.close(client) }
        (awaitingTake, taps, hasTake) = ([], [:], false)
    }

    /// Answers the clients that wait for the end, and takes no more requests.
    ///
    /// - Parameter report: Nil if the recording was ended before it began.
    func end(_ report: RecordingReport?) async {
        guard let server, lastAnswer == nil else { return }
        let answer = ControlAnswer(ok: true, report: report.map { ReportRecord($0, isStrict: isStrict) })
        lastAnswer = answer
        for tap in taps.values { tap.task?.cancel() }
        for client in awaitingEnd + awaitingTake { send(answer, to: client) }
        await server.end()
        self.server = nil
    }
}

// MARK: - Requests

extension RemoteControl {
    private func receive(_ line: [UInt8], from client: ControlServer.Client) async {
        guard let request = try? JSONText.decode(ControlRequest.self, from: Data(line)) else {
            return send(.refused("the request is not understood"), to: client)
        }
        let hasBegun = await recorder.currentFrameCount() != nil
        if let lastAnswer {
            let isAnswered = [.stop, .discard, .toggleTake].contains(request.command)
            return send(isAnswered ? lastAnswer : .refused("the recording has ended"), to: client)
        }
        switch request.command {
        case .pause where !hasBegun, .resume where !hasBegun, .toggle where !hasBegun, .mark where !hasBegun,
            .split where !hasBegun, .tap where !hasBegun:
            send(
                .refused("the recording has not begun" + (start == nil ? "" : ". 'accrec ctl start' begins it.")),
                to: client)
        case .status: await answerDone(to: client)
        case .start: await start(for: client)
        case .toggleTake:
            let isActive = await takes?.isActive() ?? hasBegun
            if isActive { await stop(for: client) } else { await start(for: client) }
        case .pause where request.toggles != true:
            await recorder.pauseRecording()
            await answerDone(to: client)
        case .resume: await resume(for: client)
        case .pause, .toggle:
            if await recorder.isPausedByUser { return await resume(for: client) }
            await recorder.pauseRecording()
            await answerDone(to: client)
        case .mark:
            await recorder.mark(request.label)
            await answerDone(to: client)
        case .split:
            await recorder.startNewFiles()
            await answerDone(to: client)
        case .stop: await stop(isAll: request.all == true, for: client)
        case .discard where takes != nil && !hasTake: send(.refused("no take is being recorded"), to: client)
        case .discard where takes != nil:
            awaitingTake.append(client)
            await takes?.discard(request.all == true)
        case .discard:
            awaitingEnd.append(client)
            switch (hasBegun, request.all) {
            case (false, _): await finish()
            case (true, true): await recorder.discardRecording()
            case (true, _): await recorder.discardCurrentFiles()
            }
        case .save:
            await save(request, for: client)
        case .follow:
            followers.append(client)
            server?.send(bytes(of: .done()), to: client, isMore: true)
        case .tap:
            await tap(request, for: client)
        }
    }

    private func start(for client: ControlServer.Client) async {
        guard let start else { return send(.refused("it has begun"), to: client) }
        if let refusal = await start() { return send(.refused(refusal), to: client) }
        await answerDone(to: client)
    }

    /// - Parameter isAll: Whether to end more than a take.
    private func stop(isAll: Bool = false, for client: ControlServer.Client) async {
        guard let takes, !isAll else {
            awaitingEnd.append(client)
            return await finish()
        }
        guard hasTake else {
            return send(.refused("no take is being recorded; 'stop --all' ends the recorder"), to: client)
        }
        awaitingTake.append(client)
        await takes.finish()
    }

    private func resume(for client: ControlServer.Client) async {
        do throws(ACCAudioRecorderError) {
            try await recorder.resumeRecording()
            await answerDone(to: client)
        } catch {
            send(.refused(ErrorText.line(error)), to: client)
        }
    }

    /// Saves the audio that is kept. One file at a time, since each needs as much memory as that audio.
    private func save(_ request: ControlRequest, for client: ControlServer.Client) async {
        guard !isSaving else { return send(.refused("another file is being saved"), to: client) }
        if let file = request.file {
            guard file.hasPrefix("/") else { return send(.refused("the file's path is not absolute"), to: client) }
            guard !outputs.contains(where: { $0.isFile(at: file) }) else {
                return send(.refused("the recording itself writes '\(file)'"), to: client)
            }
        }
        isSaving = true
        defer { isSaving = false }
        do {
            guard let output = try outputs.first?.saving(to: request.file) else {
                return send(.refused("the recording has no file to name this one after. Name it"), to: client)
            }
            let report = try await recorder.saveKeptAudio(to: output)
            send(ControlAnswer(ok: true, status: await status, saved: report), to: client)
        } catch let error as ACCAudioRecorderError where error.failure?.reason == .noFrames {
            send(.refused("no audio is kept; --pre-roll keeps some"), to: client)
        } catch {
            send(.refused(ErrorText.line(error)), to: client)
        }
    }

    private func answerDone(to client: ControlServer.Client) async {
        send(.done(await status), to: client)
    }

    private func send(_ answer: ControlAnswer, to client: ControlServer.Client) {
        server?.send(bytes(of: answer), to: client)
    }

    private func bytes(of answer: ControlAnswer) -> [UInt8] {
        Array(((try? JSONText.line(answer)) ?? "").utf8)
    }

    /// The path of the first output, if that is a file whose name is known before it is created.
    private var plannedPath: String? {
        guard case .file(let path) = outputs.first?.destination else { return nil }
        return path
    }

    private var status: ControlAnswer.Status {
        get async {
            let recording = recording.state
            // The state follows of a pause a little later.
            let isPaused = await recorder.isPausedByUser
            let (state, waitsFor) = recording.statement(isPaused: isPaused, hasTake: hasTake)
            let inputs = await recorder.configuration.inputs.map { PrintableText.line($0.name) }
            return ControlAnswer.Status(
                processId: getpid(), state: state, waitsFor: waitsFor,
                duration: await recorder.currentDuration() ?? 0, frame: await recorder.currentFrameCount() ?? 0,
                file: (recording.file?.path ?? plannedPath)?.absolutePath,
                source: recording.source.isEmpty ? nil : PrintableText.line(recording.source),
                inputs: inputs.count > 1 ? inputs : nil,
                gaps: recording.gapCount,
                secondsLost: recording.secondsLost,
                markers: recording.markCount, exec: await execQueue?.status, take: recording.takes?.number)
        }
    }
}

// MARK: - Samples

extension RemoteControl {
    /// A client that gets samples.
    private struct Tap {
        /// What they are converted to; nil values for the recording's.
        struct Form: Hashable {
            let rate: Int?
            let channels: Int?
            let input: String?

            static let recording = Form(rate: nil, channels: nil, input: nil)
        }

        let form: Form
        /// Nil until it begins.
        var task: Task<Void, Never>?
    }

    /// The largest number of formats beside the recording's: each is converted to on the engine's thread.
    private static let largestFormatCount = 8

    /// Sends samples to a client, from the next buffer on, until the recording ends or the client is gone.
    private func tap(_ request: ControlRequest, for client: ControlServer.Client) async {
        removeDroppedTaps()
        let form = Tap.Form(rate: request.rate, channels: request.channels, input: request.input)
        let formats = Set(taps.values.map(\.form)).union([form]).subtracting([.recording])
        guard formats.count <= Self.largestFormatCount else {
            return send(.refused("it is tapped in \(Self.largestFormatCount) other formats already"), to: client)
        }
        // Counted at once, since requests of others come during the wait.
        taps[client] = Tap(form: form)
        do throws(ACCAudioRecorderError) {
            let audio = try recorder.buffers(
                format: .init(
                    sampleRate: request.rate.map(Double.init),
                    channelCount: request.channels.map { UInt32(clamping: $0) },
                    input: request.input))
            guard await recorder.currentFrameCount() != nil else {
                taps[client] = nil
                return send(.refused("nothing is being recorded"), to: client)
            }
            server?.send(bytes(of: .done()), to: client, isMore: true)
            let encoding = request.encoding ?? .s16
            taps[client]?.task = Task { [server] in
                await Self.send(audio, as: encoding, to: client, of: server)
                taps[client] = nil
            }
        } catch {
            taps[client] = nil
            send(.refused(ErrorText.line(error)), to: client)
        }
    }

    /// Ends the taps whose clients are gone, which get no buffers while the recording is paused.
    private func removeDroppedTaps() {
        for (client, tap) in taps where server?.isConnected(to: client) != true {
            tap.task?.cancel()
            taps[client] = nil
        }
    }

    /// A client that reads too slowly is dropped, so that what one gets has no gap.
    private static func send(
        _ audio: Subscription<RecordedAudio>, as encoding: ControlRequest.TapEncoding,
        to client: ControlServer.Client, of server: ControlServer?
    ) async {
        for await audio in audio {
            switch audio {
            case .buffer(let buffer):
                let bytes = encoding == .s16 ? buffer.toInt16Data() : buffer.data
                guard server?.send(bytes, to: client, isMore: true) == true else { return }
            case .gap: continue
            default: return
            }
        }
    }
}
