/// A source that was found, and perhaps opened already, for the next segment of a recording.
///
/// If it was opened in advance, its frames are dropped until the recording begins, except for the newest ones if the recording
/// is to begin with these.
struct FoundSource: Sendable {
    /// The source, as the server described it when asked.
    private(set) var source: AudioSource
    /// The captured format.
    let captured: StreamFormat
    /// The connection that found it.
    let connection: any CaptureConnection

    /// The application, if one is recorded and plays.
    private(set) var choice: ApplicationSelection.Choice?
    /// The name of an application that plays, similar to that of the one to be recorded, which does not; nil if there is
    /// none.
    private(set) var similarApplication: String?
    /// The length in seconds of the audio from before its start that the recording begins with.
    private(set) var preRoll = 0.0
    private var settings: CaptureSettings
    /// The channels of the source whose sound counts, counted from 1; empty for all.
    let soundChannels: [Int]
    private let quality: ResamplerQuality
    /// The sounds that start the recording.
    private let soundActivation: SoundActivation?
    private var openedInput: (any CaptureInput)?
    /// Follows the application for the opened input.
    private var following: Task<Void, Never>?
    private var keeper: AudioKeeper?
    /// The first frame that the next recording may begin with; nil for any that is kept.
    private(set) var earliest: CaptureRing.Place?
    /// Whether it is one of several inputs, which are put side by side.
    var isTrack = false
    /// The inputs that the source stands for; nil if it is one.
    private(set) var tracks: TrackSet?

    /// Asks the server for the source of a configuration and its format.
    ///
    /// - Parameters:
    ///   - backend: The backend that has the source.
    ///   - present: A connection to use as long as it is not broken; nil for a new one.
    ///   - exactName: The only source to use, whatever the configuration names.
    ///   - isFallback: Whether to choose by the rules for an unnamed source, whatever the configuration names.
    ///   - choice: The application that the recording has captured so far.
    ///   - tracks: The inputs of the recording so far, if it has several.
    init(
        _ configuration: ACCAudioRecorder.Configuration, from backend: any CaptureBackend,
        over present: (any CaptureConnection)? = nil, exactName: String? = nil, isFallback: Bool = false,
        continuing choice: ApplicationSelection.Choice? = nil, tracks: TrackSet? = nil
    ) async throws(ACCAudioRecorderError) {
        if configuration.inputs.count == 1 {
            try await self.init(
                single: configuration, backend, over: present, exactName: exactName, isFallback: isFallback,
                continuing: choice)
        } else {
            try await self.init(combinedBy: configuration, from: backend, continuing: tracks)
        }
    }

