import CPulse
import Testing

@testable import ACCAudioRecorder

@Suite struct SourceKindTests {
    @Test(
        "D-07: the kind of a source by its properties",
        arguments: [
            ([:], .virtual),
            (["device.class": "filter", "device.master_device": "mic"], .virtual),
            (["device.form_factor": "internal", "device.bus": "pci", "device.api": "alsa"], .builtIn),
            (["device.form_factor": "internal", "device.bus": "usb"], .builtIn),
            (["device.form_factor": "internal"], .builtIn),
            (["device.bus": "pci", "device.api": "alsa"], .pci),
            (["device.bus": "usb", "device.form_factor": "microphone"], .usb),
            (["device.bus": "firewire"], .other),
            (["device.api": "alsa", "device.class": "sound"], .other),
            (["device.bus": "bluetooth"], .bluetooth),
            (["device.api": "bluez"], .bluetooth),
            (["device.api": "bluez5"], .bluetooth),
            (["bluetooth.protocol": "headset_head_unit"], .bluetooth),
            (["api.bluez5.profile": "headset-head-unit"], .bluetooth),
            (["bluez5.loopback": "true"], .bluetooth),
            (["device.class": "filter", "device.master_device": "bluez_source.00_11"], .bluetooth),
            // A headset on the built-in Bluetooth adapter.
            (["device.bus": "bluetooth", "device.form_factor": "internal"], .bluetooth),
            (["device.class": "monitor"], .monitor),
            (["device.class": "monitor", "device.bus": "bluetooth"], .monitor),
        ] as [([String: String], SourceKind)])
    func determinesTheKind(properties: [String: String], kind: SourceKind) {
        #expect(SourceKind(isMonitorOfSink: false) { properties[$0] } == kind)
    }

    @Test("D-07: a sink's source is a monitor, whatever its properties")
    func recognisesAMonitorByItsSink() {
        #expect(SourceKind(isMonitorOfSink: true) { ["device.bus": "usb"][$0] } == .monitor)
        #expect(AudioSource.made("speakers.monitor", isMonitor: true).isMonitor)
    }

    @Test("D-07: kind, state and availability as reported by the server")
    func readsWhatTheServerSays() {
        let source = AudioSource.made(
            "mic", properties: ["device.bus": "usb"], state: PA_SOURCE_RUNNING, isAvailable: false)
        #expect(source.kind == .usb && !source.isMonitor && !source.isFilter)
        #expect(source.state == .running)
        #expect(!source.isAvailable)
        #expect(AudioSource.made("mic", isAvailable: true).isAvailable)
        #expect(AudioSource.made("mic").isAvailable)
        #expect(AudioSource.made("mic", state: PA_SOURCE_SUSPENDED).state == .suspended)
        #expect(AudioSource.made("mic", state: PA_SOURCE_IDLE).state == .idle)
    }
}
