/// Looks for what an interrupted recording goes on with.
struct RecoverySearch {
    /// What is found out about an interrupted recording's chances.
    enum Outlook {
        /// It can go on with this source.
        case found(PreparedSource)
        /// Not now, because of this; nor is there another source, where that was looked for.
        case wait(ACCAudioRecorderError, switchFailure: ACCAudioRecorderError? = nil)
        /// Not now, however long it takes.
        case hold
        /// It is to end.
        case end(ACCAudioRecorderError, removesFiles: Bool)
    }

    let configuration: ACCAudioRecorder.Configuration
    /// The source that the recording was on.
    let source: AudioSource
    let watch: SourceWatch?

    /// Looks for the source, or by the policy for another.
    ///
    /// - Parameter isSettled: Whether a source that is missing is gone, rather than not there yet.
    func outlook(of interruption: RecordingInterruption, isSettled: Bool) async -> Outlook {
        if interruption == .call, await watch?.callGoesOn() == true { return .hold }
        if configuration.interruptions.followsDefault, case .found(let found) = await fallback() {
            return .found(found)
        }
        do throws(ACCAudioRecorderError) {
            let found = try await PreparedSource(configuration, exactName: source.name)
            guard interruption != .streamKilled else { return .end(.streamKilled(of: source), removesFiles: false) }
            return .found(found)
        } catch {
            guard isSettled, error.failure?.reason == .noSuchSource else { return .wait(error) }
            let policy = configuration.interruptions.onDisconnect
            switch policy {
            case .pause: return .wait(.deviceLost(source))
            case .stop, .discard: return .end(.deviceLost(source), removesFiles: policy == .discard)
            case .fallback: return await fallback()
            }
        }
    }

    private func fallback() async -> Outlook {
        do throws(ACCAudioRecorderError) {
            var anySource = configuration
            anySource.sourceName = nil
            let found = try await PreparedSource(anySource, isFallback: true)
            return .found(found)
        } catch {
            return .wait(.deviceLost(source), switchFailure: error)
        }
    }
}
