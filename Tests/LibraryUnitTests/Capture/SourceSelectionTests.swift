import Testing

@testable import ACCAudioRecorder

@Suite struct SourceSelectionTests {
    private static let builtIn = AudioSource.made(
        "alsa_input.pci-1f.3", index: 1, description: "Built-in Audio", properties: ["device.form_factor": "internal"])
    private static let pci = AudioSource.made("alsa_input.pci-04", index: 2, properties: ["device.bus": "pci"])
    private static let usb = AudioSource.made(
        "alsa_input.usb-lark", index: 3, description: "Lark Microphone", properties: ["device.bus": "usb"])
    private static let other = AudioSource.made("alsa_input.fw", index: 4, properties: ["device.bus": "firewire"])
    private static let virtual = AudioSource.made("tunnel", index: 5)
    private static let filter = AudioSource.made(
        "cancelled", index: 6, properties: ["device.class": "filter", "device.form_factor": "internal"])
    private static let headset = AudioSource.made(
        "bluez_input.00", index: 7, description: "Lark Headset", properties: ["device.bus": "bluetooth"])
    private static let monitor = AudioSource.made(
        "speakers.monitor", isMonitor: true, index: 8, description: "Monitor of Lark Speakers")
    private static let unplugged = AudioSource.made(
        "alsa_input.jack", index: 9, properties: ["device.form_factor": "internal"], isAvailable: false)

    private static func asDefault(_ source: AudioSource) -> AudioSource {
        var source = source
        source.isDefault = true
        return source
    }

    private func choose(
        _ requested: String? = nil, from sources: [AudioSource], bluetooth: Bool = false, monitor: Bool = false
    ) throws -> SourceChoice {
        try SourceSelection(
            sources: sources, defaultSinkName: "speakers", allowsBluetooth: bluetooth, allowsMonitor: monitor
        ).choice(requested: requested)
    }

    private func failure(_ body: () throws -> SourceChoice) throws -> ACCAudioRecorderError.Failure {
        try #require(#expect(throws: ACCAudioRecorderError.self) { try body() }?.failure)
    }

    // MARK: - Automatic choice

    struct Case: Sendable, CustomTestStringConvertible {
        let sources: [AudioSource]
        var bluetooth = false
        var monitor = false
        let source: AudioSource
        let reason: SourceChoice.Reason

        var testDescription: String { "\(source.name): \(reason)" }
    }

    @Test(
        "D-05, D-06: the automatic choice of a source",
        arguments: [
            // The default, whatever other sources there are.
            Case(sources: [builtIn, asDefault(usb)], source: usb, reason: .serverDefault),
            Case(sources: [builtIn, asDefault(filter)], source: filter, reason: .serverDefault),
            Case(sources: [asDefault(virtual), builtIn], source: virtual, reason: .serverDefault),
            Case(sources: [asDefault(unplugged)], source: unplugged, reason: .serverDefault),
            // Otherwise by kind, with filters after all other sources.
            Case(
                sources: [filter, virtual, other, usb, pci, builtIn, asDefault(monitor)], source: builtIn,
                reason: .best(.monitor)),
            Case(
                sources: [filter, virtual, other, usb, pci, asDefault(headset)], source: pci, reason: .best(.bluetooth)),
            Case(sources: [filter, virtual, other, usb, asDefault(headset)], source: usb, reason: .best(.bluetooth)),
            Case(sources: [filter, virtual, other, headset], source: other, reason: .best(.missing)),
            Case(sources: [monitor, filter, virtual, headset], source: virtual, reason: .best(.missing)),
            Case(sources: [monitor, filter, headset], source: filter, reason: .best(.missing)),
            // The first of equals.
            Case(
                sources: [.made("one", index: 10), .made("two", index: 11), asDefault(monitor)],
                source: .made("one", index: 10), reason: .best(.monitor)),
            // Unplugged sources only if nothing else is available.
            Case(sources: [asDefault(unplugged), usb], source: usb, reason: .best(.unavailable)),
            Case(sources: [unplugged, usb, asDefault(monitor)], source: usb, reason: .best(.monitor)),
            Case(sources: [unplugged, asDefault(monitor)], source: unplugged, reason: .best(.monitor)),
            // With Bluetooth allowed.
            Case(sources: [builtIn, asDefault(headset)], bluetooth: true, source: headset, reason: .serverDefault),
            Case(sources: [headset, usb], bluetooth: true, source: usb, reason: .best(.missing)),
            Case(
                sources: [virtual, headset, asDefault(monitor)], bluetooth: true, source: headset,
                reason: .best(.monitor)),
            // With monitors allowed.
            Case(sources: [asDefault(monitor)], monitor: true, source: monitor, reason: .serverDefault),
            Case(sources: [monitor, asDefault(headset)], monitor: true, source: monitor, reason: .best(.bluetooth)),
            Case(sources: [monitor, filter], monitor: true, source: filter, reason: .best(.missing)),
        ])
    func choosesByTheRule(example: Case) throws {
        let choice = try choose(from: example.sources, bluetooth: example.bluetooth, monitor: example.monitor)
        #expect(choice.source.id == example.source.id)
        #expect(choice.reason == example.reason)
    }

