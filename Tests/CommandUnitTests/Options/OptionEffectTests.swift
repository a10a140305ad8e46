import ACCAudioRecorder
import Testing

@testable import AccrecCommands

/// Each option of a recording sets something of its configuration or of its outputs.
// The sanitisers make parsing slow, and it has one thread.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct OptionEffectTests {
    /// What the command does by itself.
    private static let ofTheCommand: Set = [
        "quiet", "progress", "history", "loudness", "color", "max", "strict", "keep-going", "inhibit-sleep",
    ]
    /// A value for each kind, which is no default.
    private static let values = [
        "source": "lark", "name": "player", "server": "host", "channels": "1", "positions": "mono", "hertz": "22050",
        "count": "2", "level": "3", "kbit/s": "64", "frames": "512", "text": "text", "key=text": "key=text",
        "key=value": "Make=x",
        "time": "7", "input": "mic", "list": "lark,desktop", "source=decibels": "mic=3", "source=time": "mic=12ms",
        "size": "1G",
    ]
    /// What an option needs, where that is no WAV file.
    private static let needs = [
        "format": ["-o", "take"], "compression": ["-o", "take.flac"], "bitrate": ["-o", "take.mp3"],
        "split-at-clock": ["--split-every", "1h"], "keep-last": ["--split-every", "1h"],
        "keep-for": ["--split-every", "1h"],
        "keep-size": ["--split-every", "1h"], "stdout-buffer": ["-o", "-"],
        "stdout-overflow": ["-o", "-"], "mic": ["-o", "take.wav", "--desktop"],
        "gain": ["-o", "take.wav", "--mic", "--desktop"], "delay": ["-o", "take.wav", "--mic", "--desktop"],
    ]

    private func effect(of arguments: [String]) throws -> [AnyHashable] {
        let options = try RecordCommandOptions.parse(arguments)
        return [ACCAudioRecorder.Configuration(options), try options.recordingOutputs()]
    }

    @Test func eachOptionSetsSomething() throws {
        let names = try Set(OptionDefinition.all(of: RecordingOptions.self).map(\.name)).subtracting(Self.ofTheCommand)
        let record = try #require(try CommandDump.all().first { $0.commandName == "record" })
        let options = record.options.map { (name: String($0.name.dropFirst()), definition: $0) }
        for (name, option) in options where names.contains(name) {
            let one: [String]
            let other: [String]
            if option.isFlag {
                (one, other) = (["--\(name)"], ["--no-\(name)"])
            } else if let values = option.allValues {
                (one, other) = (["--\(name)=\(values[0])"], ["--\(name)=\(values[values.count - 1])"])
            } else {
                (one, other) = (["--\(name)=\(try #require(Self.values[option.valueName]))"], [])
            }
            let needed = Self.needs[name] ?? ["-o", "take.wav"]
            #expect(try effect(of: needed + one) != effect(of: needed + other), "\(name)")
        }
    }

    @Test func anOutputsOwnSettingsOverrideTheOptions() throws {
        let options = ["-r", "48000", "-c", "1", "--encoding", "s16", "--compression", "2", "--no-bwf"]
        let output = "rate=16000,channels=2,encoding=s24,dither=no"
        let flac = try RecordCommandOptions.parse(options + ["-o", "take.flac,\(output),compression=8"])
            .recordingOutputs()[0]
        #expect(
            flac.format == FormatSettings(sampleRate: 16_000, channelCount: 2, encoding: .given(.s24)))
        #expect(flac.compression == .level(8) && !flac.isDithered && flac.isBroadcastWave == false)
        let wav = try RecordCommandOptions.parse(["--no-bwf", "-o", "take.wav,bwf=yes"]).recordingOutputs()[0]
        #expect(wav.isBroadcastWave == true && wav.isDithered)
    }

    @Test func fieldsOfGUANOAddUp() throws {
        func fields(_ arguments: String...) throws -> [String]? {
            let options = arguments.flatMap { ["--guano", $0] } + ["-o", "take.wav"]
            let output = try RecordCommandOptions.parse(options).recordingOutputs()[0]
            return output.guano?.fields.map { "\($0.key)=\($0.value)" }
        }
        #expect(try fields() == nil && fields("Make=x", "no") == nil && fields("yes") == [])
        #expect(try fields("Make=x", "Model=y=z", "yes", "Make=w") == ["Model=y=z", "Make=w"])
        #expect(try fields("Make=x", "no", "Model=y") == ["Model=y"])
        #expect(throws: (any Error).self) { try fields("Make") }
    }
}
