import ACCAudioRecorder
import Testing

@testable import AccrecCommands

@Suite struct DeviceTableTests {
    private let near = AudioSource.made("near", isDefault: true, id: 1)
    private let far = AudioSource.made("far", id: 2)

    @Test("D-07: a change as text")
    func describesChanges() {
        let changed = AudioSource.made(
            "near", description: "Near", rate: 44_100, isDefault: true, id: 1, kind: .usb, port: "Microphone",
            isAvailable: false, isFilter: true, state: .running, isMuted: true)
        let text = SourceListChange.changed(changed, from: near).text
        #expect(
            text
                == "changed near: Near; USB; a filter; 44100 Hz, 2 channels, s16le; running; muted; port Microphone; not plugged in"
        )
        #expect(SourceListChange.defaultChanged(nil).text == "default none")
        #expect(
            SourceListChange.added(far).text == "added far: far, virtual, 48000 Hz, 2 channels, s16le")
    }

    @Test("D-07: the list as text")
    func printsTheList() {
        let unplugged = AudioSource.made(
            "jack", description: "Jack", isDefault: true, id: 1, isAvailable: false, isMuted: true)
        let usb = AudioSource.made("usb", description: "Lark", id: 12, kind: .usb)
        let choice = SourceChoice(source: usb, reason: .best(.unavailable))
        #expect(
            DeviceTable(list: SourceList(sources: [unplugged, usb], choice: .success(choice))).lines == [
                " *  1  jack  [virtual]  [muted]  [not plugged in]",
                "         Jack: 48000 Hz, 2 channels, s16le, idle",
                ">  12  usb  [USB]",
                "         Lark: 48000 Hz, 2 channels, s16le, idle",
                "* is the server's default", "recorded by default: USB; the server's default is not plugged in",
            ])
        let monitor = AudioSource.made("room.monitor", id: 2, kind: .monitor)
        let sources = SourceList(sources: [monitor, usb], choice: .success(choice))
        #expect(
            DeviceTable(list: sources).lines.compactMap { $0.firstMatch(of: /\d  (\S+)/).map { String($0.1) } }
                == ["usb", "room.monitor"])
        let none = ACCAudioRecorderError.noActiveRecording
        #expect(DeviceTable(list: SourceList(sources: [], choice: .failure(none))).lines.isEmpty)
    }
}
