/// A source that was found, and perhaps opened already, for the next stretch of a recording.
///
/// Once it is opened for later, a capture runs whose frames are dropped until the recording begins.
struct PreparedSource: Sendable {
    /// What the server said of the source when it was asked.
    private(set) var source: AudioSource
    /// What is captured of it.
    let captured: FrameForm
    /// The connection that found it.
    let control: PulseControl
    /// At least so many, so that a fragment is 40 ms at most.
    private static let fragmentsPerSecond = 25

    private let streamProperties: [String: String]
    private let fragmentFrames: Int
    private var waiting: Capture?

    /// Asks the server for the source that a configuration names, and for its format.
    ///
    /// - Parameters:
    ///   - exactName: The name of the source to take instead, and no other.
    ///   - isFallback: Whether to take any source instead that may be taken unasked.
    init(
        _ configuration: ACCAudioRecorder.Configuration, exactName: String? = nil, isFallback: Bool = false
    ) async throws(ACCAudioRecorderError) {
        let selection: SourceSelection
        do throws(PulseFailure) {
            control = try await PulseControl.connect(to: configuration.serverName)
            selection = try await SourceSelection(control: control, for: configuration)
        } catch {
            throw .audioEngineStartFailed(.init("cannot reach the sound server", error))
        }
        if let exactName {
            source = try selection.source(named: exactName)
        } else if isFallback {
            source = try selection.source(requested: nil)
        } else {
            source = try selection.source(
                requested: configuration.sourceName ?? SourceSelection.requestedByEnvironment)
        }
        do throws(PulseFailure) {
            source.sink = try await control.sink(monitoredBy: source)
        } catch {
            throw .audioEngineStartFailed(.init("cannot ask for the sink of '\(source.name)'", error))
        }
        captured = try configuration.capturedForm(of: source)
        streamProperties = configuration.audioSessionMode.streamProperties
        let ratio = Double(captured.sampleRate) / configuration.resolved(for: captured).sampleRate
        let bufferFrames = Int((Double(configuration.bufferSize) * ratio).rounded())
        // Long buffers are gathered by the engine: what the server still collects is lost when a device goes.
        fragmentFrames = max(min(bufferFrames, captured.sampleRate / Self.fragmentsPerSecond), 1)
    }

    /// Opens the source for a recording that is to begin later.
    mutating func openForLater() async throws(ACCAudioRecorderError) {
        waiting = try await open(.whenTold)
    }

    /// Whether the source is open and still what it was when it was found.
    var isReady: Bool {
        get async { await waiting?.isOnItsSource ?? false }
    }

    /// The capture of a recording that begins now; its source may still be about to open.
    func begin() throws(ACCAudioRecorderError) -> Capture {
        guard let waiting else { return try beginToOpen(.atOnce) }
        waiting.begin()
        return waiting
    }

    /// Opens the source.
    func open(_ start: Capture.Start) async throws(ACCAudioRecorderError) -> Capture {
        let capture = try beginToOpen(start)
        try await capture.waitUntilOpen()
        return capture
    }

    private func beginToOpen(_ start: Capture.Start) throws(ACCAudioRecorderError) -> Capture {
        try Capture.begin(
            source: source, streamProperties: streamProperties, fragmentFrames: fragmentFrames, start: start,
            control: control)
    }

    /// Lets go of the source, where it was opened for later.
    func release() async {
        await waiting?.stop(.now)
    }
}
