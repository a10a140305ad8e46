import ACCAudioRecorder
import ArgumentParser

/// Options for recording by sound.
struct SoundActivationOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Wait for a sound: an RMS level over 10 ms of at least this, in dBFS, such as -40. The recording begins \
            --pre-roll before it, by default 0.5 s.
            """, valueName: "level"),
        transform: Decibels.parse)
    var startOnSound: Decibels?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A sound ends below this level, in dBFS. (default: 6 dB below --start-on-sound)", valueName: "level"),
        transform: Decibels.parse)
    var silenceLevel: Decibels?

    @Option(
        help: ArgumentHelp("Keep this much silence after each sound. (default: 1)", valueName: "time"),
        transform: RecordingLength.parse)
    var soundHold: RecordingLength?

    @Option(
        help: ArgumentHelp(
            "Use the level of the loudest channel, or the mean power of all. (default: any)", valueName: "which"))
    var soundChannels: SoundActivation.Channels?

    @Option(
        name: .customLong("sound-input"),
        help: ArgumentHelp("Which of several sources must sound. (default: any)", valueName: "input"))
    var input: String?

    @Option(
        help: ArgumentHelp(
            "Ignore sounds that are less than this far above the noise floor, in dB: 10.",
            valueName: "decibels"),
        transform: Decibels.parse)
    var aboveNoise: Decibels?

    @Option(
        help: ArgumentHelp(
            "Leave out silence: 'split' writes a file for each sound, 'join' one file with a marker at each cut.",
            valueName: "action"))
    var onSound: SoundAction?

    @Option(
        help: ArgumentHelp("Stop once the source has been silent for this long after a sound.", valueName: "time"),
        transform: RecordingLength.parse)
    var stopOnSilence: RecordingLength?

    /// What `--on-sound` does.
    enum SoundAction: String, ChoiceArgument {
        case split, join
    }

    /// The length of the audio before a sound, in seconds, if none is given.
    static let usualPreRoll = 0.5

    /// The level of a sound in dBFS, and its distance from the noise in dB, with `--stop-on-silence` alone: speech into a
    /// microphone that hears a quiet room or a loud one.
    private static let usualLevel = (opening: -50.0, aboveNoise: 10.0)

    func validate() throws {
        guard onSound == nil || startOnSound != nil else { throw ValidationError("--on-sound needs --start-on-sound") }
        guard startOnSound != nil || stopOnSilence != nil else {
            guard silenceLevel == nil, soundHold == nil, soundChannels == nil, input == nil, aboveNoise == nil else {
                throw ValidationError(
                    "--silence-level, --sound-hold, --sound-channels, --sound-input and --above-noise need "
                        + "--start-on-sound or --stop-on-silence")
            }
            return
        }
        guard soundHold == nil || onSound != nil else { throw ValidationError("--sound-hold needs --on-sound") }
        if let startOnSound, let silenceLevel, silenceLevel.value > startOnSound.value {
            throw ValidationError("--silence-level must not be above --start-on-sound")
        }
    }

    /// The activation for these options; nil without one.
    ///
    /// - Parameter preRoll: The length of the audio before a sound in seconds, if it is given.
    func activation(preRoll: Double?) -> SoundActivation? {
        guard startOnSound != nil || stopOnSilence != nil else { return nil }
        let given = startOnSound ?? silenceLevel
        let pauses: SoundActivation.Pauses =
            switch onSound {
            case .split: .split
            case .join: .join
            case nil: .keep
            }
        return SoundActivation(
            openingLevel: given?.value ?? Self.usualLevel.opening, closingLevel: silenceLevel?.value,
            hold: soundHold?.duration ?? .seconds(1),
            preRoll: .seconds(preRoll ?? Self.usualPreRoll), channels: soundChannels ?? .any, input: input,
            levelAboveNoise: aboveNoise?.value ?? (given == nil ? Self.usualLevel.aboveNoise : nil),
            startsRecording: startOnSound != nil, pauses: pauses,
            silenceLimit: stopOnSilence?.duration, limitAwaitsSound: true)
    }
}

extension SoundActivationOptions {
    /// A level or a distance of levels in decibels, as given to `--start-on-sound`.
    struct Decibels: Hashable {
        let value: Double

        /// Parses `-40`, `-40dB` or `-40 dBFS`.
        static func parse(_ text: String) throws -> Decibels {
            var number = text[...]
            for unit in ["FS", "dB"] where number.hasSuffix(unit) { number = number.dropLast(unit.count) }
            while number.last == " " { number.removeLast() }
            guard let value = Double(number), (-120...120).contains(value) else {
                throw ValidationError("give decibels, such as -40 or -37.5")
            }
            return Decibels(value: value)
        }
    }
}

extension SoundActivation.Channels: ChoiceArgument {}
