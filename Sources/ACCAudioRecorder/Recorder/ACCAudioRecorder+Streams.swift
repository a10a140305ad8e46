// Single streams of the current recording: only what is held is fed.

extension ACCAudioRecorder {
    /// A stream of the current recording's buffers from now on, at a rate and a channel count of its own if they are
    /// given: 16 kHz mono for a recogniser, while the files are 48 kHz stereo. The frames are those that a file of this
    /// format holds; the buffers are as long, in seconds, as the recording's.
    ///
    /// At least half a minute is kept for a consumer that does not read; see ``RecordingStreams/buffers``. A format is
    /// converted to once, on the engine's thread, for all its subscribers and files.
    ///
    /// - Parameters:
    ///   - sampleRate: A whole number of Hz from 8,000 to 384,000; nil for the recording's.
    ///   - channelCount: From 1 to 32; nil for the recording's, or the input's.
    ///   - input: The name of an input, for its channels alone, of a recording that has several as tracks: `mic`,
    ///     `desktop`, `app:zoom`, or the name of a source; nil for all channels.
    /// - Returns: The stream; nil without a recording.
    /// - Throws: `audioFormatCreationFailed` for a rate or channel count out of range, and for an input that the recording
    ///   has no channels of.
    public func bufferStream(
        sampleRate: Double? = nil, channelCount: UInt32? = nil, input: String? = nil
    ) throws(ACCAudioRecorderError) -> AsyncStream<AudioBufferData>? {
        var format = try BufferFormat(requestedRate: sampleRate, channelCount: channelCount)
        guard let session else { return nil }
        format.track = try input.map { name throws(ACCAudioRecorderError) in
            try session.recorded.channels(ofInput: name)
        }
        return subscribe { $0.buffers(in: format) }
    }

    /// A stream of the current recording's level histories, which begins with the current one; nil without a recording.
    /// Only the newest is kept.
    public func levelHistoryStream() -> AsyncStream<[Float]>? {
        subscribe { $0.subscribeToHistory() }
    }

    /// A stream of the current recording's levels by channel, one for each buffer; nil without a recording. Only the
    /// newest is kept, so holding it costs no memory.
    public func levelStream() -> AsyncStream<RecordingLevels>? {
        subscribe { $0.subscribeToLevels() }
    }

    /// A stream of the current recording's states, which begins with the current one; nil without a recording. Only the
    /// newest is kept.
    public func stateStream() -> AsyncStream<RecordingState>? {
        subscribe { $0.subscribeToState() }
    }

    /// A stream of the current recording's events from now on; nil without a recording. The newest thousand are kept.
    public func eventStream() -> AsyncStream<RecordingEvent>? {
        subscribe { $0.subscribeToEvents() }
    }

    private func subscribe<Value>(
        _ subscribe: (RecordingBroadcast) -> AsyncStream<Value>
    ) -> AsyncStream<Value>? {
        guard let session else { return nil }
        defer { startTicker(for: session) }
        return subscribe(session.broadcast)
    }
}

extension BufferFormat {
    /// Checks what a client asks for.
    init(requestedRate sampleRate: Double?, channelCount: UInt32?) throws(ACCAudioRecorderError) {
        try ACCAudioRecorder.Configuration(sampleRate: sampleRate, channelCount: channelCount).validate()
        self.init(sampleRate: sampleRate.map { Int($0) }, channelCount: channelCount.map { Int($0) })
    }
}