    @Test("D-05, D-06: if none is left, the error names the options that help")
    func refusesWhatIsNotAllowed() throws {
        let monitors = try failure { try choose(from: [Self.asDefault(Self.monitor)]) }
        #expect(monitors.reason == .noMicrophone)
        #expect(monitors.cause == "the server has only monitors (what the desktop plays)")
        #expect(
            monitors.remedy == "Plug in a microphone, allow those, or name one of: "
                + "speakers.monitor (Monitor of Lark Speakers).")
        #expect(monitors.recoveryOption == .allowSources(bluetooth: false, monitor: true))

        let both = try failure { try choose(from: [Self.monitor, Self.asDefault(Self.headset)]) }
        #expect(
            both.cause
                == "the server has only Bluetooth microphones and monitors (what the desktop plays)")
        #expect(both.recoveryOption == .allowSources(bluetooth: true, monitor: true))
        #expect(both.choices.first == .init(name: "bluez_input.00", details: "Lark Headset, Bluetooth"))

        let none = try failure { try choose(from: []) }
        #expect(none.reason == .noMicrophone)
        #expect(none.remedy == "Plug in a microphone.")
    }

    @Test("D-06: the reason for the choice as text")
    func saysWhy() throws {
        #expect("\(try choose(from: [Self.asDefault(Self.usb)]))" == "the server's default")
        #expect(
            "\(try choose(from: [Self.builtIn, Self.asDefault(Self.monitor)]))"
                == "built in; the server's default is a monitor")
        #expect("\(try choose("3", from: [Self.usb]))" == "named")
        let byEnvironment = try SourceSelection(sources: [Self.usb], defaultSinkName: nil)
            .choice(requested: nil, byEnvironment: "lark")
        #expect("\(byEnvironment)" == "named by PULSE_SOURCE")
    }

    // MARK: - Choice by name

    @Test(
        "D-05: the accepted abbreviations of a source",
        arguments: [
            ("alsa_input.usb-lark", "alsa_input.usb-lark"),
            // A monitor or Bluetooth microphone that is named needs no option.
            ("speakers.monitor", "speakers.monitor"),
            ("bluez_input.00", "bluez_input.00"),
            ("@DEFAULT_SOURCE@", "alsa_input.pci-1f.3"),
            ("@DEFAULT_MONITOR@", "speakers.monitor"),
            ("3", "alsa_input.usb-lark"),
            ("usb", "alsa_input.usb-lark"),
            ("USB", "alsa_input.usb-lark"),
            ("lark mic", "alsa_input.usb-lark"),
            ("Lark Headset", "bluez_input.00"),
            // A monitor only if nothing else matches, although its description does.
            ("monitor", "speakers.monitor"),
            ("built-in audio", "alsa_input.pci-1f.3"),
        ])
    func findsByANameANumberOrAPart(requested: String, name: String) throws {
        let sources = [Self.asDefault(Self.builtIn), Self.usb, Self.headset, Self.monitor]
        let choice = try choose(requested, from: sources)
        #expect(choice.source.name == name)
        #expect(choice.reason == .named)
    }

    @Test("D-05: an exact name takes precedence over a number or a part, an exact description over a part")
    func prefersWhatIsExact() throws {
        let sources: [AudioSource] = [
            .made("usb-two", index: 1, description: "Mic"), .made("usb", index: 2, description: "Mic 2"),
            .made("1", index: 3), .made("line", index: 4, description: "A usb line"),
        ]
        #expect(try choose("usb", from: sources).source.id == 2)
        #expect(try choose("1", from: sources).source.id == 3)
        #expect(try choose("mic", from: sources).source.id == 1)
        #expect(try choose("mic 2", from: sources).source.id == 2)
    }

    @Test("D-05: a part that matches several sources is rejected with a list of them")
    func refusesAnAmbiguousPart() throws {
        let error = try failure { try choose("lark", from: [Self.usb, Self.builtIn, Self.headset, Self.monitor]) }
        #expect(error.reason == .ambiguousSource)
        #expect(error.what == "cannot record from 'lark'")
        #expect(error.cause == "it matches 2 sources")
        #expect(
            error.remedy
                == "Name one of: alsa_input.usb-lark (Lark Microphone), bluez_input.00 (Lark Headset, Bluetooth).")

        let twins: [AudioSource] = [
            .made("one", index: 1, description: "Mic"), .made("two", index: 2, description: "Mic"),
        ]
        #expect(try failure { try choose("Mic", from: twins) }.reason == .ambiguousSource)
    }

    @Test(
        "D-05: a name that matches no source is rejected",
        arguments: ["nosuch", "4", "99999999999", "", "@DEFAULT_SOURCE@"])
    func listsTheSourcesWhereTheNameIsUnknown(requested: String) throws {
        let sources: [AudioSource] = [.made("mic-4", index: 1), Self.headset]
        let error = try failure { try choose(requested, from: sources) }
        #expect(error.reason == .noSuchSource)
        #expect(error.remedy == "Name one of: mic-4 (mic-4), bluez_input.00 (Lark Headset, Bluetooth).")
    }

    @Test("Several sources in one name are told apart, and microphones come before monitors")
    func listOfSources() throws {
        let sources = [Self.monitor, Self.unplugged, Self.usb]
        let error = try failure { try choose("jack, lark", from: sources) }
        #expect(error.remedy.hasPrefix("Give 'jack' and 'lark' as a source each, or name one of: "), "\(error)")
        #expect(error.recoveryOption == .nameInputs(["jack", "lark"]))
        #expect(error.choices.map(\.name) == [Self.unplugged, Self.usb, Self.monitor].map(\.name))
        let one = try failure { try choose("jakc,nosuch", from: sources) }.remedy
        #expect(!one.contains("as a source each"))
    }

    @Test(
        "A misspelt source is met with the nearest name",
        arguments: [
            ("alsa_input.jakc", "alsa_input.jack"), ("jakc", "alsa_input.jack"), ("xyzzy", nil), ("4000000", nil),
            ("", nil),
        ])
    func suggestsTheNearest(requested: String, name: String?) throws {
        let monitor = AudioSource.made("alsa_output.jakx.monitor", isMonitor: true, index: 77)
        let remedy = try failure { try choose(requested, from: [monitor, Self.unplugged, Self.usb]) }.remedy
        let hint = name.map { "Did you mean '\($0)'? " } ?? ""
        #expect(remedy.hasPrefix("\(hint)Name one of: "), "\(remedy)")
    }
}
