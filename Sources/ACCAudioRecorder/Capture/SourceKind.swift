/// The kind of a source, as far as the server says; in order of preference if no source is named.
public enum SourceKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Built into the machine.
    case builtIn = "built-in"
    /// A PCI sound card.
    case pci
    /// A USB device.
    case usb
    /// A device of unknown kind.
    case other
    /// A Bluetooth device. Recording from it reduces its playback to telephone quality.
    case bluetooth
    /// Not a device: made by the server or a program.
    case `virtual`
    /// The monitor of a sink, which delivers what that plays: the desktop's own sound.
    case monitor
    /// What one application plays. It is never listed as a source, but only recorded by name.
    case application

    /// Determines the kind from the properties that the server gives a source.
    init(isMonitorOfSink: Bool, property: (String) -> String?) {
        let bus = property("device.bus")
        let isBluetooth =
            bus == "bluetooth" || property("device.api")?.hasPrefix("bluez") == true
            || ["bluetooth.protocol", "api.bluez5.profile", "bluez5.loopback"].contains { property($0) != nil }
            // A filter opens its master device.
            || property("device.master_device")?.hasPrefix("bluez_") == true
        // A monitor has its sink's properties, so without this check a headset's monitor would look like Bluetooth.
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
    /// Human-readable: `built in`, `PCI`, `USB`, `Bluetooth` …
    public var description: String {
        switch self {
        case .builtIn: "built in"
        case .pci: "PCI"
        case .usb: "USB"
        case .other: "another device"
        case .bluetooth: "Bluetooth"
        case .virtual: "virtual"
        case .monitor: "monitor"
        case .application: "application"
        }
    }
}
