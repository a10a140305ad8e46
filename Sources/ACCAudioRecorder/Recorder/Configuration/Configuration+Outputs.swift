extension ACCAudioRecorder.Configuration {
    /// Checks everything about a recording to these outputs that can be checked without a source, as its start does, so
    /// that errors of a scheduled recording appear early. Creates nothing. May be called on any thread; blocks while it
    /// looks up files.
    ///
    /// - Throws: `audioFormatCreationFailed` for a sample rate, channel count or buffer size out of range;
    ///   `outputFailed` for an output that cannot be created.
    public func validate(outputs: [RecordingOutput]) throws(ACCAudioRecorderError) {
        try validate()
        try RecordingOutput.checkPlaces(of: outputs, reserved: program.reservedPaths)
        for output in outputs {
            try validateInput(of: output)
            try applying(output).validate()
            try output.check(splitting)
            try OutputWriter.check(completing(output))
        }
    }

    private func validateInput(of output: RecordingOutput) throws(ACCAudioRecorderError) {
        guard let input = output.input, let obstacle = inputs.obstacle(toTrack: input, inputLayout) else { return }
        throw .outputFailed(
            .init(
                .invalidFormat, "cannot write '\(input)' to \(output.destination)", cause: obstacle.cause,
                remedy: obstacle.remedy))
    }

    /// This configuration with an output's own settings applied.
    public func applying(_ output: RecordingOutput) -> ACCAudioRecorder.Configuration {
        var configuration = self
        configuration.format = output.format.or(format)
        return configuration
    }

    /// The output with what the recording decides filled in. What the source decides is native.
    package func completing(_ output: RecordingOutput) -> RecordingOutput {
        var completed = output
        completed.format = output.format.or(effectiveFormat)
        // The channels of several inputs are chosen, and mixed, before they are put together.
        if inputs.count > 1 { completed.format.channelCount = output.format.channelCount.or(.native) }
        // A lossy container ignores the recording's encoding, and refuses one of the output's own.
        if output.container.isLossy { completed.format.encoding = output.format.encoding }
        return completed
    }

    /// The output with what the recording and its source decide filled in.
    ///
    /// - Parameter captured: The captured format.
    ///   - track: The channels of the output's input; nil for all.
    func resolve(
        _ output: RecordingOutput, from captured: StreamFormat, of source: AudioSource, track: TrackChannels? = nil
    ) -> ResolvedOutput {
        ResolvedOutput(
            completing(output), from: captured, source.sampleSpec.format, track: track,
            channelNames: source.channelNames)
    }

    /// What an output will be of a recording from this source.
    ///
    /// - Throws: `audioFormatCreationFailed` if the source cannot be recorded.
    package func resolve(
        _ output: RecordingOutput, from source: AudioSource
    ) throws(ACCAudioRecorderError) -> ResolvedOutput {
        resolve(output, from: try capturedForm(of: source), of: source)
    }

    /// The captured format of a source: its rate, and the channels that are recorded.
    func capturedForm(of source: AudioSource) throws(ACCAudioRecorderError) -> StreamFormat {
        // What stands for several inputs has the channels that are recorded of them.
        guard inputs.count == 1 else { return source.form }
        guard StreamFormat.sampleRates.contains(source.sampleSpec.rate) else {
            throw Self.refusedFormat(
                "inputs", "'\(source.name)' at \(source.sampleSpec.rate) Hz",
                remedy: "Set its rate at the server, from 8000 to 384000 Hz.")
        }
        let all = source.channelMap
        if let missing = channels.numbers.first(where: { $0 > all.channelCount }) {
            throw Self.refusedFormat(
                "channels.numbers", "channel \(missing) of '\(source.name)'",
                cause: "it has only \(all.channelCount) channel\(all.channelCount == 1 ? "" : "s") (\(all))",
                remedy: all.channelCount == 1 ? "Select channel 1." : "Select from 1 to \(all.channelCount).")
        }
        let selected =
            channels.numbers.isEmpty ? all : ChannelMap(channels.numbers.map { all.positions[$0 - 1] })
        if let channelMap = channels.map, channelMap.count != selected.channelCount {
            throw Self.refusedFormat(
                "channels.map", "\(selected.channelCount) channels of '\(source.name)' as \(channelMap)",
                cause: "the map has \(channelMap.count) position\(channelMap.count == 1 ? "" : "s")",
                remedy: "Give one position for each captured channel, or select as many channels.")
        }
        return StreamFormat(sampleRate: source.sampleSpec.rate, channelMap: channels.map ?? selected)
    }

    /// This configuration with the rate and channels taken from the source filled in.
    func resolved(for captured: StreamFormat) -> ACCAudioRecorder.Configuration {
        var configuration = self
        if effectiveFormat.sampleRate.value == nil { configuration.sampleRate = Double(captured.sampleRate) }
        if effectiveFormat.channelCount.value == nil, inputs.count == 1 {
            configuration.channelCount = UInt32(captured.channelCount)
        }
        configuration.bufferSize = bufferSize(at: form(from: captured).sampleRate)
        return configuration
    }

    /// The configuration of a recording of this input alone.
    package func recording(_ input: RecordingInput) -> ACCAudioRecorder.Configuration {
        var configuration = self
        configuration.inputs = [input]
        configuration.inputSettings = [:]
        configuration.interruptions.onCall = onCall
        if let own = inputSettings[input]?.selectedChannels, !own.isEmpty { configuration.channels.numbers = own }
        return configuration
    }

    /// The format of the recording's frames after conversion from the captured format.
    func form(from captured: StreamFormat) -> StreamFormat {
        var format = effectiveFormat
        if inputs.count > 1 { format.channelCount = .native }
        return format.form(from: captured)
    }

    /// The names of the channels of a recording from this source, of its inputs if it has several; empty if it cannot be
    /// recorded.
    public func channelLabels(recording source: AudioSource) -> [String] {
        guard source.channelNames.isEmpty else { return source.channelNames }
        guard let captured = try? capturedForm(of: source) else { return [] }
        return form(from: captured).channelMap.labels
    }

    /// Reserves the paths of the outputs, so that no file of one output takes the place of another.
    func reservingPlaces(of outputs: [RecordingOutput]) -> ACCAudioRecorder.Configuration {
        var configuration = self
        for case .file(let path) in outputs.map(\.destination) {
            configuration.program.reservedPaths.append(path)
        }
        return configuration
    }

    /// Splits files that the file systems of the outputs could not hold.
    func withinLimits(of outputs: [RecordingOutput]) -> ACCAudioRecorder.Configuration {
        var configuration = self
        configuration.splitting = splitting.withinLimits(of: outputs)
        return configuration
    }

    /// The format of a recording, from a resolved configuration.
    ///
    /// - Parameter captured: The captured format.
    func format(
        from captured: StreamFormat, outputs: [RecordingOutput], inputs: [RecordedInput]
    ) -> RecordingFormat {
        let form = form(from: captured)
        return RecordingFormat(
            sampleRate: Double(form.sampleRate), channelMap: form.channelMap, bufferSize: bufferSize,
            resamplerQuality: resamplerQuality, outputs: outputs, inputs: inputs)
    }

    /// Whether the user has selected channels out of order; files then keep that order.
    func selectsOrder(of form: StreamFormat) -> Bool {
        inputs.count == 1 && channels.map == nil && channels.numbers.count == form.channelCount
            && channels.numbers != channels.numbers.sorted()
    }
}

extension RecordingEngine.Settings {
    /// The engine's settings, from a resolved configuration.
    ///
    /// - Parameter soundChannels: The channels of the source whose sound counts; nil for those that are recorded.
    init(_ configuration: ACCAudioRecorder.Configuration, soundChannels: [Int]? = nil) {
        let isSingle = configuration.inputs.count == 1
        // The channels of several inputs are chosen before they are put together.
        let selectedChannels = isSingle ? configuration.channels.numbers : []
        self.init(
            policies: configuration.policies, selectedChannels: selectedChannels,
            soundChannels: soundChannels ?? selectedChannels,
            inputNames: isSingle ? [] : configuration.inputs.map(\.name))
    }
}
