import ACCAudioRecorder
import ArgumentParser
import Testing

@testable import AccrecCommands

/// Options for what is recorded, and for each of several sources.
@Suite struct InputOptionsTests {
    private func configuration(_ arguments: [String]) throws -> ACCAudioRecorder.Configuration {
        var configuration = ACCAudioRecorder.Configuration()
        try InputOptions.parse(arguments).apply(to: &configuration)
        return configuration
    }

    @Test("A list orders all sources as it names them, and the single options by their kinds")
    func order() throws {
        let all: [RecordingInput] = [.desktop, .application("zoom: a=b"), .source("lark"), .source(nil)]
        #expect(try configuration(["--inputs", "desktop, app:zoom: a=b,lark,mic"]).inputs == all)
        let options = ["--desktop", "--app", "zoom: a=b", "-d", "lark", "--mic"]
        #expect(try configuration(options).inputs == all.reversed())
        for input in all { #expect(RecordingInput(named: input.name) == input) }
    }

    @Test("Sources that are not aligned have their own channels, and record both sides of a call as aligned ones do")
    func unaligned() throws {
        let options = ["--mic", "--desktop", "--select", "1", "--select", "desktop=2"]
        let sources = UnalignedSources(try configuration(options), to: []).sources
        #expect(sources.map(\.configuration.inputs) == [[.source(nil)], [.desktop]])
        #expect(sources.map(\.configuration.channels.numbers) == [[1], [2]])
        #expect(sources.allSatisfy { $0.configuration.interruptions.onCall == .ignore })
    }

    @Test("Channels, gain and delay are those of the source that is named, whatever is in its name")
    func settings() throws {
        let configuration = try configuration([
            "--inputs", "mic,lark,app:a=b", "--select", "3", "--select=4", "--select", "lark=2-3", "--select",
            "app:a=b=1", "--gain", "lark=-6dB", "--gain=mic=3.5", "--delay=app:a=b=-12ms", "--delay", "mic=1.5s",
            "--require", "all",
        ])
        #expect(configuration.channels.numbers == [3, 4] && configuration.interruptions.requiresAllInputs)
        #expect(
            configuration.inputSettings == [
                .source(nil): InputSettings(gain: 3.5, delay: .seconds(1.5)),
                .source("lark"): InputSettings(selectedChannels: [2, 3], gain: -6),
                .application("a=b"): InputSettings(selectedChannels: [1], delay: .seconds(-0.012)),
            ])
        #expect(throws: Never.self) { try configuration.validate(outputs: []) }
    }

    @Test("One source has its channels by either form")
    func single() throws {
        #expect(try configuration(["-d", "lark", "--select", "lark=2"]).channels.numbers == [2])
        #expect(try configuration(["-d", "lark", "--select", "2"]).channels.numbers == [2])
        #expect(try configuration(["-d", "lark", "--select", "lark=2"]).inputSettings.isEmpty)
    }

    @Test("What an application excludes is refused however it is named")
    func applications() {
        for input in [["--app", "zoom"], ["--inputs", "mic,app:zoom"]] {
            for other in [["--capture-api", "simple"], ["--on-disconnect", "fallback"]] {
                #expect(throws: (any Error).self) { try RecordingOptions.parse(input + other) }
            }
            #expect(throws: Never.self) { try RecordingOptions.parse(input) }
        }
    }

    @Test(
        "What names no source of the recording, or nothing, is refused",
        arguments: [
            (["--inputs", "mic,,lark"], "separated by commas"), (["--inputs", "app:"], "separated by commas"),
            (["--inputs", "mic,mic"], "name each source once"), (["--mic", "-d", "mic"], "name each source once"),
            (["--inputs", "mic", "-d", "lark"], "--inputs and --device exclude"),
            (["--mic", "--desktop", "--gain", "lark=3"], "--gain names 'lark'"),
            (["--mic", "--desktop", "--select", "lark=3"], "Name one of: mic, desktop"),
            (["--mic", "--delay", "mic=1s"], "only one is recorded"),
            (["--gain", "lark=6dB"], "only one is recorded. Set the volume of the source itself"),
            (["--gain", "lark"], "one of several sources and its value, such as --inputs mic,lark --gain lark=6dB"),
            (["--gain", "6dB"], "one of several sources and its value, such as --inputs mic,lark --gain lark=6dB"),
            (["--mic", "--desktop", "--delay", "1s"], "such as --inputs mic,lark --delay lark=12ms"),
            (["--mic", "--desktop", "--delay", "mic=6s"], "up to 5 s"),
            (["--mic", "--desktop", "--delay", "mic=x"], "up to 5 s"),
            (["--mic", "--desktop", "--gain", "mic=loud"], "give decibels"),
            (["--mic", "--desktop", "--select", "mic=0"], "from 1 to 32"),
        ])
    func refusals(arguments: [String], reason: String) {
        do {
            _ = try InputOptions.parse(arguments)
            Issue.record("\(arguments) were accepted")
        } catch {
            #expect(InputOptions.message(for: error).contains(reason), "\(InputOptions.message(for: error))")
        }
    }
}
