/// The meter's scale, from -60 to 0 dBFS in even steps.
enum LevelScale {
    /// The quietest level that it shows, in dBFS.
    static let floor: Float = -60
    /// What is marked, most wanted first, in dBFS.
    static let marks = [0, -12, -24, -6, -36, -48, -60, -18, -3]

    /// Where a level is on the scale, from 0 to 1.
    static func part(_ decibels: Float) -> Double {
        Double(min(max((decibels - floor) / -floor, 0), 1))
    }

    /// Above -12 dBFS a level comes near full scale, and above -3 it is nearly there.
    static func ink(_ decibels: Float) -> Ink {
        decibels < -12 ? .low : decibels < -3 ? .middle : .high
    }
}
