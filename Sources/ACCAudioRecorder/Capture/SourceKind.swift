/// What a source is, as far as the server says; in the order in which one is chosen where none is named.
public enum SourceKind: String, Sendable, Hashable, CaseIterable {
    /// A part of the machine itself.
    case builtIn = "built-in"
    /// On the PCI bus: a sound card.
    case pci
    /// On the USB bus.
    case usb
    /// A device of which nothing else is known.
    case other
    /// A Bluetooth device: recording from it takes what it plays to telephone quality.
    case bluetooth
    /// No device, but something that the server or a program makes.
    case `virtual`
    /// What a sink plays: the desktop's own sound.
    case monitor

    /// Tells by the properties that the server gives a source.
    init(isMonitorOfSink: Bool, property: (String) -> String?) {
        let bus = property("device.bus")
        let isBluetooth =
            bus == "bluetooth" || property("device.api")?.hasPrefix("bluez") == true
            || ["bluetooth.protocol", "api.bluez5.profile", "bluez5.loopback"].contains { property($0) != nil }
            // A filter opens what it is made of.
            || property("device.master_device")?.hasPrefix("bluez_") == true
        // A monitor has the properties of its sink, so a headset's monitor looks like Bluetooth otherwise.
        if isMonitorOfSink || property("device.class") == "monitor" {
            self = .monitor
        } else if isBluetooth {
            self = .bluetooth
        } else if property("device.form_factor") == "internal" {
            self = .builtIn
        } else if bus == "pci" {
            self = .pci
        } else if bus == "usb" {
            self = .usb
        } else {
            self = bus != nil || property("device.api") != nil ? .other : .virtual
        }
    }
}

extension SourceKind: CustomStringConvertible {
    /// For people: `built in`, `PCI`, `USB`, `Bluetooth` …
    public var description: String {
        switch self {
        case .builtIn: "built in"
        case .pci: "PCI"
        case .usb: "USB"
        case .other: "another device"
        case .bluetooth: "Bluetooth"
        case .virtual: "virtual"
        case .monitor: "monitor"
        }
    }
}
