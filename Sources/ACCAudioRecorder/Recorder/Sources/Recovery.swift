/// Finds a source with which an interrupted recording can continue.
struct Recovery {
    /// What to do about an interrupted recording.
    enum Decision {
        /// It can continue with this source.
        case found(FoundSource)
        /// It cannot continue now, for this reason; `switchFailure` is set if no other source could be used either.
        case wait(ACCAudioRecorderError, switchFailure: ACCAudioRecorderError? = nil)
        /// It must wait, without a timeout.
        case hold
        /// It must end.
        case end(ACCAudioRecorderError, removesFiles: Bool)
    }

    let configuration: ACCAudioRecorder.Configuration
    let backend: any CaptureBackend
    /// The recording's source.
    let source: AudioSource
    let watch: SourceWatch?
    /// The inputs of the recording so far, if it has several.
    var tracks: TrackSet?

    /// Looks for the source, or for another one if the policy allows it.
    ///
    /// - Parameter isSettled: Whether a missing source is gone, rather than not there yet.
    func decision(after interruption: RecordingInterruption, isSettled: Bool) async -> Decision {
        if interruption == .call {
            switch configuration.onCall {
            case .stop, .discard:
                return .end(.endedByCall(source), removesFiles: configuration.onCall == .discard)
            case .pause, .ignore:
                if await watch?.isCallActive == true { return .hold }
            }
        }
        // The connection of the watch, unless it has broken.
        let connection = interruption == .serverLost ? nil : watch?.connection
        if configuration.interruptions.followsDefault, case .found(let found) = await fallback(over: connection) {
            return .found(found)
        }
        do throws(ACCAudioRecorderError) {
            let found = try await FoundSource(
                configuration, from: backend, over: connection, exactName: source.name, continuing: watch?.choice,
                tracks: tracks)
            guard interruption != .streamKilled else { return .end(.streamKilled(of: source), removesFiles: false) }
            return .found(found)
        } catch {
            guard isSettled, error.failure?.reason == .noSuchSource else { return .wait(error) }
            let policy = configuration.interruptions.onDisconnect
            switch policy {
            case .pause: return .wait(.deviceLost(source, policy))
            case .stop, .discard: return .end(.deviceLost(source, policy), removesFiles: policy == .discard)
            case .fallback: return await fallback(over: connection)
            }
        }
    }

    /// Looks for a source that was not there yet.
    ///
    /// - Parameter connection: That of another source; nil for a new one.
    func firstDecision(over connection: (any CaptureConnection)?) async -> Decision {
        do throws(ACCAudioRecorderError) {
            return .found(try await FoundSource(configuration, from: backend, over: connection))
        } catch {
            return .wait(error)
        }
    }

    /// How a recording ends because its application, which has played, does so no longer; nil if it waits.
    var endingWithoutApplication: (error: ACCAudioRecorderError, removesFiles: Bool)? {
        let policy = configuration.interruptions.onDisconnect
        return switch policy {
        case .pause, .fallback: nil
        case .stop, .discard: (.applicationStopped(source, .applicationAbsent, policy), policy == .discard)
        }
    }

    private func fallback(over connection: (any CaptureConnection)?) async -> Decision {
        do throws(ACCAudioRecorderError) {
            var anySource = configuration
            anySource.input = .source(nil)
            let found = try await FoundSource(anySource, from: backend, over: connection, isFallback: true)
            return .found(found)
        } catch {
            return .wait(.deviceLost(source, .fallback), switchFailure: error)
        }
    }
}

/// The current watch of a recording's source (each opening has its own), and the processing steps that all watches have
/// found.
struct FollowedSource {
    /// Nil if nothing is watched.
    private(set) var watch: SourceWatch?
    private var watching: Task<Void, Never>?
    /// How many watches there were, with the current one.
    private(set) var watchNumber = 0
    /// The server's processing steps, as seen by the watches that have ended.
    private(set) var processingSteps: [ProcessingStep] = []

    /// The processing steps, including those seen by the current watch.
    var allProcessingSteps: [ProcessingStep] {
        let found = watch?.processingSteps ?? []
        return processingSteps + found.filter { !processingSteps.contains($0) }
    }

    /// Replaces the watch.
    mutating func follow(by watch: SourceWatch, _ watching: Task<Void, Never>) {
        stop()
        self.watch = watch
        self.watching = watching
        watchNumber += 1
    }

    /// Ends the watch.
    mutating func stop() {
        watching?.cancel()
        processingSteps = allProcessingSteps
        watch = nil
    }
}
