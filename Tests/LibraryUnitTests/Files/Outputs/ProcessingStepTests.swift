import Testing

@testable import ACCAudioRecorder

@Suite struct ProcessingStepTests {
    private let stereo = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 2))

    @Test func nothingIsChangedUnnecessarily() {
        let pairs: [(SampleFormat, SampleEncoding)] = [
            (.u8, .u8), (.u8, .s16), (.aLaw, .s16), (.s16BE, .s16), (.s24In32LE, .s24), (.s32LE, .s32),
            (.s16LE, .f32), (.s24LE, .f32), (.float32LE, .f32), (.float32BE, .f64),
        ]
        for (format, encoding) in pairs {
            #expect(ProcessingStep.ofConversion(from: format, stereo, to: encoding, stereo).isEmpty)
        }
    }

    @Test func eachConversionIsNamed() {
        let mono = StreamFormat(sampleRate: 44_100, channelMap: .standard(channelCount: 1))
        #expect(
            ProcessingStep.ofConversion(from: .float32LE, stereo, to: .s16, mono) == [
                .mixed(from: 2, to: 1), .resampled(from: 48_000, to: 44_100),
                .requantised(from: .float32LE, to: .s16),
            ])
        #expect(
            ProcessingStep.ofConversion(from: .s32LE, stereo, to: .f32, stereo)
                == [.requantised(from: .s32LE, to: .f32)])
    }
}
