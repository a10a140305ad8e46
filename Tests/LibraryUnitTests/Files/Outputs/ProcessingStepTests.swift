import Testing

@testable import ACCAudioRecorder

@Suite struct ProcessingStepTests {
    private let stereo = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 2))

    /// The steps of a conversion from the format of a stereo source.
    private func steps(
        from format: SampleFormat, to encoding: SampleEncoding?, _ form: StreamFormat, in container: Container = .raw
    ) -> [ProcessingStep] {
        let output = RecordingOutput(
            .descriptor(1), container: container, encoding: encoding, sampleRate: Double(form.sampleRate),
            channelCount: UInt32(form.channelCount))
        return ProcessingStep.ofConversion(from: format, stereo, to: ResolvedOutput(output, from: stereo, format))
    }

    @Test func nothingIsChangedUnnecessarily() {
        let pairs: [(SampleFormat, SampleEncoding)] = [
            (.u8, .u8), (.u8, .s16), (.aLaw, .s16), (.s16BE, .s16), (.s24In32LE, .s24), (.s32LE, .s32),
            (.s16LE, .f32), (.s24LE, .f32), (.float32LE, .f32), (.float32BE, .f64),
        ]
        for (format, encoding) in pairs {
            #expect(steps(from: format, to: encoding, stereo).isEmpty)
        }
    }

    @Test func eachConversionIsNamed() {
        let mono = StreamFormat(sampleRate: 44_100, channelMap: .standard(channelCount: 1))
        #expect(
            steps(from: .float32LE, to: .s16, mono) == [
                .mixed(from: 2, to: 1), .resampled(from: 48_000, to: 44_100),
                .requantised(from: .float32LE, to: .s16),
            ])
        #expect(
            steps(from: .s32LE, to: .f32, stereo) == [.requantised(from: .s32LE, to: .f32)])
        #expect(steps(from: .s16LE, to: nil, stereo, in: .vorbis) == [.compressed(.vorbis)])
    }
}
