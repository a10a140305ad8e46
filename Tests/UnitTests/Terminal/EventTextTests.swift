import ACCAudioRecorder
import Testing

@testable import AccrecCommands

@Suite struct EventTextTests {
    @Test func aQuietTakeTellsOfTroubleOnly() {
        #expect(EventText(event: .fileRemoved(path: "a.wav")).isRoutine)
        #expect(!EventText(event: .interrupted(.call)).isRoutine)
    }

    @Test("D-08: another port of the source is told, and whether something is plugged in there")
    func tellsOfAPort() {
        let heard = AudioSource.made("card", description: "Card", isAvailable: true, port: "Headset Microphone")
        #expect(
            EventText(event: .portChanged(heard)).text == "the sound of 'Card' comes in by 'Headset Microphone' now.")
        let deaf = AudioSource.made("card", description: "Card", isAvailable: false, port: "Line In")
        #expect(
            EventText(event: .portChanged(deaf)).text
                == "the sound of 'Card' comes in by 'Line In' now, where nothing is plugged in.")
    }
}