    private init(
        single configuration: ACCAudioRecorder.Configuration, _ backend: any CaptureBackend,
        over present: (any CaptureConnection)?, exactName: String?, isFallback: Bool,
        continuing choice: ApplicationSelection.Choice?
    ) async throws(ACCAudioRecorderError) {
        let selection: SourceSelection
        let playing: [ApplicationStream]
        let application = configuration.input.application
        do throws(CaptureFailure) {
            (connection, selection) = try await Self.selection(for: configuration, from: backend, over: present)
            playing = application == nil ? [] : try await connection.applicationStreams()
        } catch {
            throw .audioEngineStartFailed(.init("cannot reach the sound server", error))
        }
        if let application {
            let applications = ApplicationSelection(playing: playing)
            if let choice {
                self.choice = applications.choice(continuing: choice)
            } else {
                self.choice = try applications.choice(requested: application)
            }
            if self.choice == nil { similarApplication = applications.nearest(to: application) }
            source = AudioSource(
                application: application, self.choice, as: try selection.monitor(capturing: self.choice))
        } else if let monitor = configuration.input.followedMonitor {
            source = try selection.source(requested: monitor)
        } else if let exactName {
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
        let rate = configuration.form(from: captured).sampleRate
        let bufferFrames = Int(configuration.bufferSize(at: rate)) * captured.sampleRate / rate
        // The engine assembles long buffers from short fragments, since the fragment that the server is still
        // collecting is lost when a device goes.
        settings = CaptureSettings(
            streamProperties: configuration.streamProperties,
            fragmentFrames: max(
                min(bufferFrames, Self.longestFragment(at: captured.sampleRate, source.isOnPipeWire)), 1),
            api: configuration.capture.api,
            keptLength: configuration.soundActivation.map { $0.isGate ? $0.preRoll.seconds : 0 } ?? 0)
        soundChannels = configuration.channels.numbers
        quality = configuration.resamplerQuality
        soundActivation = configuration.soundActivation.flatMap { $0.startsRecording ? $0 : nil }
    }

    /// Finds all inputs of a configuration, and makes one source of them.
    ///
    /// - Parameter known: The same inputs as the recording has had them so far. Without them, the first must be there.
    private init(
        combinedBy configuration: ACCAudioRecorder.Configuration, from backend: any CaptureBackend,
        continuing known: TrackSet?
    ) async throws(ACCAudioRecorderError) {
        var found: [FoundSource?] = []
        var absence: ACCAudioRecorderError?
        for input in configuration.inputs {
            do throws(ACCAudioRecorderError) {
                var source = try await FoundSource(configuration.recording(input), from: backend)
                source.isTrack = true
                found.append(source)
            } catch {
                let isAbsent = [.noSuchSource, .noMicrophone].contains(error.failure?.reason)
                let mayBeAbsent = known != nil || !found.isEmpty
                guard isAbsent, mayBeAbsent, !configuration.interruptions.requiresAllInputs else { throw error }
                absence = absence ?? error
                found.append(nil)
            }
        }
        guard let first = found.lazy.compactMap(\.self).first else {
            throw absence
                ?? .audioEngineStartFailed(
                    .init(.noSuchSource, "cannot record", cause: "no source is named", remedy: "Name one."))
        }
        let tracks = TrackSet(found, configuration, from: backend, continuing: known)
        self.tracks = tracks
        source = tracks.source
        captured = source.form
        connection = first.connection
        similarApplication = found.lazy.compactMap { $0?.similarApplication }.first
        settings = first.settings
        settings.fragmentFrames = max(
            settings.fragmentFrames * captured.sampleRate / first.captured.sampleRate, 1)
        soundChannels = configuration.soundActivation?.input.flatMap { tracks.channels(ofInput: $0) }?.numbers ?? []
        quality = configuration.resamplerQuality
        soundActivation = first.soundActivation
    }

    /// The length of a fragment at most, in frames: 40 ms.
    ///
    /// PipeWire shortens its cycle for everybody where a fragment is shorter than two cycles, which are 1,024 frames at 48 kHz
    /// unless configured otherwise. A fragment of exactly two arrives as soon as it is captured. If these are no whole frames,
    /// it is longer by an eighth of a cycle, so that each eighth does.
    private static func longestFragment(at sampleRate: Int, _ isOnPipeWire: Bool) -> Int {
        guard isOnPipeWire else { return sampleRate / 25 }
        let (frames, rest) = (2_048 * sampleRate).quotientAndRemainder(dividingBy: 48_000)
        return rest == 0 ? frames : 2_176 * sampleRate / 48_000
    }

    /// Asks for the sources, over the present connection or a new one.
    private static func selection(
        for configuration: ACCAudioRecorder.Configuration, from backend: any CaptureBackend,
        over present: (any CaptureConnection)?
    ) async throws(CaptureFailure) -> (any CaptureConnection, SourceSelection) {
        do throws(CaptureFailure) {
            if let present { return (present, try await SourceSelection(connection: present, for: configuration)) }
        } catch  where error.reason != .noServer {
            throw error
        } catch {}
        let connection = try await backend.connect()
        return (connection, try await SourceSelection(connection: connection, for: configuration))
    }

    /// Opens the source for a recording that begins later.
    ///
    /// - Parameters:
    ///   - seconds: The length of audio to keep for the recording.
    ///   - orLess: Whether to keep less if there is not enough memory.
    ///   - start: The first frame that may be in a recording, if it goes on after one; nil if it does not.
    mutating func openInAdvance(
        keeping seconds: Double, orLess: Bool, goingOnFrom start: CaptureStart? = nil
    ) async throws(ACCAudioRecorderError) {
        preRoll = seconds
        let isKeeping = seconds > 0 || soundActivation != nil || start != nil
        // A sound is found at the end of a window, and a recording goes on within a fragment.
        let keptLength = isKeeping ? max(seconds, 0.01) : 0
        let input = try await open(
            start ?? (isKeeping ? .atOnce : .onRequest), keeping: keptLength, orLess: orLess)
        openedInput = input
        try await followApplication(by: input)
        if isKeeping { keepAudio(of: input) }
    }

    /// Goes on with the input of a recording that has ended, which is open: its audio is kept for the next one.
    ///
    /// - Parameter place: The first frame that may be in the next recording.
    mutating func goOn(
        with input: any CaptureInput, keeping seconds: Double, from place: CaptureRing.Place?
    ) async throws(ACCAudioRecorderError) {
        (preRoll, openedInput) = (seconds, input)
        earliest = place ?? earliest
        keepAudio(of: input)
        try await followApplication(by: input)
    }

    private mutating func followApplication(by input: any CaptureInput) async throws(ACCAudioRecorderError) {
        guard source.kind == .application else { return }
        do throws(CaptureFailure) {
            following = try await ApplicationWatch.start(
                source.name, choice, connection: connection, following: input)
        } catch {
            throw .audioEngineStartFailed(.init("cannot watch the application '\(source.name)'", error))
        }
    }

    private mutating func keepAudio(of input: any CaptureInput) {
        keeper = AudioKeeper(
            input.ring, of: source.sampleSpec, selectedChannels: soundChannels, listeningBy: soundActivation)
    }

    /// The length of audio that the opened source keeps, in seconds.
    var keptLength: Double { settings.keptLength }

    /// Whether audio is kept for the recording.
    var isKeeping: Bool { keeper != nil }

    /// What starts the recording, if it does not start by itself: a sound, once there is one.
    var soundTrigger: PreRoll.Trigger? { keeper?.trigger }

    /// A copy of the audio that is kept, in a closed ring; nil if none is.
    func copyOfAudio() async throws(CaptureFailure) -> CaptureRing? {
        keeper == nil ? nil : try await openedInput?.ring.copyRequests.copy()
    }

    /// Whether the source is open and unchanged since it was found.
    var isReady: Bool {
        openedInput?.isOpen ?? false
    }

    /// Whether a recording can begin with it: it is ready, or a sound to start with has begun before the source was lost.
    var isUsable: Bool {
        get async {
            if isReady { return true }
            return await keeper?.lastTrigger != nil
        }
    }

    /// Begins the recording and returns its input, which may still be opening. Its ring holds what was kept.
    func begin() async throws(ACCAudioRecorderError) -> any CaptureInput {
        guard let openedInput else { return try startOpening(.atOnce) }
        following?.cancel()
        if let keeper {
            await keeper.stop()
            openedInput.ring.rewind()
        } else {
            openedInput.begin()
        }
        return openedInput
    }

    /// Opens the source, which keeps at least as much audio as the recording needs.
    ///
    /// - Parameters:
    ///   - seconds: The length of audio to keep.
    ///   - orLess: Whether to keep less if there is not enough memory.
    mutating func open(
        _ start: CaptureStart, keeping seconds: Double, orLess: Bool
    ) async throws(ACCAudioRecorderError) -> any CaptureInput {
        let needed = settings.keptLength
        settings.keptLength = max(needed, seconds)
        while true {
            do throws(ACCAudioRecorderError) {
                let input = try startOpening(start)
                do throws(ACCAudioRecorderError) {
                    try await input.waitUntilOpen()
                } catch {
                    await input.stop(.now)
                    throw error
                }
                return input
            } catch {
                guard orLess, error.failure?.reason == .system, settings.keptLength > needed else { throw error }
                let half = settings.keptLength / 2
                settings.keptLength = half > max(needed, 1) ? half : needed
            }
        }
    }

    func startOpening(_ start: CaptureStart) throws(ACCAudioRecorderError) -> any CaptureInput {
        if let tracks { return try tracks.open(settings, start: start) }
        var settings = settings
        settings.asksForTiming = isTrack
        guard source.kind == .application else { return try connection.open(source, settings, start: start) }
        let input = try ApplicationInput(source, settings, start: start, quality: quality, connection: connection)
        if let choice { input.capture(choice.streams) }
        return input
    }

    /// Closes the source if it was opened in advance.
    func release() async {
        await keeper?.stop()
        following?.cancel()
        openedInput?.ring.endCopies()
        await openedInput?.stop(.now)
    }
}
