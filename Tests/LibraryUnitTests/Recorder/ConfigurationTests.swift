import Testing

@testable import ACCAudioRecorder

@Suite struct ConfigurationTests {
    typealias Configuration = ACCAudioRecorder.Configuration

    @Test("R-01: the default configuration")
    func hasTheDefaults() {
        let configuration = Configuration()
        #expect(configuration.sampleRate == 44_100)
        #expect(configuration.channelCount == 1)
        #expect(configuration.bufferSize == 4_096)
        #expect(configuration.audioSessionMode == .default)
        #expect(
            configuration.effectiveFormat == FormatSettings(sampleRate: 44_100, channelCount: 1, encoding: .given(.s16))
        )
    }

    @Test("R-12: the mode determines what is not set, and an explicit value overrides it")
    func followsTheMode() {
        let voice = Configuration(audioSessionMode: .voiceChat)
        #expect(voice.sampleRate == 16_000 && voice.channelCount == 1)
        let wide = Configuration(sampleRate: 96_000, channelCount: 8, audioSessionMode: .voiceChat)
        #expect(wide.sampleRate == 96_000 && wide.channelCount == 8)
    }

    @Test("R-12: measurement mode uses the source's format, except for what is set")
    func resolvesWhatIsNative() {
        let source = StreamFormat(sampleRate: 96_000, channelMap: .standard(channelCount: 2))
        let measured = Configuration(audioSessionMode: .measurement).resolved(for: source)
        #expect(measured.sampleRate == 96_000 && measured.channelCount == 2)
        #expect(measured.effectiveFormat.encoding == .native)
        let slow = Configuration(sampleRate: 44_100, audioSessionMode: .measurement).resolved(for: source)
        #expect(slow.sampleRate == 44_100 && slow.channelCount == 2)
        let plain = Configuration().resolved(for: source)
        #expect(plain == Configuration())
    }

    @Test("R-12: what is set last counts, and a mode set later decides what was not set")
    func takesTheLastSetting() {
        var configuration = Configuration(audioSessionMode: .measurement)
        configuration.sampleRate = 96_000
        #expect(
            configuration.effectiveFormat
                == FormatSettings(sampleRate: 96_000, channelCount: .native, encoding: .native))
        configuration.format.sampleRate = .native
        #expect(configuration.effectiveFormat == .native)
        configuration.audioSessionMode = .voiceChat
        #expect(configuration.effectiveFormat.sampleRate == .native && configuration.channelCount == 1)
        #expect(configuration.bufferSize == 320 && configuration.resamplerQuality == .fastest)
        configuration.format.sampleRate = .inherited
        #expect(configuration.sampleRate == 16_000)
        configuration.audioSessionMode = .measurement
        #expect(configuration.effectiveFormat == .native)

        var given = Configuration(sampleRate: 48_000, bufferSize: 480)
        (given.format.encoding, given.resamplerQuality) = (.given(.f32), .medium)
        given.audioSessionMode = .measurement
        #expect(
            given.effectiveFormat
                == FormatSettings(sampleRate: 48_000, channelCount: .native, encoding: .given(.f32)))
        #expect(given.bufferSize == 480 && given.resamplerQuality == .medium)
        given.audioSessionMode = .default
        given.channels.numbers = [2, 1]
        #expect(given.effectiveFormat.channelCount == .native)
        given.channelCount = 1
        #expect(given.effectiveFormat.channelCount == 1)
    }

    @Test("Two configurations are equal if both record alike, whether values are given or the mode's")
    func comparesWhatIsInEffect() {
        let given = Configuration(sampleRate: 44_100, channelCount: 1, bufferSize: 4_096).with {
            ($0.format.encoding, $0.resamplerQuality) = (.given(.s16), .medium)
        }
        #expect(given == Configuration() && given.hashValue == Configuration().hashValue)
        let second = Configuration().with { $0.channels.numbers = [2] }
        #expect(second.with { $0.format.channelCount = .native } == second)
        let others = [
            Configuration(sampleRate: 48_000), Configuration(channelCount: 2), Configuration(bufferSize: 480),
            given.with { $0.format.encoding = .given(.f32) }, given.with { $0.resamplerQuality = .best },
            given.with { $0.format.sampleRate = .native }, given.with { $0.channels.numbers = [1] },
            Configuration(audioSessionMode: .spokenAudio), Configuration(input: .source("lark")),
            given.with { $0.capture.keepsCycle = true },
        ]
        #expect(!others.contains(given))
    }

    @Test("R-12: an output has what it does not set from the recording, also after its settings were taken back")
    func outputsInherit() throws {
        var configuration = Configuration(audioSessionMode: .measurement)
        var output = try RecordingOutput(path: "take.wav")
        #expect(configuration.applying(output).effectiveFormat == .native)
        (output.format.encoding, output.format.sampleRate) = (.given(.s24), 48_000)
        #expect(
            configuration.applying(output).effectiveFormat
                == FormatSettings(sampleRate: 48_000, channelCount: .native, encoding: .given(.s24)))
        output.format = FormatSettings()
        configuration.audioSessionMode = .spokenAudio
        #expect(configuration.applying(output) == configuration)
        configuration.format.encoding = .given(.f32)
        #expect(configuration.applying(output).effectiveFormat.encoding == .given(.f32))
        output.format.encoding = .native
        #expect(configuration.applying(output).effectiveFormat.encoding == .native)
    }

    @Test(
        "Both sides of a call are recorded while it lasts, unless something else is asked for; a microphone gives way")
    func bothSidesOfACall() {
        var configuration = ACCAudioRecorder.Configuration()
        for played in [RecordingInput.desktop, .application("zoom")] {
            configuration.inputs = [.source(nil), played]
            #expect(configuration.onCall == .ignore && configuration.recording(.source(nil)).onCall == .ignore)
        }
        configuration.interruptions.onCall = .stop
        #expect(configuration.onCall == .stop && configuration.recording(.desktop).onCall == .stop)
        configuration.interruptions.onCall = nil
        for inputs in [[.source(nil)], [.desktop], [.source("lark"), .source("desk")]] as [[RecordingInput]] {
            configuration.inputs = inputs
            #expect(configuration.onCall == .pause, "\(inputs)")
        }
    }

    @Test("As many channels are recorded as are selected, under their names")
    func followsTheSelection() throws {
        let source = AudioSource.made("mic")
        let swapped = Configuration().with { $0.channels.numbers = [2, 1] }
        let captured = try swapped.capturedForm(of: source)
        #expect(captured.channelMap.positions == [.frontRight, .frontLeft])
        #expect(swapped.form(from: captured).channelMap == captured.channelMap)
        let named = Configuration().with { $0.channels = .init([2], map: ChannelMap([.lowFrequency])) }
        #expect(try named.capturedForm(of: source).channelMap.positions == [.lowFrequency])
        let mixed = swapped.with { $0.channelCount = 1 }
        #expect(try mixed.form(from: mixed.capturedForm(of: source)).channelMap == ChannelMap([.mono]))
        for channels in [Configuration.Channels([3]), .init(map: ChannelMap([.mono]))] {
            let wrong = Configuration().with { $0.channels = channels }
            #expect(throws: ACCAudioRecorderError.self) { try wrong.capturedForm(of: source) }
        }
    }

    @Test("A source whose rate is out of range is refused, whatever the recording's", arguments: [UInt32(4), 7_999])
    func ratesOutOfRange(rate: UInt32) throws {
        let source = AudioSource.made("mic", rate: rate)
        #expect(throws: ACCAudioRecorderError.self) { try Configuration(sampleRate: 48_000).capturedForm(of: source) }
    }

    @Test("R-12, B-03: only voice chat has the phone role and echo cancellation")
    func onlyVoiceChatIsACall() {
        for mode in ACCAudioRecorder.AudioSessionMode.allCases {
            let properties = mode.streamProperties
            #expect((properties["media.role"] == "phone") == (mode == .voiceChat))
            #expect((properties["filter.want"] == "echo-cancel") == (mode == .voiceChat))
            #expect((properties["filter.suppress"] == "echo-cancel") == (mode == .measurement))
            #expect(Configuration(audioSessionMode: mode).bufferSize == mode.bufferSize)
        }
    }

    @Test(
        "A buffer that is not given lasts as long at any rate above 48 kHz, and is the mode's below",
        arguments: [(8_000, 4_096), (48_000, 4_096), (96_000, 8_192), (384_000, 32_768)] as [(Int, UInt32)])
    func buffersAreAsLongAtHighRates(rate: Int, frames: UInt32) {
        let captured = StreamFormat(sampleRate: rate, channelMap: .standard(channelCount: 2))
        let native = Configuration().with { $0.format.sampleRate = .native }
        #expect(native.resolved(for: captured).bufferSize == frames)
        #expect(native.with { $0.bufferSize = 4_096 }.resolved(for: captured).bufferSize == 4_096)
        // The recording's own rate counts.
        #expect(Configuration(sampleRate: 16_000).resolved(for: captured).bufferSize == 4_096)
    }

    @Test("R-12: no two modes are the same")
    func modesDiffer() {
        let modes = ACCAudioRecorder.AudioSessionMode.allCases
        #expect(Set(modes.map { "\($0.format) \($0.resamplerQuality)" }).count == modes.count)
    }

    @Test(
        "R-09: values out of range are rejected",
        arguments: [
            Configuration(sampleRate: 0), Configuration(sampleRate: -1), Configuration(sampleRate: 3e9),
            Configuration(sampleRate: .nan), Configuration(sampleRate: 44_100.5), Configuration(channelCount: 0),
            Configuration(channelCount: 33), Configuration(bufferSize: 0), Configuration(bufferSize: 65_537),
            Configuration().with { $0.channels.numbers = [1, 0] }, Configuration().with { $0.channels.numbers = [33] },
            Configuration().with { $0.channels.numbers = Array(repeating: 1, count: 33) },
        ])
    func refuses(configuration: Configuration) {
        let error = #expect(throws: ACCAudioRecorderError.self) { try configuration.validate() }
        guard case .audioFormatCreationFailed = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Whatever is refused is named as its property")
    func namesWhatItRefuses() {
        let changes: [(String, (inout Configuration) -> Void)] = [
            ("sampleRate", { $0.sampleRate = 1 }), ("channelCount", { $0.channelCount = 0 }),
            ("bufferSize", { $0.bufferSize = 1 }), ("channels.numbers", { $0.channels.numbers = [0] }),
            ("interruptions.timeout", { $0.interruptions.timeout = .seconds(-1) }),
            (
                "interruptions.followsDefault",
                { ($0.input, $0.interruptions.followsDefault) = (.application("a"), true) }
            ),
            (
                "interruptions.onDisconnect",
                { ($0.input, $0.interruptions.onDisconnect) = (.application("a"), .fallback) }
            ),
            ("capture.api", { ($0.input, $0.capture.api) = (.application("a"), .simple) }),
            ("inputs", { $0.inputs = [] }), ("inputs", { $0.inputs = [.desktop, .desktop] }),
            ("inputSettings", { $0.inputSettings = [.desktop: InputSettings(gain: 1)] }),
            ("splitting.interval", { $0.splitting.interval = .milliseconds(500) }),
            ("splitting.isByClock", { $0.splitting.isByClock = true }),
            ("splitting.fileSize", { $0.splitting.fileSize = 1 }),
            ("retention.fileCount", { $0.retention.fileCount = 0 }), ("retention.age", { $0.retention.age = .zero }),
            ("retention.byteCount", { $0.retention.byteCount = 0 }),
        ]
        for (property, change) in changes {
            let error = #expect(throws: ACCAudioRecorderError.self) { try Configuration().with(change).validate() }
            #expect(error?.failure?.setting == property)
        }
    }

    @Test("What is refused of sounds is named as its property")
    func namesWhatItRefusesOfSounds() {
        let changes: [(PartialKeyPath<SoundActivation>, (inout SoundActivation) -> Void)] = [
            (\.openingLevel, { $0.openingLevel = 1 }), (\.closingLevel, { $0.closingLevel = 0 }),
            (\.levelAboveNoise, { $0.levelAboveNoise = -1 }), (\.hold, { $0.hold = .seconds(-1) }),
            (\.preRoll, { $0.preRoll = .seconds(-1) }), (\.silenceLimit, { $0.silenceLimit = .zero }),
            (\.input, { $0.input = "mic" }),
        ]
        for (property, change) in changes {
            var activation = SoundActivation(openingLevel: -40)
            change(&activation)
            let error = #expect(throws: ACCAudioRecorderError.self) {
                try Configuration().with { $0.soundActivation = activation }.validate()
            }
            let name = "\(property)".split(separator: ".").last ?? ""
            #expect(error?.failure?.setting == "soundActivation.\(name)")
        }
    }
}
