import ACCAudioRecorder

/// Shows the levels of a take's source while the take is paused, and has closed the source, or leaves out silence, and does
/// not measure it.
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

    /// Begins and ends with the pauses of the take, and with those of the sound if it leaves them out.
    mutating func receive(_ event: RecordingEvent) {
        switch event {
        case .started(let source, _):
            self.source = source
        case .paused, .soundEnded:
            if view.showsUnrecordedLevels, let source {
                meter = SourceMeter(configuration, source: source.name, in: view)
            }
        case .resumed(let source):
            self.source = source
            meter = nil
        case .soundBegan, .interrupted:
            meter = nil
        default:
            return
        }
    }
}
