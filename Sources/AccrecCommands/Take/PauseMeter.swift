import ACCAudioRecorder

/// Shows the levels of a take's source while the take is paused, so that the gain can be set.
///
/// The take has closed its source by then. This captures it again with a recorder of its own, which keeps nothing, so that
/// nothing of the pause can get into the take.
struct PauseMeter: ~Copyable {
    private let configuration: ACCAudioRecorder.Configuration
    private let view: TakeView
    private var source: AudioSource?
    private var metering: Task<Void, Never>?

    /// - Parameter configuration: The take's.
    init(_ configuration: ACCAudioRecorder.Configuration, in view: TakeView) {
        self.configuration = configuration
        self.view = view
    }

    deinit {
        metering?.cancel()
    }

    /// Begins and ends with the pauses of the take.
    mutating func receive(_ event: RecordingEvent) {
        switch event {
        case .started(let source, _):
            self.source = source
        case .paused:
            if view.showsLevelsInPause, let source { metering = meter(source) }
        case .resumed(let source):
            self.source = source
            metering?.cancel()
        default:
            return
        }
    }

    private func meter(_ source: AudioSource) -> Task<Void, Never> {
        var configuration = configuration
        configuration.sourceName = source.name
        configuration.interruptions = InterruptionPolicy(onCall: .ignore)
        let recorder = ACCAudioRecorder(configuration: configuration)
        return Task { [view] in
            await view.followInPause(recorder)
            // A source that cannot be opened has no levels to show; resuming says why.
            guard let events = try? await recorder.startRecording().events else { return }
            // Until this task is cancelled, or the source has gone.
            for await _ in events {}
            await recorder.discardRecording()
        }
    }
}
