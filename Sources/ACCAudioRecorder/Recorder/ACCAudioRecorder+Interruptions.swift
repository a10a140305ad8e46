/// How capture is interrupted, and how the recording continues.
extension ACCAudioRecorder {
    /// The shortest time between two attempts of an interrupted recording to continue, and the longest: between them it
    /// waits for the server to announce a change, and a server that is gone is asked with growing delays.
    private static let recoveryInterval = (shortest: Duration.milliseconds(100), longest: Duration.seconds(1))
    /// How long a restarted server has to find its devices.
    private static let settlingTime = Duration.seconds(3)

    /// Waits for the current segment to end by itself, and for its source to stall or be suspended.
    func watchSegment() {
        guard let session, let segment = session.currentSegment else { return }
        Task { [weak self] in
            for await flow in segment.flow { await self?.flowChanged(to: flow, in: segment, of: session) }
            await self?.segmentEnded(await segment.end.value, segment, of: session)
        }
    }

    /// Interrupts the recording for calls and for changes of the default source.
    func watchForInterruptions(of session: RecordingSession) {
        Task { [weak self] in
            for await request in session.recorded.interruptionRequests {
                guard let segment = session.segment(interruptedBy: request) else { continue }
                await self?.interrupt(session, segment, by: request.cause)
            }
        }
    }

    private func segmentEnded(
        _ end: RecordingEngine.SegmentEnd, _ segment: CapturedSegment, of ended: RecordingSession
    ) async {
        switch end {
        case .limitReached: await limitReached(by: ended)
        case .silent: await handle(.fellSilent, of: ended)
        case .endReached: break
        case .outputsFailed(let error), .failed(let error): await endByItself(.brokeOff(error), ended)
        case .inputEnded(.failed(let failure)):
            let what = "recording from '\(segment.input.source.name)' ended early"
            await endByItself(.brokeOff(.captureFailed(.init(what, failure))), ended) {
                ended.currentSegment?.input === segment.input
            }
        case .inputEnded(let end):
            if let cause = RecordingInterruption(end) { await interrupt(ended, segment, by: cause) }
        }
    }

    /// Handles a source that began or stopped delivering.
    private func flowChanged(
        to flow: SourceFlow, in segment: CapturedSegment, of session: RecordingSession
    ) async {
        switch flow {
        case .flowing:
            await handleSegmentEvent(.flowing, in: segment, of: session)
        case .suspended(let cause):
            await handleSegmentEvent(.suspended(cause, at: clock.now), in: segment, of: session)
            if case .suspended(cause, let since) = machine.phase, let (error, removesFiles) = session.ending(by: cause)
            {
                await endByItself(.waitEnded(error, since: since, removesFiles: removesFiles), session)
            }
        case .stalled:
            // With the simple API, only the server knows about a suspension.
            let isSuspended = await session.recorded.isSuspended
            await handleSegmentEvent(
                isSuspended ? .suspended(at: clock.now) : .interrupted(.stalled, at: clock.now), in: segment,
                of: session)
        }
    }

    private func interrupt(
        _ interrupted: RecordingSession, _ segment: CapturedSegment, by cause: RecordingInterruption
    ) async {
        await handleSegmentEvent(.interrupted(cause, at: clock.now), in: segment, of: interrupted)
    }

    /// Handles an event of a segment, unless that segment is over.
    private func handleSegmentEvent(
        _ event: RecordingStateMachine.Event, in segment: CapturedSegment, of session: RecordingSession
    ) async {
        await handle(event, of: session) { session.currentSegment?.input === segment.input }
    }

    /// Ends a recording whose source stays suspended until the timeout.
    func endIfSuspendedForTooLong(_ session: RecordingSession) {
        // A clock cannot express much longer times, which stand for no timeout.
        guard let timeout = configuration.interruptions.timeout, timeout < .seconds(1_000_000_000),
            case .suspended(let cause, let since) = machine.phase
        else { return }
        waiting?.cancel()
        waiting = Task { [weak self, clock] in
            guard (try? await clock.sleep(until: since + timeout)) != nil else { return }
            await self?.endByItself(
                .waitEnded(session.failure(of: cause), since: since, removesFiles: false), session)
        }
    }

