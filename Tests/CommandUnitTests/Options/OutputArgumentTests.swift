import ACCAudioRecorder
import Testing

@testable import AccrecCommands

@Suite struct OutputArgumentTests {
    @Test func parsesSettingsAfterThePath() throws {
        let output = try OutputOptions.Output("take 1,2.wav,rate=16000,channels=native,encoding=s24,dither=no")
        #expect(output.place == "take 1,2.wav")
        #expect(output.format.sampleRate == .given(16_000) && output.format.channelCount == .native)
        #expect(output.format.encoding == .given(.s24) && output.dither == false)
        let speech = try OutputOptions.Output("speech,format=opus,bitrate=24")
        #expect(try OutputOptions.Output("a.wav,bwf=yes").bwf == true && speech.bwf == nil)
        #expect(speech.place == "speech" && speech.container == .opus && speech.compression == .bitRate(24))
    }

    @Test func parsesSettingsOfStandardOutput() throws {
        let output = try OutputOptions.Output("-,format=wav,rate=16000")
        #expect(output.place == "-" && output.container == .wav && output.format.sampleRate == .given(16_000))
    }

    /// Each way to give several outputs, one of them standard output, which is not a terminal here.
    @Test(arguments: [
        ["-o", "-,format=wav"], ["-o=-,format=wav"], ["--output", "-,format=wav"], ["--output=-,format=wav"],
        ["-o", "-,format=wav", "-o", "talk.wav"], ["-o", "talk.wav", "-o", "-,rate=16000"],
        ["-o", "talk.wav", "-o", "-"],
        ["-o", "-"],
    ])
    func standardOutputMayHaveSettingsAnywhere(arguments: [String]) throws {
        let outputs = try OutputOptions.parse(arguments).output
        #expect(outputs.count { $0.place == "-" } == 1)
        #expect(outputs.count == arguments.count { $0.hasPrefix("-o") || $0.hasPrefix("--") })
    }

    @Test(arguments: [["-o", "--max", "60"], ["-o", "-r", "48000"], ["-o"], ["--output=--force"]])
    func anOptionIsNotAnOutput(arguments: [String]) {
        #expect(throws: (any Error).self) { try RecordCommand.parse(arguments) }
    }

    @Test(arguments: ["-", "take.wav", "a,b", "a=b.wav", ",x", "a,=b.wav"])
    func keepsNames(name: String) throws {
        let output = try OutputOptions.Output(name)
        #expect(output.place == name && output.format == FormatSettings())
    }

    @Test(arguments: [
        "", ",rate=8000", "a.wav,rte=8000", "a.wav,rate=7999", "a.wav,rate=", "a.wav,channels=33", "a.wav,encoding=s17",
        "a.wav,dither=perhaps", "a.wav,bwf=maybe", "a.wav,guano=maybe", "a,format=wma", "a.flac,compression=x",
        "a.mp3,compression=2,bitrate=64",
    ])
    func rejectsInvalidSettings(argument: String) {
        #expect(throws: (any Error).self) { try OutputOptions.Output(argument) }
    }
}
