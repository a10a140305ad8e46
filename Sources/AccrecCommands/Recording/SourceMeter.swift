import ACCAudioRecorder
import FoundationEssentials

/// Shows the levels of a source that is not being recorded at the moment, so that the gain can be set, until it is
/// released.
///
/// It captures the source with a recorder of its own, which writes no file: what it captures cannot get into a recording.
struct SourceMeter: ~Copyable {
    /// How long before the beginning of a recording its source's levels are shown, in seconds. Until then the source stays
    /// closed, so that other programs and the desktop do not see it in use all the time.
    static let lead = 60.0

    /// How long to wait before a source is opened again that could not be opened, or whose capture has ended.
    private static let retryInterval = Duration.seconds(1)

    private let metering: Task<Void, Never>

    /// - Parameters:
    ///   - configuration: The recording's.
    ///   - name: The source's name, if the recording has had it open; nil for the one that the recording would choose.
    init(_ configuration: ACCAudioRecorder.Configuration, source name: String? = nil, in view: RecordingView) {
        var configuration = configuration
        if let name, configuration.inputs.count == 1, case .source = configuration.input {
            configuration.input = .source(name)
        }
        configuration.soundActivation = nil
        // The levels are shown again whenever the source comes back.
        configuration.interruptions = InterruptionPolicy(timeout: nil, onCall: .ignore)
        let recorder = ACCAudioRecorder(configuration: configuration)
        metering = Task { [configuration] in
            await view.followUnrecorded(recorder)
            while !Task.isCancelled {
                do throws(ACCAudioRecorderError) {
                    // Until this task is cancelled, or the capture has failed.
                    for await event in try await recorder.startRecording().events {
                        switch event {
                        case .opened(let source, _), .resumed(let source): view.setFormat(of: source, configuration)
                        default: break
                        }
                        view.receive(unrecorded: event, of: recorder)
                    }
                    await recorder.discardRecording()
                    view.clearUnrecordedLevels(of: recorder)
                } catch {
                    // Of other failures, and of a source that it has never had, the recording says why.
                    let isGone = name != nil && error.failure?.reason == .noSuchSource
                    view.clearUnrecordedLevels(of: recorder, by: isGone ? .deviceLost : nil)
                }
                try? await Task.sleep(for: Self.retryInterval)
            }
        }
    }

    deinit {
        metering.cancel()
    }
}

/// Shows the levels of a recording's source while the recording is paused, and has closed the source, or leaves out silence,
/// and does not measure it.
struct PauseMeter: ~Copyable {
    private let configuration: ACCAudioRecorder.Configuration
    private let view: RecordingView
    private var source: AudioSource?
    private var meter: SourceMeter?

    /// - Parameter configuration: The recording's.
    init(_ configuration: ACCAudioRecorder.Configuration, in view: RecordingView) {
        self.configuration = configuration
        self.view = view
    }

    /// Begins and ends with the pauses of the recording, and with those of the sound if it leaves them out.
    mutating func receive(_ event: RecordingEvent) {
        switch event {
        case .opened(let source, _):
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