    /// Tries to continue until it succeeds, times out, or a command changes the phase. Between two attempts it does not hold
    /// the recorder: one that is dropped opens its source no more.
    func recovery(
        of interrupted: RecordingSession, from interruption: RecordingStateMachine.Interruption
    ) -> Task<Void, Never> {
        Task { [weak self, clock] in
            var hasReportedFailure = false
            var delay = Self.recoveryInterval.shortest
            while !Task.isCancelled {
                // The time is read once, so that no move of a test's clock is missed.
                let now = clock.now
                // Before asking, so that no change is missed.
                let change = interrupted.recorded.nextChange
                guard await self?.tryToRecover(interrupted, from: interruption, at: now, &hasReportedFailure) == true
                else {
                    return
                }
                try? await clock.sleep(until: now + Self.recoveryInterval.shortest)
                await clock.wait(for: change, until: now + delay)
                delay = min(delay * 2, Self.recoveryInterval.longest)
            }
        }
    }

    /// - Returns: Whether to try again.
    private func tryToRecover(
        _ interrupted: RecordingSession, from interruption: RecordingStateMachine.Interruption,
        at now: RecorderClock.Instant, _ hasReportedFailure: inout Bool
    ) async -> Bool {
        guard session === interrupted, machine.phase == .interrupted(interruption) else { return false }
        let passed = now - interruption.since
        let isSettled = interruption.cause != .serverLost || passed > Self.settlingTime
        if interruption.cause == .stalled, let quietSince = interruption.quietSince, reachesTimeout(now - quietSince) {
            await giveUp(interrupted, interruption, because: interrupted.failure(of: .stalled))
            return false
        }
        // Why it cannot continue now, and what of that is told.
        var obstacle: (error: ACCAudioRecorderError, told: ACCAudioRecorderError?)?
        switch await interrupted.recorded.recovery.decision(after: interruption.cause, isSettled: isSettled) {
        case .found(let source):
            let failure = await resume(interrupted, with: source, after: interruption)
            obstacle = failure.map { ($0, $0) }
        case .wait(let error, let switchFailure):
            obstacle = (error, switchFailure)
        case .hold:
            break
        case .end(let error, let removesFiles):
            await giveUp(interrupted, interruption, because: error, removesFiles: removesFiles)
            return false
        }
        guard machine.phase == .interrupted(interruption) else { return false }
        if let told = obstacle?.told, !hasReportedFailure {
            hasReportedFailure = true
            interrupted.reportSwitchFailure(told)
        }
        if let obstacle, reachesTimeout(passed) {
            await giveUp(interrupted, interruption, because: obstacle.error.asCaptureFailure)
            return false
        }
        return true
    }

    /// Whether an interruption has lasted as long as the timeout, if there is one.
    private func reachesTimeout(_ interruption: Duration) -> Bool {
        configuration.interruptions.timeout.map { interruption >= $0 } ?? false
    }

    private func giveUp(
        _ interrupted: RecordingSession, _ interruption: RecordingStateMachine.Interruption,
        because error: ACCAudioRecorderError, removesFiles: Bool = false
    ) async {
        await endByItself(.waitEnded(error, since: interruption.since, removesFiles: removesFiles), interrupted)
    }

    /// - Returns: Why the source cannot be opened; nil if it is open, or nothing is to be continued any more.
    private func resume(
        _ interrupted: RecordingSession, with source: FoundSource,
        after interruption: RecordingStateMachine.Interruption
    ) async -> ACCAudioRecorderError? {
        await enter()
        defer { gate.leave() }
        guard session === interrupted, machine.phase == .interrupted(interruption),
            case .open = machine.handle(.recovered)
        else { return nil }
        do throws(ACCAudioRecorderError) {
            try await open(interrupted, after: interruption.cause) { source }
            return nil
        } catch {
            return error
        }
    }
}
