import Synchronization

/// What an application plays as one input: each of its streams is an input of its own, and all are mixed as a group.
///
/// It is told which streams these are, and stays open while there are none.
final class ApplicationInput: CaptureInput {
    private struct State {
        var inputs: [UInt32: any CaptureInput] = [:]
        /// Where an input begins that is opened now.
        var start: CaptureStart
        var isStopped = false
    }

    let source: AudioSource
    private let combined: CombinedInput
    private let group: PlaybackGroup
    private let settings: CaptureSettings
    private let quality: ResamplerQuality
    private let connection: any CaptureConnection
    private let state: Mutex<State>

    /// - Parameters:
    ///   - source: The application, with the format to capture it in.
    ///   - quality: How streams are resampled that play to another sink than the first one.
    init(
        _ source: AudioSource, _ settings: CaptureSettings, start: CaptureStart, quality: ResamplerQuality,
        connection: any CaptureConnection
    ) throws(ACCAudioRecorderError) {
        self.source = source
        self.quality = quality
        self.connection = connection
        combined = try CombinedInput.open(group: source, settings)
        // What is kept is kept of the mix.
        var settings = settings
        settings.keptLength = 0
        self.settings = settings
        let continues = if case .after = start { true } else { false }
        group = PlaybackGroup(consumer: combined.waker, hasSounded: continues)
        state = Mutex(State(start: start))
        Task.detached { [weak combined, closed = connection.closed] in
            await closed.value
            combined?.end(.serverLost)
        }
    }

    var ring: CaptureRing { combined.ring }

    var isOpen: Bool { combined.isOpen }

    var streamIndex: UInt32? {
        get async {
            for input in state.withLock({ $0.inputs.sorted { $0.key < $1.key } }) {
                if let index = await input.value.streamIndex { return index }
            }
            return nil
        }
    }

    func waitUntilOpen() async throws(ACCAudioRecorderError) {}

    func begin() {
        group.hasSounded = false
        state.withLock { state in
            state.start = .after(hostTime: MonotonicClock.now())
            for input in state.inputs.values { input.begin() }
        }
    }

    func capture(_ playing: [ApplicationStream]) {
        state.withLock { state in
            guard !state.isStopped else { return }
            // The last stream has ended before another one begins.
            for input in state.inputs.values { input.capture(playing) }
            state.inputs = state.inputs.filter { index, _ in playing.contains { $0.index == index } }
            var joining: [any CaptureInput] = []
            for playback in playing where state.inputs[playback.index] == nil {
                // If this fails, the next change at the server leads to another attempt.
                guard
                    let input = try? connection.open(playback, of: source, group, settings, start: state.start)
                else { continue }
                state.inputs[playback.index] = input
                joining.append(input)
            }
            combined.join(joining, quality: quality)
        }
    }

    func stop(_ stop: CaptureStop) async {
        let inputs = state.withLock { state in
            state.isStopped = true
            return state.inputs.values.map { $0 }
        }
        // First the mix, which else takes the end of the streams for that of what is played.
        combined.request(stop)
        await withTaskGroup { tasks in
            for input in inputs { tasks.addTask { await input.stop(stop) } }
        }
        await combined.stop(stop)
    }
}
