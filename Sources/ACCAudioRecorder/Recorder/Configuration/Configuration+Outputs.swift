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
            let own = applying(output)
            try own.validate()
            try output.check(splitting)
            let isFormKnown = own.native.isDisjoint(with: [.sampleRate, .channelCount])
            try OutputWriter.check(completing(output), form: isFormKnown ? own.outputForm(from: nil) : nil)
        }
    }

    /// The positions of the channels of a recording from this source; nil if it cannot be recorded.
    package func channelMap(recording source: AudioSource) -> ChannelMap? {
        guard let captured = try? capturedForm(of: source) else { return nil }
        return resolved(for: captured).outputForm(from: captured).channelMap
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
        let form = outputForm(from: captured)
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
