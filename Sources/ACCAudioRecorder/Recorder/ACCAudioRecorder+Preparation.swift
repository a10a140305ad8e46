import FoundationEssentials

// Sources that are opened before a recording is started, and the audio that is kept.

extension ACCAudioRecorder {
    /// Opens the source in advance, so that a later start takes no time, and keeps its newest audio: the recording begins
    /// with it. `finishRecording()` and `discardRecording()` close the source.
    ///
    /// The recording then begins exactly `round(length × rate)` frames, at the source's rate, before its trigger, or with
    /// the first frame there is. The trigger is the frame that is captured when `startRecording(to:)` is called, where a
    /// marker named `trigger` is set; or the sound that ``waitForSound()`` has found, with a marker named `sound`. The
    /// recording's start time and its file names are those of the first frame. With a length of zero, frames captured before
    /// the start are dropped.
    ///
    /// A source that is lost in the meantime is opened again as soon as possible; what was kept is dropped then. Does
    /// nothing if the source is already open and keeps this length.
    ///
    /// - Parameter length: Up to ten minutes; if sounds start the recording, at least ``SoundActivation/preRoll``. Each second
    ///   takes the source's sample rate × bytes per frame of memory: 192,000 bytes for 48 kHz, stereo, 16 bits. At most
    ///   2 GiB are kept. If the source is opened again in a format for which that, or the memory, is too little, less is
    ///   kept.
    /// - Throws: `recordingAlreadyInProgress`; `audioFormatCreationFailed` for a sample rate, channel count, buffer size
    ///   or length out of range; `audioEngineStartFailed` if the server or the source cannot be opened, or for a length
    ///   that takes too much memory.
    public func prepareRecording(keeping length: Duration = .zero) async throws(ACCAudioRecorderError) {
        let seconds = try preRoll(of: length)
        await enter()
        defer { gate.leave() }
        guard machine.phase == .idle else { throw .recordingAlreadyInProgress }
        takePreRoll = nil
        try await prepare(keeping: seconds)
        if prepared?.isKeeping == true { rearm(keeping: seconds) } else { rearming?.cancel() }
    }

    /// The audio to keep in seconds: at least what belongs to a sound that starts the recording.
    func preRoll(of length: Duration) throws(ACCAudioRecorderError) -> Double {
        guard (.zero...Self.longestPreRoll).contains(length) else {
            throw .audioFormatCreationFailed(
                .init(
                    .invalidFormat, "cannot keep \(length.seconds) s before the start",
                    cause: "it must be from 0 to 600 s", remedy: "Keep less."))
        }
        guard let activation = configuration.soundActivation, activation.startsRecording else { return length.seconds }
        return max(length, activation.preRoll).seconds
    }

    /// Opens the prepared source again whenever it is lost, until the recording begins.
    func rearm(keeping seconds: Double) {
        rearming?.cancel()
        rearming = Task { [weak self] in
            while await self?.prepareAgain(keeping: seconds) ?? false {
                guard (try? await Task.sleep(for: Self.rearmingInterval)) != nil else { return }
            }
        }
    }

    /// The longest audio that is kept before a recording: ten minutes.
    public static let longestPreRoll = SoundActivation.longestPreRoll

    /// How often to look whether a prepared source was lost, or has sounded.
    private static let rearmingInterval = Duration.milliseconds(500)
    private static let listeningInterval = Duration.milliseconds(100)

    /// Whether the source is open for a recording that has not been started yet.
    public var isPrepared: Bool { prepared?.isReady ?? false }

    /// Whether the prepared source has sounded, by the configuration's ``SoundActivation``: the recording then begins with
    /// that sound and its pre-roll. It must be started within eight seconds, or less if the source delivers more than 4 MiB
    /// per second; the audio after these is lost.
    public var hasSounded: Bool { prepared?.soundTrigger != nil }

    /// Waits until the source sounds that ``prepareRecording(keeping:)`` has opened.
    ///
    /// ```swift
    /// configuration.soundActivation = SoundActivation(openingLevel: -40, startsRecording: true)
    /// let recorder = ACCAudioRecorder(configuration: configuration)
    /// try await recorder.prepareRecording(keeping: .seconds(2))
    /// if await recorder.waitForSound() { try await recorder.startRecording(to: outputs) }
    /// ```
    ///
    /// - Returns: False if the source is not prepared any more, was not prepared for that, or the task was cancelled.
    public func waitForSound() async -> Bool {
        // A source that is lost is opened again.
        while rearming != nil, configuration.soundActivation?.startsRecording == true {
            if hasSounded { return true }
            guard (try? await Task.sleep(for: Self.listeningInterval)) != nil else { return false }
        }
        return false
    }

    /// Writes the newest audio that is kept to a file of its own, as ``prepareRecording(keeping:)`` has said how much,
    /// whether the recording has been started or not; a recording is not changed by it.
    ///
    /// What was captured before an interruption is not kept, and nothing in a pause. With a ``SoundActivation`` that leaves out
    /// pauses, its pre-roll is kept, or more if that was asked for; this audio is complete.
    ///
    /// - Parameter output: Where to write it, in which format. What it does not set comes from the configuration.
    /// - Returns: The report of the file.
    /// - Throws: `outputFailed` if nothing is kept, there is not enough memory for a copy of it, or the file cannot be
    ///   created or written.
    @discardableResult
    public func saveKeptAudio(to output: RecordingOutput) async throws(ACCAudioRecorderError) -> OutputReport {
        let audio: KeptAudio?
        do throws(CaptureFailure) {
            audio = if let session { try await session.keptAudio() } else { try await prepared?.keptAudio() }
        } catch {
            throw .outputFailed(.init("cannot copy what was captured last", error))
        }
        guard let audio else {
            throw .outputFailed(
                .init(
                    .noFrames, "cannot save what was captured last", cause: "no audio is kept",
                    remedy: "Prepare the recording with some."))
        }
        return try await audio.save(to: output, by: configuration)
    }

    /// Opens a prepared source again if it was lost; false if it is not needed any more.
    private func prepareAgain(keeping seconds: Double) async -> Bool {
        await enter()
        defer { gate.leave() }
        guard machine.phase == .idle, !Task.isCancelled else { return false }
        // As long as there is no source, it is looked for again and again; a start says why there is none.
        try? await prepare(keeping: seconds, orLess: true)
        return true
    }

    func prepare(keeping seconds: Double, orLess: Bool = false) async throws(ACCAudioRecorderError) {
        if let prepared, prepared.preRoll == seconds, await prepared.isUsable { return }
        await prepared?.release()
        prepared = nil
        try configuration.validate()
        var source = try await FoundSource(configuration, from: backend)
        try await source.openInAdvance(
            keeping: seconds, orLess: orLess,
            // What a server still holds may be in the take before.
            goingOnFrom: takePreRoll == nil ? nil : .after(hostTime: backend.now()))
        prepared = source
    }
}
