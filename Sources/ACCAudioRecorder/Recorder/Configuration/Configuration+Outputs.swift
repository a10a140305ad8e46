extension ACCAudioRecorder.Configuration {
    /// Checks everything about a recording to these outputs that can be checked without a source, as its start does, so
    /// that errors of a scheduled recording appear early. Creates nothing. May be called on any thread; blocks while it
    /// looks up files.
    ///
    /// - Throws: `audioFormatCreationFailed` for a sample rate, channel count or buffer size out of range;
    ///   `outputFailed` for an output that cannot be created.
    public func validate(outputs: [RecordingOutput]) throws(ACCAudioRecorderError) {
        try validate()
        try RecordingOutput.checkPlaces(of: outputs, reserved: reservedPaths)
        for output in outputs {
            try applying(output).validate()
            try output.check(splitting)
            try OutputWriter.check(completing(output))
        }
    }

    /// The output with what the recording decides filled in. What the source decides is native.
    package func completing(_ output: RecordingOutput) -> RecordingOutput {
        var completed = output
        completed.formatSettings = output.formatSettings.or(effectiveFormat)
        // A lossy container ignores the recording's encoding, and refuses one of the output's own.
        if output.container.isLossy { completed.formatSettings.encoding = output.formatSettings.encoding }
        return completed
    }

    /// The output with what the recording and its source decide filled in.
    ///
    /// - Parameter captured: The captured format.
    func resolve(_ output: RecordingOutput, from captured: StreamFormat, of source: AudioSource) -> ResolvedOutput {
        ResolvedOutput(completing(output), from: captured, source.sampleSpec.format)
    }

    /// What an output will be of a recording from this source.
    ///
    /// - Throws: `audioFormatCreationFailed` if the source cannot be recorded.
    package func resolve(
        _ output: RecordingOutput, from source: AudioSource
    ) throws(ACCAudioRecorderError) -> ResolvedOutput {
        resolve(output, from: try capturedForm(of: source), of: source)
    }

    /// The positions of the channels of a recording from this source; nil if it cannot be recorded.
    package func channelMap(recording source: AudioSource) -> ChannelMap? {
        guard let captured = try? capturedForm(of: source) else { return nil }
        return form(from: captured).channelMap
    }

    /// Reserves the paths of the outputs, so that no file of one output takes the place of another.
    func reservingPlaces(of outputs: [RecordingOutput]) -> ACCAudioRecorder.Configuration {
        var configuration = self
        for case .file(let path) in outputs.map(\.destination) { configuration.reservedPaths.append(path) }
        return configuration
    }

    /// The format of a recording, from a resolved configuration.
    ///
    /// - Parameter captured: The captured format.
    func format(from captured: StreamFormat, outputs: [RecordingOutput]) -> RecordingFormat {
        let form = form(from: captured)
        return RecordingFormat(
            sampleRate: Double(form.sampleRate), channelMap: form.channelMap, bufferSize: bufferSize,
            resamplerQuality: resamplerQuality, outputs: outputs)
    }

    /// Whether the user has selected channels out of order; files then keep that order.
    func selectsOrder(of form: StreamFormat) -> Bool {
        channelMap == nil && selectedChannels.count == form.channelCount
            && selectedChannels != selectedChannels.sorted()
    }
}

extension RecordingEngine.Settings {
    /// The engine's settings, from a resolved configuration.
    init(_ configuration: ACCAudioRecorder.Configuration) {
        self.init(
            selectedChannels: configuration.selectedChannels, resamplerQuality: configuration.resamplerQuality,
            bufferFrames: Int(configuration.bufferSize), fillsGaps: configuration.interruptions.fillsGaps,
            splitting: configuration.splitting, sound: configuration.sound.flatMap { $0.isGate ? $0 : nil })
    }
}
