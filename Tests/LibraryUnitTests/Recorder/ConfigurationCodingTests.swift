import Foundation
import Testing

@testable import ACCAudioRecorder

/// Configurations that programs keep as JSON.
@Suite struct ConfigurationCodingTests {
    private typealias Configuration = ACCAudioRecorder.Configuration

    /// With no property at its default.
    private static let changed = Configuration(
        sampleRate: 96_000, channelCount: 3, bufferSize: 512, audioSessionMode: .voiceChat
    ).with {
        $0.format.encoding = .sufficient
        $0.resamplerQuality = .best
        $0.channels = .init([2, 1, 3], map: ChannelMap([.frontLeft, .frontRight, .lowFrequency]))
        $0.inputs = [.source("lark"), .source(nil), .application("zoom"), .desktop]
        $0.inputLayout = .mix
        $0.inputSettings = [
            .source(nil): InputSettings(selectedChannels: [2], gain: -6, delay: .milliseconds(-12)),
            .desktop: InputSettings(gain: 3),
        ]
        $0.capture = .init(serverName: "tcp:host")
        ($0.capture.api, $0.capture.keepsCycle) = (.simple, true)
        ($0.capture.allowsBluetooth, $0.capture.allowsMonitor) = (true, true)
        $0.interruptions = .init(
            onDisconnect: .fallback, timeout: nil, fillsGaps: true, onCall: .stop, followsDefault: true)
        $0.interruptions.requiresAllInputs = true
        $0.splitting = .init(interval: .milliseconds(1_500), isByClock: true, fileSize: 1 << 20)
        $0.retention = .init(fileCount: 3, age: .seconds(86_400), byteCount: 1 << 30)
        $0.soundActivation = SoundActivation(
            openingLevel: -30, closingLevel: -40, hold: .milliseconds(250), preRoll: .seconds(3), channels: .all,
            input: "lark", levelAboveNoise: 10, startsRecording: true, pauses: .split, silenceLimit: .seconds(20),
            limitAwaitsSound: true)
        $0.program = .init(name: "dictation", version: "2")
        $0.program.reservedPaths = ["take.json"]
    }

    private func copy<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test("Everything that is set is the same when it is read again", arguments: [Configuration(), changed])
    private func isTheSame(_ configuration: Configuration) throws {
        let copy = try copy(configuration)
        #expect(copy == configuration)
        // A mode that is set afterwards decides what it would have decided.
        #expect(
            copy.with { $0.audioSessionMode = .measurement }
                == configuration.with { $0.audioSessionMode = .measurement })
    }

    @Test("No property is forgotten: each one that is changed makes a difference in JSON")
    func isComplete() throws {
        for (name, value) in Mirror(reflecting: Self.changed).children
        where name != "heldFiles" && name != "usedNumbers" {
            let usual = Mirror(reflecting: Configuration()).children.first { $0.label == name }?.value
            try #require(name != nil && "\(value)" != "\(usual ?? "")", "\(name ?? "") is not changed")
        }
        let parts: [any Codable & Hashable] = [
            Self.changed.interruptions, Self.changed.splitting, Self.changed.retention, Self.changed.capture,
            Self.changed.channels, Self.changed.program, try #require(Self.changed.soundActivation),
            try #require(Self.changed.inputSettings[.source(nil)]),
        ]
        for part in parts {
            let count = try JSONSerialization.jsonObject(with: JSONEncoder().encode(part)) as? [String: Any]
            // Null stands for no limit.
            #expect(count?.count == Mirror(reflecting: part).children.count, "\(part)")
        }
    }

    @Test("What is missing has its default")
    func defaults() throws {
        func decoded<Value: Decodable>(_ type: Value.Type, _ text: String = "{}") throws -> Value {
            try JSONDecoder().decode(type, from: Data(text.utf8))
        }
        #expect(try decoded(Configuration.self) == Configuration())
        #expect(try decoded(InterruptionPolicy.self) == InterruptionPolicy())
        #expect(try decoded(InterruptionPolicy.self, #"{"timeout":null}"#).timeout == nil)
        #expect(try decoded(SplittingPolicy.self) == SplittingPolicy())
        #expect(try decoded(RetentionPolicy.self) == RetentionPolicy())
        #expect(try decoded(SoundActivation.self, #"{"opening_level":-40}"#) == SoundActivation(openingLevel: -40))
        #expect(throws: DecodingError.self) { try decoded(SoundActivation.self) }
        #expect(throws: DecodingError.self) { try decoded(Configuration.self, #"{"mode":"loud"}"#) }
        #expect(throws: DecodingError.self) { try decoded(FormatSettings.self, #"{"sample_rate":"loud"}"#) }
    }

    @Test("Names in JSON, which are kept")
    func names() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        func text(_ value: some Encodable) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        #expect(
            try text(Self.changed.interruptions)
                == #"{"fills_gaps":true,"follows_default":true,"on_call":"stop","on_disconnect":"fallback","#
                + #""requires_all_inputs":true,"timeout":null}"#)
        #expect(
            try text(Self.changed.inputs)
                == #"[{"source":{"name":"lark"}},{"source":{}},{"application":{"name":"zoom"}},{"desktop":{}}]"#)
        #expect(try text(Self.changed.format) == #"{"channels":3,"encoding":"sufficient","sample_rate":96000}"#)
        #expect(try text(Self.changed.splitting) == #"{"file_size":1048576,"interval":1.5,"is_by_clock":true}"#)
    }
}
