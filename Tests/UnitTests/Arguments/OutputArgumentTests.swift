import ACCAudioRecorder
import Testing

@testable import AccrecCommands

@Suite struct OutputArgumentTests {
    @Test func takesWhatFollowsThePathAsSettings() throws {
        let output = try OutputArgument("take 1,2.wav,rate=16000,channels=native,encoding=s24,dither=no")
        #expect(output.place == "take 1,2.wav")
        #expect(output.rate?.number == 16_000)
        if case .native? = output.channels {} else { Issue.record("native channels were asked for") }
        #expect(output.encoding == .s24 && output.dither == false)
        let speech = try OutputArgument("speech,format=opus,bitrate=24")
        #expect(speech.place == "speech" && speech.container == .opus && speech.compression == .bitRate(24))
    }

    @Test(arguments: ["-", "take.wav", "a,b", "a=b.wav", ",x", "a,=b.wav"])
    func leavesNamesAlone(name: String) throws {
        let output = try OutputArgument(name)
        #expect(output.place == name && output.rate == nil && output.encoding == nil)
    }

    @Test(arguments: [
        "", ",rate=8000", "a.wav,rte=8000", "a.wav,rate=7999", "a.wav,rate=", "a.wav,channels=33", "a.wav,encoding=s17",
        "a.wav,dither=perhaps", "a,format=wma", "a.flac,compression=x", "a.mp3,compression=2,bitrate=64",
    ])
    func refusesWhatThereIsNot(argument: String) {
        #expect(throws: (any Error).self) { try OutputArgument(argument) }
    }
}
