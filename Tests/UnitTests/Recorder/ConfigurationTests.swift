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
        #expect(configuration == Configuration(sampleRate: 44_100, channelCount: 1, bufferSize: 4_096))
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
        #expect(measured.sampleRate == 96_000 && measured.channelCount == 2 && measured.native.isEmpty)
        let slow = Configuration(sampleRate: 44_100, audioSessionMode: .measurement).resolved(for: source)
        #expect(slow.sampleRate == 44_100 && slow.channelCount == 2)
        #expect(Configuration().resolved(for: source) == Configuration())
    }

    @Test("As many channels are recorded as are selected, under their names")
    func followsTheSelection() throws {
        let source = AudioSource.made("mic")
        let swapped = Configuration(selectedChannels: [2, 1])
        let captured = try swapped.capturedForm(of: source)
        #expect(captured.channelMap.positions == [.frontRight, .frontLeft])
        #expect(swapped.resolved(for: captured).outputForm(from: captured).channelMap == captured.channelMap)
        let named = Configuration(selectedChannels: [2], channelMap: ChannelMap([.lowFrequency]))
        #expect(try named.capturedForm(of: source).channelMap.positions == [.lowFrequency])
        let mixed = Configuration(channelCount: 1, selectedChannels: [2, 1])
        #expect(try mixed.outputForm(from: mixed.capturedForm(of: source)).channelMap == ChannelMap([.mono]))
        for wrong in [Configuration(selectedChannels: [3]), Configuration(channelMap: ChannelMap([.mono]))] {
            #expect(throws: ACCAudioRecorderError.self) { try wrong.capturedForm(of: source) }
        }
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
