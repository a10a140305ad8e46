import ACCAudioRecorder
import ArgumentParser

/// An option value that is one of a few words.
protocol ChoiceArgument: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {}

extension ChoiceArgument {
    /// The words. The parser's own implementation uses key paths and takes a fifteenth of the time until the first
    /// frame.
    public static var allValueStrings: [String] { allCases.map { $0.rawValue } }
}

/// A sample encoding as given to `--encoding`.
enum EncodingArgument: String, ChoiceArgument {
    case native, u8, s16, s24, s32, f32, f64

    /// The encoding; nil for the one that holds the source's samples.
    var encoding: SampleEncoding? { SampleEncoding(rawValue: rawValue) }
}

extension CaptureAPI: ChoiceArgument {}
extension ColorChoice: ChoiceArgument {}
extension Container: ChoiceArgument {}
extension InterruptionPolicy.CallBehavior: ChoiceArgument {}
extension OverflowPolicy: ChoiceArgument {}
extension ResamplerQuality: ChoiceArgument {}

extension InterruptionPolicy.DisconnectBehavior: ChoiceArgument {
    /// A description of each value for the help text.
    public static var allValueDescriptions: [String: String] {
        [
            "pause": "wait for it and continue in the same file",
            "fallback": "continue with the best other source",
            "stop": "stop and keep the recording",
            "discard": "stop and delete the recording",
        ]
    }
}
