import ACCAudioRecorder

/// Shows the levels of a source while a take from it is paused, so that the gain can be set.
///
/// The take has closed its source by then. This captures it again with a recorder of its own, which keeps nothing, so that
/// nothing of the pause can get into the take.
struct PauseMeter: ~Copyable {
    private let task: Task<Void, Never>

    /// - Parameter configuration: The take's.
    init(of source: AudioSource, as configuration: ACCAudioRecorder.Configuration, in view: TakeView) {
        var configuration = configuration
        configuration.sourceName = source.name
        configuration.interruptions = InterruptionPolicy(onCall: .ignore)
        let recorder = ACCAudioRecorder(configuration: configuration)
        task = Task {
            await view.followInPause(recorder)
            // A source that cannot be opened has no levels to show; resuming says why.
            guard let events = try? await recorder.startRecording().events else { return }
            // Ends when this task is cancelled, or with the source.
            for await _ in events {}
            await recorder.discardRecording()
        }
    }

    deinit {
        task.cancel()
    }
}
