import ACCAudioRecorder
import ArgumentParser

/// An option value that is one of a few words.
protocol ChoiceArgument: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {}

extension ChoiceArgument {
    /// The words. The parser's own implementation uses key paths and takes a fifteenth of the time until the first
    /// frame.
    public static var allValueStrings: [String] { allCases.map { $0.rawValue } }
}

extension CaptureAPI: ChoiceArgument {}
extension TerminalStyle.ColorChoice: ChoiceArgument {}
extension Container: ChoiceArgument {}
extension InputLayout: ChoiceArgument {}
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

/// Modes are written in kebab case: `voice-chat`.
extension ACCAudioRecorder.AudioSessionMode: ExpressibleByArgument {
    /// Nil for an unknown mode.
    public init?(argument: String) {
        guard let mode = Self.allCases.first(where: { $0.argument == argument }) else { return nil }
        self = mode
    }

    /// The values that help and completions list.
    public static var allValueStrings: [String] { allCases.map(\.argument) }

    /// What each mode sets, for the help text.
    public static var allValueDescriptions: [String: String] {
        Dictionary(uniqueKeysWithValues: allCases.map { ($0.argument, $0.summary) })
    }

    private var summary: String {
        let rate = format.sampleRate.value.map { "\($0.plain) Hz" } ?? "native rate"
        let channels = format.channelCount.value.map { $0 == 1 ? "mono" : "stereo" } ?? "native channels"
        let encoding = format.encoding.value?.rawValue ?? "native encoding"
        let form = "\(rate), \(channels), \(encoding), \(resamplerQuality.rawValue) resampler"
        let extras = streamProperties.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return
            ([form, "buffer \(bufferSize)"] + extras + (storesStartTime ? ["start time in the file"] : [])
            + [onCall == .pause ? "pauses for calls" : "ignores calls"])
            .joined(separator: ", ")
    }

    /// The default as shown in the help text.
    public var defaultValueDescription: String { argument }

    /// The values that the mode sets, by option name, as written on the command line.
    var settings: [String: String] {
        [
            "rate": format.sampleRate.value?.plain ?? "native",
            "channels": format.channelCount.value.map { String($0) } ?? "native",
            "encoding": format.encoding.value?.rawValue ?? "native", "quality": resamplerQuality.rawValue,
            "buffer-size": String(bufferSize), "on-call": onCall.rawValue, "bwf": String(storesStartTime),
        ]
    }

    /// The mode as written on the command line.
    var argument: String {
        switch self {
        case .default: "default"
        case .measurement: "measurement"
        case .voiceChat: "voice-chat"
        case .videoRecording: "video-recording"
        case .spokenAudio: "spoken-audio"
        }
    }
}
