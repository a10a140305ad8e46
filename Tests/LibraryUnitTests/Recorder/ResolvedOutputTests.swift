import Testing

@testable import ACCAudioRecorder

/// What an output is decided by: itself, else the recording, else the mode, each of which may leave it to the source.
@Suite struct ResolvedOutputTests {
    typealias Configuration = ACCAudioRecorder.Configuration

    /// 96 kHz, two channels, s16le.
    private let source = AudioSource.made("mic", rate: 96_000)

    @Test(arguments: [
        (Configuration(), "44100 Hz 1 ch s16 wav"),
        (
            Configuration(sampleRate: 48_000, channelCount: 2).with { $0.format.encoding = .given(.f32) },
            "48000 Hz 2 ch f32 wav"
        ),
        (Configuration(audioSessionMode: .measurement), "96000 Hz 2 ch s16 wav"),
        (Configuration(sampleRate: 48_000, audioSessionMode: .measurement), "48000 Hz 2 ch s16 wav"),
        (Configuration().with { $0.channels.numbers = [2] }, "44100 Hz 1 ch s16 wav"),
        (
            Configuration(audioSessionMode: .spokenAudio).with { $0.channels.numbers = [1, 2] },
            "32000 Hz 2 ch s16 wav"
        ),
        (Configuration().with { $0.format.sampleRate = .native }, "96000 Hz 1 ch s16 wav"),
    ])
    func theRecordingDecides(configuration: Configuration, text: String) throws {
        let output = try RecordingOutput(path: "take.wav")
        #expect(try configuration.resolve(output, from: source).description == text)
    }

    @Test func theOutputDecidesFirst() throws {
        let output = try RecordingOutput(path: "take.wav", encoding: .s24, sampleRate: 16_000, channelCount: 2)
        var configuration = Configuration(sampleRate: 8_000, channelCount: 1)
        configuration.format.encoding = .given(.u8)
        for mode in ACCAudioRecorder.AudioSessionMode.allCases {
            configuration.audioSessionMode = mode
            #expect(try configuration.resolve(output, from: source).description == "16000 Hz 2 ch s24 wav")
        }
        var native = output
        native.format = .native
        #expect(try configuration.resolve(native, from: source).description == "96000 Hz 2 ch s16 wav")
    }

    @Test("What the source decides is left open until it is known")
    func nativePropertiesAreOpen() throws {
        let output = Configuration(sampleRate: 48_000, audioSessionMode: .measurement)
            .completing(try RecordingOutput(path: "take.wav"))
        #expect(output.format == FormatSettings(sampleRate: 48_000, channelCount: .native, encoding: .native))
    }

    @Test(
        "What no converter exceeds is 16 bits of a source that has no more, else 24; a container holds all that it can")
    func sufficientEncodings() throws {
        let sources: [(SampleFormat, sufficient: SampleEncoding, native: SampleEncoding, inFLAC: SampleEncoding)] = [
            (.u8, .s16, .u8, .s16), (.aLaw, .s16, .s16, .s16), (.uLaw, .s16, .s16, .s16), (.s16LE, .s16, .s16, .s16),
            (.s16BE, .s16, .s16, .s16), (.s24LE, .s24, .s24, .s24), (.s24In32LE, .s24, .s24, .s24),
            (.s32LE, .s24, .s32, .s24), (.float32LE, .s24, .f32, .s24), (.float32BE, .s24, .f32, .s24),
        ]
        for (format, sufficient, native, inFLAC) in sources {
            for (setting, container, expected) in [
                (FormatSetting<SampleEncoding>.sufficient, "wav", sufficient), (.sufficient, "flac", sufficient),
                (.native, "wav", native), (.native, "flac", inFLAC),
            ] {
                var output = try RecordingOutput(path: "take.\(container)")
                output.format.encoding = setting
                let resolved = ResolvedOutput(
                    output, from: StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 1)), format)
                #expect(resolved.encoding == expected, "\(format) as \(setting) in \(container)")
            }
        }
    }

    @Test(
        "A container without the source's rate has the next one above, or its highest",
        arguments: [
            ("opus", 44_100, 48_000), ("opus", 11_025, 12_000), ("mp3", 44_100, 44_100), ("mp3", 96_000, 48_000),
        ])
    func sourceRates(container: String, rate: Int, expected: Int) throws {
        var output = try RecordingOutput(path: "take.\(container)")
        output.format.sampleRate = .native
        let resolved = ResolvedOutput(
            output, from: StreamFormat(sampleRate: rate, channelMap: .standard(channelCount: 2)), .s16LE)
        #expect(resolved.form.sampleRate == expected)
    }

    @Test("A lossy container has no encoding, whatever the recording's")
    func lossyOutputs() throws {
        let resolved = try Configuration(sampleRate: 48_000).with { $0.format.encoding = .given(.s24) }
            .resolve(RecordingOutput(path: "take.opus"), from: source)
        #expect(resolved.description == "48000 Hz 1 ch opus" && resolved.encoding == .f32)
    }

    @Test("Channels keep their positions if their number does not change")
    func positions() throws {
        let swapped = Configuration().with { $0.channels.numbers = [2, 1] }
        let output = try RecordingOutput(path: "take.wav")
        #expect(try swapped.resolve(output, from: source).form.channelMap.positions == [.frontRight, .frontLeft])
        let mono = try RecordingOutput(path: "take.wav", channelCount: 1)
        #expect(try swapped.resolve(mono, from: source).form.channelMap.positions == [.mono])
    }
}
