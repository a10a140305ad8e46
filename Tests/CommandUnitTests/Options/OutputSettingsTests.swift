import ACCAudioRecorder
import Testing

@testable import AccrecCommands

/// What an output does not set comes from the options and the mode, whatever the other outputs set.
// The sanitisers make parsing slow, and it has one thread.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct OutputSettingsTests {
    private func formats(_ arguments: [String]) throws -> [String: String] {
        let options = try RecordCommandOptions.parse(arguments)
        let configuration = ACCAudioRecorder.Configuration(options)
        let formats = try options.recordingOutputs().map { output in
            let format = configuration.applying(output).effectiveFormat
            let rate = format.sampleRate.value.map { String(Int($0)) } ?? "native"
            let channels = format.channelCount.value.map { String($0) } ?? "native"
            return ("\(output.destination)", "\(rate) \(channels)")
        }
        return Dictionary(uniqueKeysWithValues: formats)
    }

    @Test(arguments: [
        (["music.flac,rate=48000,channels=2", "speech.wav,rate=16000"], [], ["48000 2", "16000 native"]),
        (["wide.wav,channels=native", "take.wav"], [], ["native native", "native native"]),
        (["fast.wav,rate=native", "take.wav"], ["-r", "32000", "-c", "2"], ["native 2", "32000 2"]),
        (["mono.wav,channels=1", "take.wav"], ["-m", "measurement"], ["native 1", "native native"]),
        (["mono.wav,channels=1", "take.wav"], ["--select", "3,4"], ["native 1", "native native"]),
        (["small.opus", "take.wav"], [], ["native native", "native native"]),
        (["small.opus", "take.wav"], ["-m", "default"], ["48000 1", "44100 1"]),
        (["samples.raw", "take.wav"], [], ["44100 1", "native native"]),
        (["samples.raw", "take.wav"], ["-r", "16000", "-c", "2"], ["16000 2", "16000 2"]),
    ])
    func theOrderOfOutputsDoesNotMatter(outputs: [String], options: [String], expected: [String]) throws {
        let names = outputs.map { "'\($0.prefix { $0 != "," })'" }
        let expected = Dictionary(uniqueKeysWithValues: zip(names, expected))
        for outputs in [outputs, outputs.reversed()] {
            #expect(try formats(options + outputs.flatMap { ["-o", $0] }) == expected)
            #expect(try formats(outputs + options) == expected)
        }
    }

    @Test func withoutAFileOneIsNamedByTheTime() throws {
        for arguments in [[], ["--auto-name"], ["--format", "flac"]] {
            let output = try #require(try RecordCommandOptions.parse(arguments).recordingOutputs().first)
            guard case .pattern(let pattern) = output.destination else {
                Issue.record("\(output.destination)")
                continue
            }
            #expect(pattern.template.hasPrefix("accrec-%Y"))
            #expect(pattern.template.hasSuffix(arguments.contains("flac") ? ".flac" : ".wav"))
        }
    }

    @Test(
        "The directory of an automatic name has no placeholders",
        arguments: [("100%d mix", "100%%d mix"), ("{n}", "{{n}"), ("a{{{device}", "a{{{{{{device}")])
    func directoryOfAnAutomaticName(name: String, template: String) throws {
        let output = try #require(try RecordCommandOptions.parse(["--auto-name", "-o", name]).recordingOutputs().first)
        guard case .pattern(let pattern) = output.destination else {
            Issue.record("\(output.destination)")
            return
        }
        #expect(pattern.template.hasPrefix("\(template)/accrec-%Y"))
    }
}
