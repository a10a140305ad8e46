import CPulse

/// A view of one of libpulse's property lists, valid as long as the list.
struct PulseProperties {
    private let list: OpaquePointer?

    /// - Parameter list: nil for an empty list.
    init(_ list: OpaquePointer?) {
        self.list = list
    }

    /// The value of a property; nil if there is none or it is not text.
    subscript(name: String) -> String? {
        guard let list, let value = pa_proplist_gets(list, name) else { return nil }
        return String(cString: value)
    }
}
