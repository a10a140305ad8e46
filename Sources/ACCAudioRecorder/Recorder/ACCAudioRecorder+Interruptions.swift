/// How a stretch of recording ends by itself, and how the recording goes on.
extension ACCAudioRecorder {
    /// How often it is seen whether the source delivers, when that is in doubt.
    private static let flowInterval = Duration.milliseconds(500)
    private static let shortestWait = Duration.milliseconds(10)
    /// How often an interrupted recording tries to go on.
    private static let recoveryInterval = Duration.milliseconds(100)
    /// How long a server that was started again has to find its devices.
    private static let settlingTime = Duration.seconds(3)

    /// Notices when the present stretch ends by itself, and when its source delivers nothing.
    func watchStretch() {
        guard let session, let stretch = session.currentStretch else { return }
        let watch = Task { [weak self] in
            var idleTimes = stretch.idleTimes.makeAsyncIterator()
            // Until the source delivers; from then on whenever it does not, of which the engine tells.
            var interval: Duration? = Self.flowInterval
            repeat {
                while let wait = interval, !Task.isCancelled {
                    let before = ContinuousClock.now
                    try? await Task.sleep(for: wait)
                    // Where this program itself was stopped, or the machine slept, the capture has first to read what has
                    // gathered meanwhile.
                    let wasHeldUp = ContinuousClock.now - before > wait + Self.flowInterval
                    interval = wasHeldUp ? Self.flowInterval : await self?.checkFlow(of: session, stretch.capture)
                }
                interval = .zero
            } while await idleTimes.next() != nil
        }
        Task { [weak self] in
            let end = await stretch.end.value
            watch.cancel()
            await self?.stretchEnded(end, capture: stretch.capture, of: session)
        }
    }

    private func stretchEnded(_ end: RecordingEngine.StretchEnd, capture: Capture, of ended: RecordingSession) async {
        switch end {
        case .limitReached:
            await limitReached(by: ended)
        case .drained:
            guard case .failed(let failure) = await capture.end else {
                if ended.isCallActive { await interrupt(ended, capture, by: .call) }
                return
            }
            switch failure.reason {
            case .streamKilled:
                // A source that goes takes its streams with it, and may be back by now.
                await interrupt(ended, capture, by: await ended.isPresent(capture.source) ? .streamKilled : .deviceLost)
            case .noServer: await interrupt(ended, capture, by: .serverLost)
            default:
                await breakOff(
                    .captureFailed(.init("the recording from '\(capture.source.name)' broke off", failure)), of: ended)
            }
        case .leftSource:
            await interrupt(ended, capture, by: await ended.isPresent(capture.source) ? .streamMoved : .deviceLost)
        case .outputsFailed(let error), .failed(let error):
            await breakOff(error, of: ended)
        }
    }

    /// Sees whether the source delivers.
    ///
    /// - Returns: After how long to look again; nil where it does, or the capture is over.
    private func checkFlow(of session: RecordingSession, _ capture: Capture) async -> Duration? {
        let isSuspended = session.quietTime == nil ? false : await session.isSourceSuspended
        await enter()
        defer { gate.leave() }
        guard self.session === session, session.currentStretch?.capture === capture else { return nil }
        switch (machine.phase, session.quietTime) {
        case (.recording, let quiet?):
            quietSince = quietSince ?? .now - quiet
            if isSuspended {
                _ = machine.handle(.suspended)
                session.noteSuspended()
                session.broadcast.send(state: state)
            } else {
                Task { await interrupt(session, capture, by: .stalled) }
            }
        case (.interrupted, nil):
            _ = machine.handle(.flowing)
            session.noteFlowing()
            session.broadcast.send(state: state)
        case (.recording, nil):
            if capture.hasBegun { quietSince = nil }
        case (.interrupted, _?):
            guard isQuietForTooLong else { break }
            Task { await breakOff(session.failure(of: .suspended), of: session) }
        default:
            break
        }
        guard machine.phase == .recording else { return Self.flowInterval }
        return session.timeUntilQuiet.map { min(max($0, Self.shortestWait), Self.flowInterval) }
    }

    private var isQuietForTooLong: Bool {
        guard let quietSince else { return false }
        return .now - quietSince > .seconds(configuration.interruptions.timeout)
    }

    private func interrupt(
        _ interrupted: RecordingSession, _ capture: Capture, by interruption: RecordingInterruption
    ) async {
        await enter()
        defer { gate.leave() }
        guard session === interrupted, interrupted.currentStretch?.capture === capture,
            machine.handle(.interrupted) == .closeSource
        else { return }
        await interrupted.interrupt(interruption)
        interrupted.broadcast.send(state: state)
        Task { [weak self] in await self?.recover(interrupted, from: interruption) }
    }

    /// Tries to go on, until it succeeds, the time-out is over, or somebody decides otherwise.
    private func recover(_ interrupted: RecordingSession, from interruption: RecordingInterruption) async {
        // While the machine sleeps no device comes back, so time-outs are counted by a clock that stands still then.
        let began = SuspendingClock.now
        var hasToldOfFailedSwitch = false
        while session === interrupted, machine.phase == .interrupted {
            let passed = SuspendingClock.now - began
            let isSettled = interruption != .serverLost || passed > Self.settlingTime
            if interruption == .stalled, isQuietForTooLong {
                return await breakOff(interrupted.failure(of: .stalled), of: interrupted)
            }
            switch await interrupted.outlook(of: interruption, isSettled: isSettled) {
            case .found(let source):
                if await goOn(interrupted, with: source) { return }
            case .wait(let error, let switchFailure):
                if let switchFailure, !hasToldOfFailedSwitch {
                    hasToldOfFailedSwitch = true
                    interrupted.noteSwitchFailed(switchFailure)
                }
                if passed > .seconds(configuration.interruptions.timeout) {
                    return await breakOff(error.asBrokenOff, of: interrupted)
                }
            case .hold:
                break
            case .end(let error, let removesFiles):
                return await breakOff(error, of: interrupted, removesFiles: removesFiles)
            }
            try? await Task.sleep(for: Self.recoveryInterval)
        }
    }

    private func goOn(_ interrupted: RecordingSession, with source: PreparedSource) async -> Bool {
        await enter()
        defer { gate.leave() }
        guard session === interrupted, machine.handle(.recovered) == .reopenSource else { return true }
        do throws(ACCAudioRecorderError) {
            try await interrupted.goOn(with: source)
        } catch {
            // The next round finds out what is the matter.
            _ = machine.handle(.recoveryFailed)
            return false
        }
        interrupted.broadcast.send(state: state)
        watchStretch()
        return true
    }
}
