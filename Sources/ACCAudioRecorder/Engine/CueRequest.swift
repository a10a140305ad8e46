/// Something that a user wants to happen at the frame which is captured at this moment.
struct CueRequest: Sendable {
    enum Kind: Sendable {
        /// A marker stands there; nil for one that says its number.
        case marker(label: String?)
        /// New files begin there.
        case newFiles
    }

    let kind: Kind
    /// The moment, in CLOCK_MONOTONIC nanoseconds.
    let hostTime: UInt64

    var isMarker: Bool {
        if case .marker = kind { true } else { false }
    }
}
