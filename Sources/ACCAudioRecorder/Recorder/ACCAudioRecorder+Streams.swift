// Subscriptions: each is one stream alone, made before a recording or during it.

extension ACCAudioRecorder {
    /// Subscribes to the audio of this recorder's recordings, from the next frame on: buffers at a rate and a channel count of
    /// its own if they are given, and what is missing between them. The frames are those that a file of this format holds; the
    /// buffers are as long, in seconds, as the recording's, and shorter before a gap, a pause and the end.
    ///
    /// A format is converted to once, on the engine's thread, for all its subscribers and files.
    ///
    /// ```swift
    /// for await audio in try recorder.buffers(format: .init(sampleRate: 16_000, channelCount: 1)) {
    ///     switch audio {
    ///     case .buffer(let buffer): await recognise(buffer.toInt16Data())
    ///     case .gap(let gap): await recognise(silence: gap.length)
    ///     default: break
    ///     }
    /// }
    /// ```
    ///
    /// May be called on any thread.
    ///
    /// - Parameters:
    ///   - format: The format of the buffers.
    ///   - policy: What is kept for a consumer that does not read; half a minute by default.
    /// - Throws: `audioFormatCreationFailed` for a rate or channel count out of range, and for an input that the current
    ///   recording has no channels of. A recording does not start while a subscription asks for an input that it has not.
    nonisolated public func buffers(
        format: BufferFormat = .recording, policy: BufferingPolicy = .oldest()
    ) throws(ACCAudioRecorderError) -> Subscription<RecordedAudio> {
        try Configuration(sampleRate: format.sampleRate, channelCount: format.channelCount).validate()
        return try subscriptions.audio(format, policy)
    }

    /// Subscribes to the levels of this recorder's recordings by channel, one for each buffer of the configured size. May be
    /// called on any thread.
    ///
    /// - Parameter policy: What is kept for a consumer that does not read; the newest levels by default. Dropped
    ///   levels are not reported.
    nonisolated public func levels(policy: BufferingPolicy = .newest()) -> Subscription<RecordingLevels> {
        subscriptions.levels(policy)
    }

    /// Subscribes to the state of this recorder, which comes at once, at each change, and every 100 ms while it records. Only the
    /// newest is kept. May be called on any thread.
    nonisolated public func states() -> Subscription<RecordingState> {
        defer { Task { [weak self] in await self?.followState() } }
        return subscriptions.states()
    }

    /// Subscribes to the events of this recorder's recordings. The newest thousand are kept. May be called on any thread.
    nonisolated public func events() -> Subscription<RecordingEvent> {
        subscriptions.events()
    }

    /// Sends the state every 100 ms to a subscriber that came during a recording.
    private func followState() {
        if let session { startTicker(for: session) }
    }
}

extension [RecordingInput] {
    /// The channels that one of these inputs has in a recording.
    ///
    /// - Throws: `audioFormatCreationFailed` if there are none.
    func channels(
        ofInput name: String, of tracks: TrackSet?, _ layout: InputLayout
    ) throws(ACCAudioRecorderError) -> TrackChannels {
        let obstacle = obstacle(toTrack: name, layout)
        if obstacle == nil, let channels = tracks?.channels(ofInput: name) { return channels }
        throw .audioFormatCreationFailed(
            .init(
                .invalidFormat, "cannot choose the channels of '\(name)'",
                cause: obstacle?.cause ?? "no source is open",
                remedy: obstacle?.remedy ?? "Wait until the recording has begun."))
    }
}
