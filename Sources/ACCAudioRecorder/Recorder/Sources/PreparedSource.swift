/// A source that was found, and perhaps opened already, for the next segment of a recording.
///
/// If it was opened in advance, a capture runs whose frames are dropped until the recording begins, except for the newest
/// if that is to begin with them.
struct PreparedSource: Sendable {
    /// The source, as the server described it when asked.
    private(set) var source: AudioSource
    /// The captured format.
    let captured: StreamFormat
    /// The connection that found it.
    let connection: any CaptureConnection
    /// The minimum, so that a fragment is at most 40 ms.
    private static let fragmentsPerSecond = 25

    private var settings: CaptureSettings
    private var openedInput: (any CaptureInput)?
    private var keeper: AudioKeeper?

    /// Asks the server for the source of a configuration and its format.
    ///
    /// - Parameters:
    ///   - backend: The backend that has the source.
    ///   - exactName: The only source to use, whatever the configuration names.
    ///   - isFallback: Whether to choose by the rules for an unnamed source, whatever the configuration names.
    init(
        _ configuration: ACCAudioRecorder.Configuration, from backend: any CaptureBackend, exactName: String? = nil,
        isFallback: Bool = false
    ) async throws(ACCAudioRecorderError) {
        let selection: SourceSelection
        do throws(CaptureFailure) {
            connection = try await backend.connect()
            selection = try await SourceSelection(connection: connection, for: configuration)
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
        do throws(CaptureFailure) {
            source.sink = try await connection.sink(monitoredBy: source)
        } catch {
            throw .audioEngineStartFailed(.init("cannot ask for the sink of '\(source.name)'", error))
        }
        captured = try configuration.capturedForm(of: source)
        let ratio = Double(captured.sampleRate) / configuration.resolved(for: captured).sampleRate
        let bufferFrames = Int((Double(configuration.bufferSize) * ratio).rounded())
        // The engine assembles long buffers from short fragments, since the fragment that the server is still
        // collecting is lost when a device goes.
        settings = CaptureSettings(
            streamProperties: configuration.audioSessionMode.streamProperties,
            fragmentFrames: max(min(bufferFrames, captured.sampleRate / Self.fragmentsPerSecond), 1),
            api: configuration.captureAPI)
    }

    /// Opens the source for a recording that begins later.
    ///
    /// - Parameter seconds: The length of audio to keep for the recording.
    mutating func openInAdvance(keeping seconds: Double) async throws(ACCAudioRecorderError) {
        settings.keptLength = seconds
        let input = try await open(seconds > 0 ? .atOnce : .onRequest)
        openedInput = input
        if seconds > 0 { keeper = AudioKeeper(input.ring, of: source.sampleSpec, seconds: seconds) }
    }

    /// The length of audio that is kept for the recording, in seconds.
    var keptLength: Double { settings.keptLength }

    /// Whether the source is open and unchanged since it was found.
    var isReady: Bool {
        openedInput?.isOpen ?? false
    }

    /// Begins the recording and returns its input, which may still be opening. Its ring holds what was kept.
    func begin() async throws(ACCAudioRecorderError) -> any CaptureInput {
        guard let openedInput else { return try startOpening(.atOnce) }
        if let keeper {
            await keeper.stop()
        } else {
            openedInput.begin()
        }
        return openedInput
    }

    /// Opens the source.
    func open(_ start: CaptureStart) async throws(ACCAudioRecorderError) -> any CaptureInput {
        let input = try startOpening(start)
        try await input.waitUntilOpen()
        return input
    }

    private func startOpening(_ start: CaptureStart) throws(ACCAudioRecorderError) -> any CaptureInput {
        try connection.open(source, settings, start: start)
    }

    /// Closes the source if it was opened in advance.
    func release() async {
        await keeper?.stop()
        await openedInput?.stop(.now)
    }
}
