/// The highest peak of a channel, held for a while, then falling.
struct PeakHold {
    /// How long a peak stands, in seconds.
    private static let holdTime = 1.5
    /// How fast it falls then, in dB a second.
    private static let decay: Float = 20

    /// In dBFS.
    private(set) var decibels: Float = -120
    private var setAt = 0.0
    private var lastUpdate = 0.0

    /// Takes a peak in dBFS, and when it was, in seconds.
    mutating func update(_ peak: Float, at time: Double) {
        if peak >= decibels {
            decibels = peak
            setAt = time
        } else if time - setAt > Self.holdTime {
            decibels = max(decibels - Self.decay * Float(time - lastUpdate), peak)
        }
        lastUpdate = time
    }
}
