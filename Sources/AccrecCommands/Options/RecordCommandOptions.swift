import ACCAudioRecorder
import ArgumentParser
import Glibc

/// All options of `accrec record`.
struct RecordCommandOptions: ParsableArguments {
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup var recording: RecordingOptions
    @OptionGroup(title: "Schedule") var schedule: ScheduleOptions
    @OptionGroup(title: "Sound") var sound: SoundActivationOptions
    @OptionGroup(title: "For programs") var programs: EventOptions
    @OptionGroup(title: "Defaults") var defaults: DefaultsOptions

    /// Rejects settings that an output does not support. Those from the configuration file are dropped instead.
    func validate() throws {
        guard schedule.length == nil || recording.shared.limits.longest == nil else {
            throw ValidationError("--for and --max exclude each other")
        }
        if let preRoll, let limit, limit.seconds <= preRoll {
            let option = schedule.length == nil ? "--max" : "--for"
            throw ValidationError(
                "\(option) includes the pre-roll: give more than \(TimeText.length(preRoll))")
        }
        if let level = sound.startOnSound {
            guard schedule.startAt == nil, schedule.startIn == nil, schedule.every == nil else {
                throw ValidationError("--start-on-sound excludes --start-at, --start-in and --every")
            }
            guard level.value <= 0 else {
                throw ValidationError("--start-on-sound takes a level below 0 dBFS, such as -40")
            }
        }
        do {
            let outputs = try recordingOutputs()
            for output in outputs { try output.validate() }
            try recording.keep.check(outputs, splits: recording.split.splits)
            let usesStandardOutput = outputs.contains { $0.destination == .descriptor(STDOUT_FILENO) }
            guard !usesStandardOutput || StandardOutput.isWritable else {
                throw ValidationError("standard output is closed. Redirect it, or name a file instead of '-'.")
            }
            if !usesStandardOutput { try recording.shared.reliability.rejectBuffer() }
            if schedule.every != nil { try checkForRepetition(outputs) }
            if output.align == .off { try checkUnaligned(outputs) }
            if schedule.repeats { try checkForTakes(outputs) }
        } catch let error as ACCAudioRecorderError {
            throw ValidationError(ErrorText.line(error))
        }
    }

    /// Rejects outputs that repeated takes would overwrite.
    private func checkForRepetition(_ outputs: [RecordingOutput]) throws {
        for output in outputs {
            if case .pattern = output.destination { continue }
            throw ValidationError(
                "--every needs a new name for each take, such as 'log-%H-%M-%S.flac' or 'log-{n}.flac', or "
                    + "--auto-name")
        }
        guard programs.report == nil else {
            throw ValidationError("--report excludes --every: use --events, whose events include the reports")
        }
    }

    /// Rejects what needs sources that are aligned, and files that several of them would share.
    private func checkUnaligned(_ outputs: [RecordingOutput]) throws {
        let inputs = recording.shared.source.inputs
        let names = inputs.inputs.map(\.name)
        guard names.count > 1 else { throw ValidationError("--align off needs several sources") }
        let aligning: [(option: String, isGiven: Bool)] = [
            ("--layout mix", inputs.layout != .tracks), ("--gain", !inputs.gain.isEmpty),
            ("--delay", !inputs.delay.isEmpty), ("--sound-input", sound.input != nil),
            ("--require all", inputs.required != .first), ("--repeat", schedule.repeats),
        ]
        if let given = aligning.first(where: \.isGiven) {
            throw ValidationError("--align off and \(given.option) exclude each other")
        }
        guard outputs.allSatisfy({ $0.input != nil }),
            names.allSatisfy({ name in outputs.contains { $0.input == name } })
        else {
            throw ValidationError("--align off needs a file for each source, such as -o 'call-{input}.flac'")
        }
    }

    /// Rejects outputs that the next take would have to overwrite.
    private func checkForTakes(_ outputs: [RecordingOutput]) throws {
        guard !output.force else {
            throw ValidationError("--repeat excludes --force: each take gets a new file")
        }
        for output in outputs {
            if case .pattern(let pattern) = output.destination, pattern.varies { continue }
            throw ValidationError(
                "--repeat needs a name that is another one for each take, such as 'note-{n}.flac' or "
                    + "'note-%H-%M-%S.flac', or --auto-name")
        }
    }

    /// The length in seconds of the audio from before its start with which the recording begins; nil to start at once.
    var preRoll: Double? {
        schedule.preRoll?.seconds
            ?? (sound.startOnSound != nil ? SoundActivationOptions.usualPreRoll : schedule.repeats ? 0 : nil)
    }

    /// The time limit of the recording.
    var limit: RecordingLength? { schedule.length ?? recording.shared.limits.longest }

    /// The requested outputs. What an output does not set comes from the options and the mode.
    func recordingOutputs() throws -> [RecordingOutput] {
        var format = baseConfiguration.effectiveFormat
        // Those of each input; all together are known once the inputs are.
        if baseConfiguration.inputs.count > 1 { format.channelCount = .inherited }
        let container = recording.shared.format.container
        let arguments = try output.arguments(for: container).flatMap { $0.each(of: baseConfiguration.inputs) }
        return try arguments.map { argument in
            var output = try output.recordingOutput(argument, as: argument.container ?? container)
            output.format = format
            recording.apply(to: &output)
            fixForm(of: &output)
            argument.apply(to: &output)
            return output
        }
    }

    /// Raw samples have no header that states their form, so it does not depend on the source.
    private func fixForm(of output: inout RecordingOutput) {
        let (given, usual) = (recording.shared.format, ACCAudioRecorder.AudioSessionMode.default.format)
        guard given.mode == nil, output.container == .raw else { return }
        if given.rate == nil { output.format.sampleRate = usual.sampleRate }
        if given.encoding == nil { output.format.encoding = usual.encoding }
        let inputs = recording.shared.source.inputs
        if given.channels == nil, inputs.inputs.count == 1, inputs.select.isEmpty {
            output.format.channelCount = usual.channelCount
        }
    }

    /// The configuration without the settings of outputs.
    fileprivate var baseConfiguration: ACCAudioRecorder.Configuration {
        var configuration = ACCAudioRecorder.Configuration()
        configuration.soundActivation = sound.activation(preRoll: schedule.preRoll?.seconds)
        configuration.program = RecordingProgram(name: "accrec", version: ACCAudioRecorder.version)
        recording.apply(to: &configuration)
        return configuration
    }
}

extension ACCAudioRecorder.Configuration {
    /// The configuration for these options. The rate and channels of the first output also apply to the recording unless given
    /// separately.
    init(_ options: RecordCommandOptions) {
        self = options.baseConfiguration
        guard var format = options.output.all.first?.format else { return }
        format.encoding = .inherited
        self.format = self.format.or(format)
    }
}
