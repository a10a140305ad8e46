import ACCAudioRecorder
import ArgumentParser

/// How a sample is stored, as `--encoding` takes it.
enum EncodingArgument: String, ChoiceArgument {
    case native, u8, s16, s24, s32, f32, f64

    /// The encoding; nil for the one that holds the source's samples.
    var encoding: SampleEncoding? { SampleEncoding(rawValue: rawValue) }
}

extension ResamplerQuality: ChoiceArgument {}
