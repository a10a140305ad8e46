/// Where a property of a recording or of an output comes from. What is set last counts.
enum FormatSetting<Value: Sendable & Hashable>: Sendable, Hashable {
    /// Not set: whatever stands above decides.
    case inherited
    /// The source's.
    case native
    /// This value.
    case given(Value)

    /// The value; nil if it is not set, or the source's.
    var value: Value? {
        get { if case .given(let value) = self { value } else { nil } }
        set { self = newValue.map(Self.given) ?? .inherited }
    }

    /// Whether it is the source's, given what is inherited.
    func isNative(else inherited: Bool) -> Bool {
        switch self {
        case .inherited: inherited
        case .native: true
        case .given: false
        }
    }

    /// Makes it the source's or not; unchanged if it is so already.
    ///
    /// - Parameters:
    ///   - isNative: Whether it is to be the source's.
    ///   - wasNative: Whether it is now, set or inherited.
    ///   - value: What it is instead of the source's; nil to inherit.
    mutating func setNative(_ isNative: Bool, from wasNative: Bool, else value: Value?) {
        guard isNative != wasNative else { return }
        if isNative { self = .native } else { self.value = value }
    }
}
