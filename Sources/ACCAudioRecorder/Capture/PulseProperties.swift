import CPulse

/// A view of a property list of libpulse, valid for as long as the list.
struct PulseProperties {
    private let list: OpaquePointer?

    /// - Parameter list: nil for a list without properties.
    init(_ list: OpaquePointer?) {
        self.list = list
    }

    /// The property of that name, if there is one and it is text.
    subscript(name: String) -> String? {
        guard let list, let value = pa_proplist_gets(list, name) else { return nil }
        return String(cString: value)
    }
}
