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
        #expect(configuration.encoding == .s16 && configuration.native.isEmpty)
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
        #expect(measured.sampleRate == 96_000 && measured.channelCount == 2 && measured.native == .encoding)
        let slow = Configuration(sampleRate: 44_100, audioSessionMode: .measurement).resolved(for: source)
        #expect(slow.sampleRate == 44_100 && slow.channelCount == 2)
        let plain = Configuration().resolved(for: source)
        #expect(plain == Configuration())
    }

    @Test("R-12: what is set last counts, and a mode set later decides what was not set")
    func takesTheLastSetting() {
        var configuration = Configuration(audioSessionMode: .measurement)
        configuration.sampleRate = 96_000
        #expect(configuration.native == [.channelCount, .encoding] && configuration.sampleRate == 96_000)
        configuration.native.insert(.sampleRate)
        #expect(configuration.native == [.sampleRate, .channelCount, .encoding])
        configuration.audioSessionMode = .voiceChat
        #expect(configuration.native == .sampleRate && configuration.channelCount == 1)
        #expect(configuration.bufferSize == 320 && configuration.resamplerQuality == .fastest)
        configuration.native = []
        #expect(configuration.sampleRate == 16_000)
        configuration.audioSessionMode = .measurement
        #expect(configuration.native == [.channelCount, .encoding] && configuration.sampleRate == 16_000)

        var given = Configuration(sampleRate: 48_000, bufferSize: 480, encoding: .f32, resamplerQuality: .medium)
        given.audioSessionMode = .measurement
        #expect(given.native == .channelCount && given.sampleRate == 48_000 && given.encoding == .f32)
        #expect(given.bufferSize == 480 && given.resamplerQuality == .medium)
        given.audioSessionMode = .default
        given.selectedChannels = [2, 1]
        #expect(given.native == .channelCount)
        given.channelCount = 1
        #expect(given.native == [])
    }

    @Test("Two configurations are equal if both record alike, whether values are given or the mode's")
    func comparesWhatIsInEffect() {
        let given = Configuration(
            sampleRate: 44_100, channelCount: 1, bufferSize: 4_096, encoding: .s16, resamplerQuality: .medium)
        #expect(given == Configuration() && given.hashValue == Configuration().hashValue)
        #expect(Configuration(native: .channelCount, selectedChannels: [2]) == Configuration(selectedChannels: [2]))
        let others = [
            Configuration(sampleRate: 48_000), Configuration(channelCount: 2), Configuration(bufferSize: 480),
            Configuration(encoding: .f32), Configuration(resamplerQuality: .best), Configuration(native: .sampleRate),
            Configuration(selectedChannels: [1]), Configuration(audioSessionMode: .spokenAudio),
            Configuration(sourceName: "lark"), Configuration(keepsCycle: true),
        ]
        #expect(!others.contains(given))
    }

    @Test("R-12: an output has what it does not set from the recording, also after its settings were taken back")
    func outputsInherit() throws {
        var configuration = Configuration(audioSessionMode: .measurement)
        var output = try RecordingOutput(path: "take.wav")
        #expect(configuration.applying(output).native == [.sampleRate, .channelCount, .encoding])
        output.encoding = .s24
        output.sampleRate = 48_000
        #expect(configuration.applying(output).native == .channelCount)
        #expect(configuration.applying(output).encoding == .s24)
        output.native = .sampleRate
        #expect(output.sampleRate == nil && output.encoding == .s24)
        output.native = []
        output.encoding = nil
        configuration.audioSessionMode = .spokenAudio
        #expect(configuration.applying(output) == configuration)
        configuration.encoding = .f32
        #expect(configuration.applying(output).encoding == .f32)
        output.native = .encoding
        #expect(configuration.applying(output).native == .encoding)
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
        let swapped = Configuration(selectedChannels: [2, 1])
        let captured = try swapped.capturedForm(of: source)
        #expect(captured.channelMap.positions == [.frontRight, .frontLeft])
        #expect(swapped.form(from: captured).channelMap == captured.channelMap)
        let named = Configuration(selectedChannels: [2], channelMap: ChannelMap([.lowFrequency]))
        #expect(try named.capturedForm(of: source).channelMap.positions == [.lowFrequency])
        let mixed = Configuration(channelCount: 1, selectedChannels: [2, 1])
        #expect(try mixed.form(from: mixed.capturedForm(of: source)).channelMap == ChannelMap([.mono]))
        for wrong in [Configuration(selectedChannels: [3]), Configuration(channelMap: ChannelMap([.mono]))] {
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
        let native = Configuration(native: .sampleRate)
        #expect(native.resolved(for: captured).bufferSize == frames)
        #expect(Configuration(bufferSize: 4_096, native: .sampleRate).resolved(for: captured).bufferSize == 4_096)
        // The recording's own rate counts.
        #expect(Configuration(sampleRate: 16_000).resolved(for: captured).bufferSize == 4_096)
    }

    @Test("R-12: no two modes are the same")
    func modesDiffer() {
        let modes = ACCAudioRecorder.AudioSessionMode.allCases
        #expect(Set(modes.map { "\($0.sampleRate) \($0.channelCount) \($0.resamplerQuality)" }).count == modes.count)
    }

    @Test(
        "R-09: values out of range are rejected",
        arguments: [
            Configuration(sampleRate: 0), Configuration(sampleRate: -1), Configuration(sampleRate: 3e9),
            Configuration(sampleRate: .nan), Configuration(sampleRate: 44_100.5), Configuration(channelCount: 0),
            Configuration(channelCount: 33), Configuration(bufferSize: 0), Configuration(bufferSize: 65_537),
            Configuration(selectedChannels: [1, 0]), Configuration(selectedChannels: [33]),
            Configuration(selectedChannels: Array(repeating: 1, count: 33)),
        ])
    func refuses(configuration: Configuration) {
        let error = #expect(throws: ACCAudioRecorderError.self) { try configuration.validate() }
        guard case .audioFormatCreationFailed = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
