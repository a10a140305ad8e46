import ACCAudioRecorder

/// Shows the levels of a take's source while the take is paused: it has closed the source by then.
struct PauseMeter: ~Copyable {
    private let configuration: ACCAudioRecorder.Configuration
    private let view: TakeView
    private var source: AudioSource?
    private var meter: SourceMeter?

    /// - Parameter configuration: The take's.
    init(_ configuration: ACCAudioRecorder.Configuration, in view: TakeView) {
        self.configuration = configuration
        self.view = view
    }

    /// Begins and ends with the pauses of the take.
    mutating func receive(_ event: RecordingEvent) {
        switch event {
        case .started(let source, _):
            self.source = source
        case .paused:
            if view.showsUnrecordedLevels, let source {
                meter = SourceMeter(configuration, source: source.name, in: view)
            }
        case .resumed(let source):
            self.source = source
            meter = nil
        default:
            return
        }
    }
}
