import ACCAudioRecorder
import ArgumentParser

/// Modes are written as words joined by hyphens: `voice-chat`.
extension ACCAudioRecorder.AudioSessionMode: ExpressibleByArgument {
    /// Nil for a word that is no mode.
    public init?(argument: String) {
        guard let mode = Self.allCases.first(where: { $0.argument == argument }) else { return nil }
        self = mode
    }

    /// What help and completions offer.
    public static var allValueStrings: [String] { allCases.map(\.argument) }

    /// What help says of each mode: what it sets.
    public static var allValueDescriptions: [String: String] {
        Dictionary(uniqueKeysWithValues: allCases.map { ($0.argument, $0.summary) })
    }

    private var summary: String {
        let rate = native.contains(.sampleRate) ? "native rate" : "\(Int(sampleRate)) Hz"
        let channels = native.contains(.channelCount) ? "native channels" : channelCount == 1 ? "mono" : "stereo"
        let encoding = encoding?.rawValue ?? "native encoding"
        let form = "\(rate), \(channels), \(encoding), \(resamplerQuality.rawValue) resampler"
        let extras = streamProperties.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return
            ([form, "buffer \(bufferSize)"] + extras + (storesStartTime ? ["start time in the file"] : [])
            + [onCall == .pause ? "pauses for calls" : "ignores calls"])
            .joined(separator: ", ")
    }

    /// How help shows a default.
    public var defaultValueDescription: String { argument }

    /// What it decides, by the names of the options, as on the command line.
    var settings: [String: String] {
        [
            "rate": native.contains(.sampleRate) ? "native" : String(Int(sampleRate)),
            "channels": native.contains(.channelCount) ? "native" : String(channelCount),
            "encoding": encoding?.rawValue ?? "native", "quality": resamplerQuality.rawValue,
            "buffer-size": String(bufferSize), "on-call": onCall.rawValue, "bwf": String(storesStartTime),
        ]
    }

    /// The mode as it is written on the command line.
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
