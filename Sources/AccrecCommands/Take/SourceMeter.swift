import ACCAudioRecorder

/// Shows the levels of a source that is not being recorded at the moment, so that the gain can be set, until it is
/// released.
///
/// It captures the source with a recorder of its own, which keeps nothing, so that nothing of it can get into a take.
struct SourceMeter: ~Copyable {
    /// How long before the beginning of a take its source's levels are shown, in seconds. Until then the source stays
    /// closed, so that other programs and the desktop do not see it in use all the time.
    static let lead = 60.0

    private let metering: Task<Void, Never>

    /// - Parameters:
    ///   - configuration: The take's.
    ///   - name: The source's name; nil for the one that the take would choose.
    init(_ configuration: ACCAudioRecorder.Configuration, source name: String? = nil, in view: TakeView) {
        var configuration = configuration
        if let name, case .source = configuration.input { configuration.sourceName = name }
        configuration.sound = nil
        configuration.interruptions = InterruptionPolicy(onCall: .ignore)
        let recorder = ACCAudioRecorder(configuration: configuration)
        metering = Task { [configuration] in
            await view.followUnrecorded(recorder)
            // A source that cannot be opened has no levels to show; the take says why.
            guard let events = try? await recorder.startRecording().events else { return }
            // Until this task is cancelled, or the source has gone.
            for await event in events {
                if case .started(let source, _) = event { view.setFormat(of: source, configuration) }
            }
            await recorder.discardRecording()
        }
    }

    deinit {
        metering.cancel()
    }
}
